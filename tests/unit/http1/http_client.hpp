#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/support/run_task.hpp"

namespace sluice::http1 {

struct Answer {
  unsigned status = 0;  ///< 0: the connection ended before an answer.
  std::map<std::string, std::string, std::less<>> fields;
  std::string body;
};

/// A client that sends what it is told, byte for byte, and waits no longer than test::kPatience.
class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~HttpClient() { close(); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  [[nodiscard]] bool is_connected() const noexcept { return is_connected_; }

  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

  /// False if the server has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t size = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (size <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
  }

  /// The next answer. `has_content`: false for answers to HEAD.
  Answer receive(bool has_content = true) {
    Answer answer;
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive_more()) return {};
    }
    parse_head(received_.substr(0, end), answer);
    received_.erase(0, end + 4);
    const auto length = answer.fields.find("content-length");
    if (!has_content || length == answer.fields.end()) return answer;
    const std::size_t size = std::stoul(length->second);
    while (received_.size() < size) {
      if (!receive_more()) return {};
    }
    answer.body = received_.substr(0, size);
    received_.erase(0, size);
    return answer;
  }

  Answer ask(std::string_view request) {
    send(request);
    return receive();
  }

  /// True once the server has closed and nothing more is to be read.
  bool is_closed_by_server() {
    while (received_.empty()) {
      if (!receive_more()) return true;
    }
    return false;
  }

 private:
  bool receive_more() {
    pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
    const auto patience = std::chrono::milliseconds(test::kPatience).count();
    if (::poll(&waiting, 1, static_cast<int>(patience)) != 1) {
      ADD_FAILURE() << "the server says nothing";
      return false;
    }
    char bytes[16'384];
    const ssize_t size = ::recv(socket_, bytes, sizeof(bytes), 0);
    if (size <= 0) return false;
    received_.append(bytes, static_cast<std::size_t>(size));
    return true;
  }

  static void parse_head(const std::string& head, Answer& answer) {
    answer.status = static_cast<unsigned>(std::stoul(head.substr(9, 3)));
    std::size_t line = head.find("\r\n");
    while (line != std::string::npos) {
      const std::size_t begin = line + 2;
      line = head.find("\r\n", begin);
      const std::string field = head.substr(begin, line - begin);
      const std::size_t colon = field.find(": ");
      std::string name = field.substr(0, colon);
      for (char& c : name) c = static_cast<char>(std::tolower(c));
      answer.fields[name] = field.substr(colon + 2);
    }
  }

  int socket_;
  bool is_connected_ = false;
  std::string received_;
};

}  // namespace sluice::http1
