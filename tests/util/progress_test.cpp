#include "dsnn/util/progress.h"

#include "dsnn/util/error.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
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

TEST(Progress, ATaskIsCancelledAloneAndIsHeardByItsOwnObserver) {
  std::vector<std::string> all, own;
  set_progress_observer([&](const ProgressUpdate& update) { all.emplace_back(update.stage); });
  Task task([&](const ProgressUpdate&update) { own.emplace_back(update.stage); }), other;
  {
    const Task::Scope scope(&task);
    EXPECT_EQ(Task::current(), &task);
    report_progress("within", 0, 1);
    task.cancel();
    EXPECT_TRUE(is_cancel_requested());
    EXPECT_THROW(report_progress("within", 1, 1), Cancelled);
    const Task::Scope inner(&other);
    EXPECT_FALSE(is_cancel_requested());
    EXPECT_NO_THROW(report_progress("unheard", 0, 1));
  }
  EXPECT_EQ(Task::current(), nullptr);
  EXPECT_FALSE(is_cancel_requested());
  report_progress("outside", 0, 1);
  set_progress_observer({});
  EXPECT_EQ(own, std::vector<std::string>{"within"});
  EXPECT_EQ(all, std::vector<std::string>{"outside"});
}

TEST(Progress, OtherThreadsDoNotSeeTheTask) {
  Task task;
  task.cancel();
  const Task::Scope scope(&task);
  bool is_cancelled = true;
  std::thread([&] { is_cancelled = is_cancel_requested(); }).join();
  EXPECT_FALSE(is_cancelled);
}

}  // namespace
}  // namespace dsnn
