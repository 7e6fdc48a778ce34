#pragma once

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <netinet/in.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace dsnn::testing {

/// The request of a client.
struct HttpRequest {
  std::string path;
  std::string range;  ///< the value of the header, "bytes=100-"; empty if missing
};

/// The reply of the server. The body is the whole file, of which the requested range is sent.
struct HttpReply {
  std::string body = {};
  int code = 200;  ///< replaced by 206 if a range was requested
  std::string location = {};
  std::optional<std::size_t> cut_after = {};    ///< closes the connection after this many bytes
  std::optional<std::size_t> stall_after = {};  ///< stops sending after this many bytes
  bool ignores_range = false;
  bool shifts_range = false;  ///< sends a different part than requested
  bool has_length = true;
  std::chrono::milliseconds pause{0};  ///< before every hundred bytes
};

/// A scripted HTTP server on the loopback interface for one client at a time.
class LoopbackServer {
 public:
  /// `handler` gets the request and the number of earlier requests.
  using Handler = std::function<HttpReply(const HttpRequest&, std::size_t)>;

  explicit LoopbackServer(Handler handler) : handler_(std::move(handler)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (listener_ < 0 || ::bind(listener_, generic, length) != 0 || ::listen(listener_, 8) != 0 ||
        ::getsockname(listener_, generic, &length) != 0) {
      throw std::runtime_error("cannot listen");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~LoopbackServer() {
    is_stopping_ = true;
    thread_.join();
    ::close(listener_);
  }
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::string url() const { return fmt::format("http://127.0.0.1:{}", port_); }

  std::vector<HttpRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  static constexpr int kPollMilliseconds = 5;

  // Until there is something to read, or the test ends.
  bool wait_for(int fd) const {
    pollfd waiting = {fd, POLLIN, 0};
    while (!is_stopping_) {
      if (::poll(&waiting, 1, kPollMilliseconds) > 0) return true;
    }
    return false;
  }

  void serve() {
    while (wait_for(listener_)) {
      const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      answer(client);
      ::close(client);
    }
  }

  void answer(int client) {
    std::string head;
    while (head.find("\r\n\r\n") == std::string::npos) {
      char buffer[4096];
      if (!wait_for(client)) return;
      const ssize_t got = ::recv(client, buffer, sizeof(buffer), 0);
      if (got <= 0) return;
      head.append(buffer, static_cast<std::size_t>(got));
    }
    HttpRequest request;
    request.path = head.substr(4, head.find(' ', 4) - 4);
    const std::string name = "\r\nRange: ";
    if (const std::size_t begin = head.find(name); begin != std::string::npos) {
      request.range =
          head.substr(begin + name.size(), head.find("\r\n", begin + 2) - begin - name.size());
    }
    std::size_t number = 0;
    {
      const std::lock_guard lock(mutex_);
      number = requests_.size();
      requests_.push_back(request);
    }
    send_reply(client, request, handler_(request, number));
  }

  void send_reply(int client, const HttpRequest& request, HttpReply reply) {
    std::string head;
    if (!request.range.empty() && reply.code == 200 && !reply.ignores_range) {
      const std::size_t whole = reply.body.size();
      std::size_t begin = std::stoul(request.range.substr(6)) + (reply.shifts_range ? 1 : 0);
      if (begin >= whole) {
        reply.code = 416;
        reply.body.clear();
        head += fmt::format("Content-Range: bytes */{}\r\n", whole);
      } else {
        reply.code = 206;
        reply.body.erase(0, begin);
        head += fmt::format("Content-Range: bytes {}-{}/{}\r\n", begin, whole - 1, whole);
      }
    }
    if (!reply.location.empty()) head += "Location: " + reply.location + "\r\n";
    if (reply.has_length) head += fmt::format("Content-Length: {}\r\n", reply.body.size());
    if (!send_all(client,
                  fmt::format("HTTP/1.1 {} X\r\nConnection: close\r\n{}\r\n", reply.code, head))) {
      return;
    }
    std::string_view body = reply.body;
    if (reply.cut_after) body = body.substr(0, *reply.cut_after);
    if (reply.stall_after) body = body.substr(0, *reply.stall_after);
    if (reply.pause.count() == 0) {
      send_all(client, body);
    } else {
      constexpr std::size_t kPiece = 100;
      while (!body.empty() && !is_stopping_ && send_all(client, body.substr(0, kPiece))) {
        body.remove_prefix(std::min(kPiece, body.size()));
        std::this_thread::sleep_for(reply.pause);
      }
    }
    if (reply.stall_after) wait_for(client);  // which becomes readable when the client hangs up
  }

  static bool send_all(int client, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  Handler handler_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> is_stopping_{false};
  mutable std::mutex mutex_;
  std::vector<HttpRequest> requests_;
  std::thread thread_;
};

}  // namespace dsnn::testing
