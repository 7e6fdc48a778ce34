#include "fetch/transfer.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"
#include "dsnn/version.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <curl/curl.h>
#include <memory>
#include <optional>
#include <string_view>

namespace dsnn {
namespace {

using Clock = std::chrono::steady_clock;
using Outcome = TransferResult::Outcome;

constexpr int kMaxRedirections = 5;
constexpr int kPollMilliseconds = 100;
constexpr std::int64_t kMaxErrorPageBytes = std::int64_t{1} << 20;
constexpr long kOk = 200, kPartialContent = 206, kRequestTimeout = 408, kRangeNotSatisfiable = 416,
               kTooManyRequests = 429, kServerError = 500;

struct EasyCloser {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct MultiCloser {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

/// A file open for appending; the destructor closes it.
class PartFile {
 public:
  explicit PartFile(const std::filesystem::path& path) : path_(path) {
    // Does not follow links: the bytes must stay in this folder.
    fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    size_ = fd_ < 0 ? -1 : ::lseek(fd_, 0, SEEK_END);
    if (size_ >= 0) return;
    const int reason = errno;
    if (fd_ >= 0) ::close(fd_);
    throw Error(fmt::format("{}: cannot write: {}", path.string(), std::strerror(reason)));
  }
  ~PartFile() { ::close(fd_); }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  std::int64_t size() const { return size_; }

  /// False on failure; fail() says why.
  bool append(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        error_ = errno;
        return false;
      }
      bytes.remove_prefix(static_cast<std::size_t>(written));
      size_ += written;
    }
    return true;
  }
  bool clear() {
    if (::ftruncate(fd_, 0) == 0 && ::lseek(fd_, 0, SEEK_SET) == 0) {
      size_ = 0;
      return true;
    }
    error_ = errno;
    return false;
  }
  void sync() {
    if (::fsync(fd_) != 0) error_ = errno;
    check();
  }
  void check() const {
    if (error_ == 0) return;
    throw Error(fmt::format("{}: cannot write: {}", path_.string(), std::strerror(error_)));
  }

 private:
  std::filesystem::path path_;
  int fd_ = -1;
  std::int64_t size_ = 0;
  int error_ = 0;
};

/// The state shared with libcurl's callbacks, which must not throw and report errors here.
struct Response {
  CURL* easy = nullptr;
  PartFile* file = nullptr;
  std::int64_t max_bytes = 0;
  std::int64_t received = 0;
  std::optional<std::int64_t> range_start = {}, whole_size = {};  // of Content-Range
  bool has_started = false;
  bool is_too_long = false;
  bool has_wrong_range = false;

  long code() const {
    long value = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &value);
    return value;
  }

  bool on_bytes(std::string_view bytes) {
    received += static_cast<std::int64_t>(bytes.size());
    const long status = code();
    // Ignores the pages of errors and redirections.
    if (status != kOk && status != kPartialContent) return received <= kMaxErrorPageBytes;
    if (!has_started) {
      has_started = true;
      // 200 means the whole file, regardless of the requested range.
      if (status == kOk && !file->clear()) return false;
      has_wrong_range = status == kPartialContent && range_start != file->size();
      if (has_wrong_range) return false;
    }
    is_too_long = file->size() + static_cast<std::int64_t>(bytes.size()) > max_bytes;
    return !is_too_long && file->append(bytes);
  }

  // "Content-Range: bytes 100-199/200" or "bytes */200"
  void on_header(std::string_view line) {
    constexpr std::string_view kName = "content-range:";
    if (line.size() < kName.size()) return;
    for (std::size_t i = 0; i < kName.size(); ++i) {
      const char c = line[i];
      if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != kName[i]) return;
    }
    const auto number_at = [&](std::size_t place) -> std::optional<std::int64_t> {
      std::int64_t value = 0;
      const auto [stop, error] =
          std::from_chars(line.data() + place, line.data() + line.size(), value);
      return error == std::errc() ? std::optional(value) : std::nullopt;
    };
    const std::size_t unit = line.find("bytes ");
    const std::size_t slash = line.find('/');
    if (unit != std::string_view::npos) range_start = number_at(unit + 6);
    if (slash != std::string_view::npos) whole_size = number_at(slash + 1);
  }
};

std::size_t on_bytes(char* data, std::size_t size, std::size_t count, void* response) {
  const std::string_view bytes(data, size * count);
  return static_cast<Response*>(response)->on_bytes(bytes) ? bytes.size() : bytes.size() + 1;
}

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* response) {
  static_cast<Response*>(response)->on_header({data, size * count});
  return size * count;
}

class Request {
 public:
  Request(const TransferRequest& request, const FetchOptions& options)
      : request_(request), options_(options), file_(request.part) {
    static const CURLcode global = curl_global_init(CURL_GLOBAL_DEFAULT);
    easy_.reset(curl_easy_init());
    multi_.reset(curl_multi_init());
    if (global != CURLE_OK || !easy_ || !multi_) throw Error("libcurl cannot be started");
  }
  ~Request() { curl_multi_remove_handle(multi_.get(), easy_.get()); }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  TransferResult run() {
    std::string url = request_.url;
    for (int redirections = 0;; ++redirections) {
      TransferResult result = get(url);
      file_.check();
      char* target = nullptr;
      curl_easy_getinfo(easy_.get(), CURLINFO_REDIRECT_URL, &target);
      if (result.outcome != Outcome::kComplete || target == nullptr) {
        file_.sync();
        return result;
      }
      const std::string next = target;
      if (redirections == kMaxRedirections) {
        return {Outcome::kRefused, fmt::format("more than {} redirections", kMaxRedirections)};
      }
      if (!may_follow(url, next)) {
        return {Outcome::kRefused, fmt::format("a redirection to {}, which is not followed", next)};
      }
      url = next;
    }
  }

 private:
  TransferResult get(const std::string& url) {
    response_ = {.easy = easy_.get(), .file = &file_, .max_bytes = request_.max_bytes};
    start_size_ = file_.size();
    set_options(url);
    curl_multi_add_handle(multi_.get(), easy_.get());
    const std::optional<CURLcode> code = perform();
    curl_multi_remove_handle(multi_.get(), easy_.get());
    if (!code) {
      return {Outcome::kRetry, fmt::format("no data received for {} s",
                                           std::chrono::duration<double>(options_.stall).count())};
    }
    return judge(*code);
  }

  void set_options(const std::string& url) {
    CURL* const easy = easy_.get();
    curl_easy_reset(easy);
    curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);  // do not wait for a slow name server
#endif
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "dsnn/" DSNN_VERSION);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     static_cast<long>(options_.connect_timeout.count()));
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text_.data());
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &response_);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, &response_);
    error_text_[0] = '\0';
    if (start_size_ > 0) {
      curl_easy_setopt(easy, CURLOPT_RANGE, fmt::format("{}-", start_size_).c_str());
    }
  }

  /// libcurl's result; nothing if the server stalls.
  std::optional<CURLcode> perform() {
    Clock::time_point last_byte = Clock::now();
    std::int64_t received = 0;
    for (;;) {
      int running = 0;
      if (curl_multi_perform(multi_.get(), &running) != CURLM_OK) {
        throw Error(fmt::format("{}: libcurl failed", request_.url));
      }
      report();
      if (running == 0) break;
      if (response_.received != received) {
        received = response_.received;
        last_byte = Clock::now();
      }
      // The connection has a separate time limit.
      if (Clock::now() - last_byte > options_.stall && is_connected()) return std::nullopt;
      curl_multi_poll(multi_.get(), nullptr, 0, kPollMilliseconds, nullptr);
    }
    int left = 0;
    const CURLMsg* message = curl_multi_info_read(multi_.get(), &left);
    return message == nullptr ? CURLE_RECV_ERROR : message->data.result;
  }

  bool is_connected() const {
    curl_off_t microseconds = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_CONNECT_TIME_T, &microseconds);
    return microseconds > 0;
  }

  void report() const {
    if (is_cancel_requested()) throw Cancelled();
    const std::int64_t left = content_length();
    request_.on_progress(file_.size(), response_.has_started && left > 0
                                           ? left + (response_.range_start ? start_size_ : 0)
                                           : 0);
  }

  /// -1: not given by the server.
  std::int64_t content_length() const {
    curl_off_t length = -1;
    curl_easy_getinfo(easy_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    return length;
  }

  TransferResult judge(CURLcode code) {
    file_.check();
    const long status = response_.code();
    if (response_.is_too_long) {
      file_.clear();  // the content is not as expected
      return {Outcome::kRefused,
              fmt::format("it is longer than the expected {} bytes", request_.max_bytes)};
    }
    if (response_.has_wrong_range) {
      file_.clear();  // start again with the next attempt
      return {Outcome::kRetry, "the server sent a different part of the file than requested"};
    }
    switch (code) {
      case CURLE_OK:
        break;
      case CURLE_COULDNT_RESOLVE_HOST:
      case CURLE_COULDNT_RESOLVE_PROXY:
      case CURLE_COULDNT_CONNECT:
        return {Outcome::kUnreachable, reason(code)};
      case CURLE_OPERATION_TIMEDOUT:
        return {is_connected() ? Outcome::kRetry : Outcome::kUnreachable, reason(code)};
      case CURLE_PARTIAL_FILE:
      case CURLE_RECV_ERROR:
      case CURLE_SEND_ERROR:
      case CURLE_GOT_NOTHING:
      case CURLE_HTTP2:
      case CURLE_HTTP2_STREAM:
        return {Outcome::kRetry, reason(code)};
      default:
        return {Outcome::kRefused, reason(code)};
    }
    return judge_status(status);
  }

  TransferResult judge_status(long status) {
    if (status == kOk && !response_.has_started) file_.clear();  // an empty file
    if (status == kRangeNotSatisfiable && start_size_ > 0) {
      if (response_.whole_size == start_size_) return {Outcome::kNothingLeft};
      file_.clear();
      return {Outcome::kRetry, "the file on the server is shorter than the existing download"};
    }
    if (status >= kServerError || status == kRequestTimeout || status == kTooManyRequests) {
      return {Outcome::kRetry, fmt::format("the server answered with code {}", status)};
    }
    if (status >= 400) {
      return {Outcome::kRefused, fmt::format("the server answered with code {}", status)};
    }
    return {.outcome = Outcome::kComplete, .knows_its_length = content_length() >= 0};
  }

  std::string reason(CURLcode code) const {
    return error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(code);
  }

  const TransferRequest& request_;
  const FetchOptions& options_;
  PartFile file_;
  Response response_;
  std::int64_t start_size_ = 0;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
  std::unique_ptr<CURLM, MultiCloser> multi_;
  std::unique_ptr<CURL, EasyCloser> easy_;
};

}  // namespace

TransferResult transfer(const TransferRequest& request, const FetchOptions& options) {
  return Request(request, options).run();
}

}  // namespace dsnn
