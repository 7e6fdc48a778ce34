#include "data/text_reader.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "data/inflation.h"
#include "data/utf8.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace dsnn {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxShownChars = 30;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kGzipMagic = "\x1f\x8b";
// The unpacked size of text is not declared, and text is parsed while it is unpacked; it never
// compresses as well as zeros do.
constexpr std::uint64_t kHarmlessText = std::uint64_t{64} << 20;

// Room for one piece, or for a whole small file.
std::size_t piece_bytes(const InputFile& file) {
  constexpr std::size_t kLeast = 4096;
  if (!file.is_regular() || file.size() == 0) return kPieceBytes;
  return std::clamp(static_cast<std::size_t>(file.size()) + 1, kLeast, kPieceBytes);
}

}  // namespace

// Unpacks a gzip file of any number of members, one after the other.
struct TextReader::Gzip {
  explicit Gzip(InputFile& source, std::string_view start)
      : file(source), input(piece_bytes(source)) {
    std::ranges::copy(start, input.begin());
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream, kGzipOnly + MAX_WBITS) != Z_OK) fail("cannot be unpacked");
    give(start.size());
  }
  ~Gzip() { inflateEnd(&stream); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void give(std::size_t bytes) {
    stream.next_in = reinterpret_cast<Bytef*>(input.data());
    stream.avail_in = static_cast<uInt>(bytes);
    packed += bytes;
  }

  std::size_t read(std::span<char> to) {
    stream.next_out = reinterpret_cast<Bytef*>(to.data());
    stream.avail_out = static_cast<uInt>(std::min(to.size(), kPieceBytes));
    const uInt room = stream.avail_out;
    while (stream.avail_out == room) {
      if (stream.avail_in == 0) {
        give(file.read(input));
        if (stream.avail_in == 0 && is_between_members) return 0;
        if (stream.avail_in == 0) fail("is truncated (the gzip stream has no end)");
      }
      is_between_members = false;
      const int code = inflate(&stream, Z_NO_FLUSH);
      if (code == Z_STREAM_END) {
        is_between_members = true;
        inflateReset(&stream);
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        fail(fmt::format("is damaged (gzip: {})", stream.msg ? stream.msg : zError(code)));
      }
    }
    unpacked += room - stream.avail_out;
    if (is_bomb(consumed(), unpacked, kHarmlessText)) {
      fail(
          "expands to more than 500 times its size; if that is intended, unpack it with gunzip "
          "first");
    }
    return room - stream.avail_out;
  }

  /// Bytes of the file that are unpacked.
  std::uint64_t consumed() const { return packed - stream.avail_in; }

  [[noreturn]] void fail(std::string_view what) const {
    throw Error(fmt::format("{}: {}", file.path().string(), what));
  }

  InputFile& file;
  std::vector<char> input;
  z_stream stream{};
  bool is_between_members = false;
  std::uint64_t packed = 0, unpacked = 0;
};

TextReader::TextReader(std::filesystem::path path, std::string_view expected)
    : file_(std::move(path)), expected_(expected), buffer_(piece_bytes(file_)) {
  while (end_ < kGzipMagic.size()) {  // a pipe may yield a byte at a time
    const std::size_t got = file_.read(std::span(buffer_).subspan(end_));
    if (got == 0) break;
    end_ += got;
  }
  bytes_read_ = static_cast<std::int64_t>(end_);
  if (text().starts_with(kGzipMagic)) {
    gzip_ = std::make_unique<Gzip>(file_, text());
    end_ = 0;
  }
  while (text().size() < kByteOrderMark.size() && read_more()) {
  }
  if (text().starts_with(kByteOrderMark)) begin_ += kByteOrderMark.size();
  if (text().find('\0') == std::string_view::npos) return;
  throw Error(fmt::format("{}: binary data, expected {}", file_.path().string(), expected_));
}

TextReader::~TextReader() = default;

bool TextReader::read_more() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= std::exchange(begin_, 0);
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= kMaxLineBytes) {
      fail(fmt::format("longer than {} bytes", kMaxLineBytes), 1);
    }
    buffer_.resize(2 * buffer_.size());
  }
  const std::size_t got = fill(std::span(buffer_).subspan(end_));
  if (std::memchr(buffer_.data() + end_, '\0', got) != nullptr) {
    throw Error(fmt::format("{}: binary data, expected {}", file_.path().string(), expected_));
  }
  end_ += got;
  if (got > 0) report_progress("reading", bytes_read_, file_.size());
  return got > 0;
}

std::size_t TextReader::fill(std::span<char> to) {
  if (gzip_) {
    const std::size_t got = gzip_->read(to);
    bytes_read_ = static_cast<std::int64_t>(gzip_->consumed());
    return got;
  }
  const std::size_t got = file_.read(to.first(std::min(to.size(), kPieceBytes)));
  bytes_read_ += static_cast<std::int64_t>(got);
  return got;
}

bool TextReader::next_line(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const std::size_t end = text().find('\n', searched);
    if (end != std::string_view::npos) {
      line = text().substr(0, end);
      begin_ += end + 1;
      break;
    }
    searched = text().size();
    if (read_more()) continue;
    line = text();
    begin_ = end_;
    if (line.empty()) return false;
    break;
  }
  ++line_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

double TextReader::share_consumed() const {
  if (file_.size() == 0) return 0;
  // The buffered text is assumed to be compressed as well as the rest of the file.
  const double unpacked = gzip_ ? static_cast<double>(gzip_->unpacked) : bytes_read_;
  const double share_left = unpacked == 0 ? 0 : static_cast<double>(end_ - begin_) / unpacked;
  return static_cast<double>(bytes_read_) / static_cast<double>(file_.size()) * (1 - share_left);
}

void TextReader::fail(std::string_view what, std::int64_t ahead) const {
  throw Error(fmt::format("{}:{}: {}", file_.path().string(), line_ + ahead, what));
}

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t count = 0; !text.empty() && count < kMaxShownChars; ++count) {
    const std::string_view before = text;
    const std::uint32_t point = take_code_point(text);
    const std::string_view character = before.substr(0, before.size() - text.size());
    const bool is_control = point < ' ' || (point >= 0x7f && point < 0xa0);
    const bool is_damaged = point >= 0x80 && character.size() == 1;
    shown += is_control || is_damaged ? "?" : character;
  }
  return text.empty() ? shown : shown + "...";
}

}  // namespace dsnn
