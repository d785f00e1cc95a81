#pragma once

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace hwgcn::testing {

/// A web server on 127.0.0.1 for tests, one request at a time: `answer` maps the requested path to the raw
/// bytes of the response, after which the connection is closed, or left open and silent if `stalling` is set.
class HttpServer {
  public:
    using Answer = std::function<std::string(const std::string& path)>;

    explicit HttpServer(Answer answer, bool stalling = false)
        : answer_(std::move(answer)), stalling_(stalling), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 16) != 0 ||
            ::getsockname(listener_, generic, &size) != 0)
            throw std::runtime_error("cannot listen on 127.0.0.1");
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    ~HttpServer() {
        stop_ = true;
        thread_.join();
        ::close(listener_);
    }
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    std::string url() const { return fmt::format("http://127.0.0.1:{}", port_); }
    int requests() const { return requests_; }

    /// A complete response.
    static std::string response(const std::string& status, const std::string& body,
                                const std::string& headers = "") {
        return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n{}", status,
                           body.size(), headers, body);
    }
    static std::string ok(const std::string& body) { return response("200 OK", body); }

  private:
    // True once there is something to read; false when the server is to stop.
    bool wait_for_input(int socket) const {
        pollfd waiting{socket, POLLIN, 0};
        while (!stop_) {
            if (::poll(&waiting, 1, 20) > 0) return true;
        }
        return false;
    }

    void serve() {
        while (wait_for_input(listener_)) {
            const int client = ::accept(listener_, nullptr, nullptr);
            if (client < 0) continue;
            handle(client);
            ::close(client);
        }
    }

    void handle(int client) {
        std::string request;
        while (request.find("\r\n\r\n") == std::string::npos) {
            char buffer[4096];
            const ssize_t count = wait_for_input(client) ? ::recv(client, buffer, sizeof buffer, 0) : 0;
            if (count <= 0) return;
            request.append(buffer, static_cast<std::size_t>(count));
        }
        ++requests_;
        const std::size_t begin = request.find(' ') + 1;
        const std::string bytes = answer_(request.substr(begin, request.find(' ', begin) - begin));
        for (std::size_t sent = 0; sent < bytes.size();) {
            const ssize_t count = ::send(client, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
            if (count <= 0) return;
            sent += static_cast<std::size_t>(count);
        }
        if (stalling_) wait_for_input(client);  // until the client gives up
    }

    Answer answer_;
    bool stalling_;
    int listener_;
    int port_ = 0;
    std::atomic<int> requests_{0};
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

}  // namespace hwgcn::testing
