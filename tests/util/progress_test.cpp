#include "dsnn/util/progress.h"

#include "dsnn/util/error.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dsnn {
namespace {

TEST(Progress, ReportsReachTheObserverWithTheirScope) {
  std::vector<std::string> reports;
  set_progress_observer([&](const ProgressUpdate& update) {
    reports.push_back(std::string(update.scope) + "|" + update.stage + "|" +
                      std::to_string(update.done));
  });
  report_progress("alone", 1, 2);
  {
    const ProgressScope outer("outer");
    report_progress("inside", 2, 2);
    {
      const ProgressScope inner("inner");
      report_progress("deeper", 3, 0);
    }
    report_progress("back", 4, 0);
  }
  set_progress_observer({});
  report_progress("unheard", 5, 0);
  EXPECT_EQ(reports, (std::vector<std::string>{"|alone|1", "outer|inside|2", "inner|deeper|3",
                                               "outer|back|4"}));
}

TEST(Progress, CancelStopsTheNextReportUntilItIsCleared) {
  EXPECT_FALSE(is_cancel_requested());
  request_cancel();
  EXPECT_TRUE(is_cancel_requested());
  EXPECT_THROW(report_progress("work", 0, 1), Cancelled);
  clear_cancel_request();
  EXPECT_NO_THROW(report_progress("work", 0, 1));
}

}  // namespace
}  // namespace dsnn
