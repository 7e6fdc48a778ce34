#include "dsnn/parts/ranks.h"

#include "util/index.h"

#include <cstring>
#include <exception>
#include <type_traits>
#include <utility>

namespace dsnn {
namespace {

template <class T>
std::span<const std::byte> bytes_of(std::span<const T> numbers) {
  return std::as_bytes(numbers);
}

/// The numbers of each rank's share of an array: about equal shares.
std::pair<std::size_t, std::size_t> share(std::size_t count, int rank, int size) {
  const std::size_t r = at(rank), k = at(size);
  return {count * r / k, count * (r + 1) / k};
}

}  // namespace

Ranks::~Ranks() = default;

void Ranks::start(const Outgoing& out, const Incoming& in) {
  const std::size_t self = at(rank());
  if (!out[self].empty()) std::memcpy(in[self].data(), out[self].data(), out[self].size());
  for (std::size_t r = 0; r < out.size(); ++r) {
    if (r == self || out[r].empty()) continue;
    bytes_sent_ += std::ssize(out[r]);
    ++messages_sent_;
  }
  start_messages(out, in);
}

void Ranks::finish() { finish_messages(); }

std::vector<std::vector<std::byte>> Ranks::exchange_any(
    const std::vector<std::vector<std::byte>>& out) {
  std::vector<std::int64_t> sizes(at(size())), their_sizes(at(size()));
  Outgoing size_out;
  Incoming size_in;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    sizes[r] = std::ssize(out[r]);
    size_out.push_back(bytes_of(std::span<const std::int64_t>(&sizes[r], 1)));
    size_in.push_back(std::as_writable_bytes(std::span(&their_sizes[r], 1)));
  }
  exchange(size_out, size_in);
  std::vector<std::vector<std::byte>> result(at(size()));
  Outgoing all_out;
  Incoming all_in;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    result[r].resize(at(their_sizes[r]));
    all_out.emplace_back(out[r]);
    all_in.emplace_back(result[r]);
  }
  exchange(all_out, all_in);
  return result;
}

// Each rank adds one share of the numbers of all ranks and sends the sums to all.
template <class T>
void Ranks::sum(std::span<T> numbers) {
  if (size() == 1) return;
  const auto [begin, end] = share(numbers.size(), rank(), size());
  const std::size_t count = end - begin;
  std::vector<T> parts(count * at(size()));
  Outgoing out;
  Incoming in;
  for (int r = 0; r < size(); ++r) {
    const auto [from, to] = share(numbers.size(), r, size());
    out.push_back(bytes_of(std::span<const T>(numbers).subspan(from, to - from)));
    in.push_back(std::as_writable_bytes(std::span(parts).subspan(at(r) * count, count)));
  }
  exchange(out, in);
  std::vector<T> sums(count);
  for (std::size_t i = 0; i < count; ++i) {
    using Sum = std::conditional_t<std::is_floating_point_v<T>, double, T>;
    Sum total = 0;
    for (std::size_t r = 0; r < at(size()); ++r) total += static_cast<Sum>(parts[r * count + i]);
    sums[i] = static_cast<T>(total);
  }
  for (int r = 0; r < size(); ++r) {
    const auto [from, to] = share(numbers.size(), r, size());
    out[at(r)] = bytes_of(std::span<const T>(sums));
    in[at(r)] = std::as_writable_bytes(numbers.subspan(from, to - from));
  }
  exchange(out, in);
}

template DSNN_API void Ranks::sum(std::span<float>);
template DSNN_API void Ranks::sum(std::span<double>);
template DSNN_API void Ranks::sum(std::span<std::int64_t>);

std::int64_t Ranks::sum(std::int64_t number) {
  sum(std::span(&number, 1));
  return number;
}

double Ranks::sum(double number) {
  sum(std::span(&number, 1));
  return number;
}

std::vector<std::vector<std::byte>> Ranks::gather(std::span<const std::byte> bytes) {
  return exchange_any(std::vector<std::vector<std::byte>>(
      at(size()), std::vector<std::byte>(bytes.begin(), bytes.end())));
}

std::vector<std::string> Ranks::gather_text(const std::string& text) {
  std::vector<std::vector<std::byte>> out(at(size()));
  const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  out[0].assign(bytes.begin(), bytes.end());
  std::vector<std::string> texts;
  for (const std::vector<std::byte>& each : exchange_any(out)) {
    if (rank() == 0) texts.emplace_back(reinterpret_cast<const char*>(each.data()), each.size());
  }
  return texts;
}

std::string Ranks::from_first(const std::string& text) {
  std::vector<std::vector<std::byte>> out(at(size()));
  if (rank() == 0) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
    for (auto& each : out) each.assign(bytes.begin(), bytes.end());
  }
  const std::vector<std::byte> first = exchange_any(out)[0];
  return {reinterpret_cast<const char*>(first.data()), first.size()};
}

void Ranks::agree(const std::function<void()>& work) {
  std::string failure;
  try {
    work();
  } catch (const std::exception& error) {
    failure = error.what();
    if (failure.empty()) failure = "unknown error";
  }
  for (const std::vector<std::byte>& text : gather(std::as_bytes(std::span(failure)))) {
    if (!text.empty()) {
      throw AgreedError(std::string(reinterpret_cast<const char*>(text.data()), text.size()));
    }
  }
}

}  // namespace dsnn
