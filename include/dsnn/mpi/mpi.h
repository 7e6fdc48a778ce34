#pragma once

#include "dsnn/export.h"
#include "dsnn/parts/ranks.h"

#include <memory>
#include <string>

namespace dsnn {

/// MPI, from its initialisation to its end; one in a program. Link dsnn::mpi.
class DSNN_API Mpi {
 public:
  Mpi();
  ~Mpi();
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  /// All processes of MPI_COMM_WORLD, on a communicator of their own. Only the thread that
  /// constructed this may use them.
  Ranks& ranks();
  /// Ends all processes with this exit code, whatever they do.
  [[noreturn]] void abort(int code);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

/// The version of the MPI library, in one line.
DSNN_API std::string mpi_version();

}  // namespace dsnn
