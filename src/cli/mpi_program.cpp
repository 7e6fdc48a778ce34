#include "cli/mpi_program.h"

#include "dsnn/train/ensemble.h"
#include "dsnn/train/part_folder.h"
#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "cli/terminal.h"

#include <fmt/format.h>

#include <exception>

#if defined(DSNN_HAS_MPI)
#include "dsnn/mpi/mpi.h"
#endif

namespace dsnn::cli {

bool is_in_parts(const GraphArguments& graph) {
  return !graph.graph.empty() && PartFolder::is_at(graph.graph);
}

Run one_run(const std::string& folder) {
  const Ensemble ensemble(folder);
  if (ensemble.members().size() > 1) {
    throw Error(
        fmt::format("{}: is an ensemble, which is not available on a graph in parts", folder));
  }
  return ensemble.first();
}

#if defined(DSNN_HAS_MPI)

int run_on_ranks(const std::function<int(Ranks&)>& work) {
  constexpr int kFailure = 1, kCancelled = 130;
  Mpi mpi;
  Ranks& ranks = mpi.ranks();
  const bool is_first = ranks.rank() == 0;
  try {
    return work(ranks);
  } catch (const AgreedError&) {
    if (is_first) throw;
    return kFailure;
  } catch (const Cancelled&) {  // on all ranks
    if (!is_first) return kCancelled;
    request_cancel();  // this one may not have been asked itself
    throw;
  } catch (const std::exception& error) {
    print_error(fmt::format("dsnn: rank {}: {}\n", ranks.rank(), error.what()));
    mpi.abort(kFailure);
  }
}

#else

int run_on_ranks(const std::function<int(Ranks&)>& /*work*/) {
  throw Error("this dsnn was built without MPI, which graphs in parts need");
}

#endif

}  // namespace dsnn::cli
