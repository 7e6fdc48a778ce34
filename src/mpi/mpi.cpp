#include "dsnn/mpi/mpi.h"

#include "dsnn/util/error.h"

#include "util/index.h"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace dsnn {
namespace {

class MpiRanks final : public Ranks {
 public:
  explicit MpiRanks(MPI_Comm communicator) : communicator_(communicator) {
    MPI_Comm_rank(communicator, &rank_);
    MPI_Comm_size(communicator, &size_);
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

 protected:
  void start_messages(const Outgoing& out, const Incoming& in) override {
    // Receives first, so that arriving messages find their memory.
    for (int r = 0; r < size_; ++r) {
      for_pieces(in[at(r)].size(), r, [&](std::size_t begin, int count, int tag) {
        MPI_Irecv(in[at(r)].data() + begin, count, MPI_BYTE, r, tag, communicator_, request());
      });
    }
    for (int r = 0; r < size_; ++r) {
      for_pieces(out[at(r)].size(), r, [&](std::size_t begin, int count, int tag) {
        MPI_Isend(out[at(r)].data() + begin, count, MPI_BYTE, r, tag, communicator_, request());
      });
    }
  }
  void finish_messages() override {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
  }

 private:
  /// MPI counts in int: long messages are sent in pieces.
  template <class Work>
  void for_pieces(std::size_t size, int other, const Work& work) const {
    constexpr std::size_t kMost = std::size_t{1} << 30;
    if (other == rank_) return;
    int tag = 0;
    for (std::size_t begin = 0; begin < size; begin += kMost, ++tag) {
      work(begin, static_cast<int>(std::min(kMost, size - begin)), tag);
    }
  }
  MPI_Request* request() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

  MPI_Comm communicator_;
  int rank_ = 0, size_ = 1;
  std::vector<MPI_Request> requests_;
};

}  // namespace

struct Mpi::Data {
  MPI_Comm communicator = MPI_COMM_NULL;
  std::unique_ptr<MpiRanks> ranks;
};

Mpi::Mpi() : data_(std::make_unique<Data>()) {
  int is_started = 0, provided = 0;
  MPI_Initialized(&is_started);
  if (is_started != 0) throw Error("MPI: is already in use");
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED) {
    throw Error("MPI: this library does not allow programs with threads");
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &data_->communicator);
  data_->ranks = std::make_unique<MpiRanks>(data_->communicator);
}

Mpi::~Mpi() {
  MPI_Comm_free(&data_->communicator);
  MPI_Finalize();
}

Ranks& Mpi::ranks() { return *data_->ranks; }

void Mpi::abort(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();  // not reached
}

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text, at(length));
  return all.substr(0, all.find_first_of(",\n"));
}

}  // namespace dsnn
