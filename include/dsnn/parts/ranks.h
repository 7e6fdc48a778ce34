#pragma once

#include "dsnn/export.h"
#include "dsnn/util/error.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace dsnn {

/// The message of one rank, thrown by all at the same time.
class DSNN_API AgreedError : public Error {
 public:
  using Error::Error;
};

/// The processes, or threads, that each work on one part of a graph. All functions but rank(),
/// size() and the counters are collective: every rank calls the same ones in the same order.
class DSNN_API Ranks {
 public:
  using Outgoing = std::vector<std::span<const std::byte>>;
  using Incoming = std::vector<std::span<std::byte>>;

  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  virtual ~Ranks();

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Starts to send `out[r]` to each rank r and to receive `in[r]` from it; both sides know the
  /// sizes, and empty messages are not sent. The memory must stay as it is until finish(). One
  /// exchange at a time.
  void start(const Outgoing& out, const Incoming& in);
  void finish();
  void exchange(const Outgoing& out, const Incoming& in) {
    start(out, in);
    finish();
  }

  /// Messages of sizes that only the sender knows: those from each rank.
  std::vector<std::vector<std::byte>> exchange_any(const std::vector<std::vector<std::byte>>& out);

  /// Replaces the numbers by their sums over all ranks, added in the order of the ranks: the same
  /// bits on all ranks, run after run. T is float, double or std::int64_t.
  template <class T>
  void sum(std::span<T> numbers);
  std::int64_t sum(std::int64_t number);
  double sum(double number);
  /// Whether it is true on any rank.
  bool any(bool is_true) { return sum(std::int64_t{is_true}) > 0; }
  /// The bytes of all ranks, on all ranks.
  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes);
  /// The texts of all ranks on rank 0; nothing on the others.
  std::vector<std::string> gather_text(const std::string& text);
  /// The text of rank 0, on all ranks.
  std::string from_first(const std::string& text);

  /// Runs `work` on every rank. If it throws on some, all throw AgreedError with the message of the
  /// first of them: for work without collective calls, such as reading files.
  void agree(const std::function<void()>& work);

  /// What this rank has sent to others so far.
  std::int64_t bytes_sent() const { return bytes_sent_; }
  std::int64_t messages_sent() const { return messages_sent_; }

 protected:
  virtual void start_messages(const Outgoing& out, const Incoming& in) = 0;
  virtual void finish_messages() = 0;

 private:
  std::int64_t bytes_sent_ = 0, messages_sent_ = 0;
};

/// Runs `work` with `size` ranks, which are threads of this process; returns when all have
/// returned. An exception ends all of them and is thrown again.
DSNN_API void run_as_threads(int size, const std::function<void(Ranks&)>& work);

}  // namespace dsnn
