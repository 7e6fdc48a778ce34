// Ranks that are threads of one process. A message is a copy in a mailbox.
#include "dsnn/parts/ranks.h"
#include "dsnn/util/error.h"

#include "util/index.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace dsnn {
namespace {

class Mailboxes {
 public:
  explicit Mailboxes(int size) : size_(at(size)), boxes_(size_ * size_) {}

  void put(std::size_t from, std::size_t to, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    boxes_[to * size_ + from].emplace_back(bytes.begin(), bytes.end());
    changed_.notify_all();
  }

  std::vector<std::byte> take(std::size_t from, std::size_t to) {
    std::unique_lock lock(mutex_);
    auto& box = boxes_[to * size_ + from];
    changed_.wait(lock, [&] { return is_closed_ || !box.empty(); });
    if (is_closed_) throw Error("another rank has ended");
    std::vector<std::byte> message = std::move(box.front());
    box.pop_front();
    return message;
  }

  /// Ends all who wait; the first exception is thrown by end().
  void close(std::exception_ptr thrown) {
    const std::lock_guard lock(mutex_);
    if (!is_closed_) thrown_ = std::move(thrown);
    is_closed_ = true;
    changed_.notify_all();
  }
  void end() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::size_t size_;
  std::vector<std::deque<std::vector<std::byte>>> boxes_;  // [to, from]
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_closed_ = false;
  std::exception_ptr thrown_;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(Mailboxes& boxes, int rank, int size) : boxes_(boxes), rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }

 protected:
  void start_messages(const Outgoing& out, const Incoming& in) override {
    for (std::size_t r = 0; r < out.size(); ++r) {
      if (r != at(rank_) && !out[r].empty()) boxes_.put(at(rank_), r, out[r]);
    }
    in_ = in;
  }
  void finish_messages() override {
    for (std::size_t r = 0; r < in_.size(); ++r) {
      if (r == at(rank_) || in_[r].empty()) continue;
      const std::vector<std::byte> message = boxes_.take(r, at(rank_));
      if (message.size() != in_[r].size()) throw Error("a message has an unexpected size");
      std::ranges::copy(message, in_[r].begin());
    }
  }

 private:
  Mailboxes& boxes_;
  int rank_, size_;
  Incoming in_;
};

}  // namespace

void run_as_threads(int size, const std::function<void(Ranks&)>& work) {
  Mailboxes boxes(size);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadRanks ranks(boxes, rank, size);
      try {
        work(ranks);
      } catch (...) {
        boxes.close(std::current_exception());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  boxes.end();
}

}  // namespace dsnn
