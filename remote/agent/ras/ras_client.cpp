// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/fd.h>
#include <base/wait_fd.h>
#include <remote/agent/ras/ras_client.h>
#include <remote/observe/nccl_ras/ras_report.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

namespace rankscope::agent {
namespace {

constexpr double kGreetingS = 1;  // a process that runs answers at once
constexpr double kStopCheckS = 0.1;
constexpr std::size_t kMaxLine = 1024;

struct Endpoint {
    sockaddr_storage storage{};
    socklen_t size = 0;
};

std::optional<Endpoint> loopback_endpoint(const std::string& address, std::uint16_t port) {
    Endpoint endpoint;
    if (auto* v4 = reinterpret_cast<sockaddr_in*>(&endpoint.storage);
        ::inet_pton(AF_INET, address.c_str(), &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        endpoint.size = sizeof(sockaddr_in);
        return (ntohl(v4->sin_addr.s_addr) >> 24U) == 127 ? std::optional(endpoint) : std::nullopt;
    }
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&endpoint.storage);
    if (::inet_pton(AF_INET6, address.c_str(), &v6->sin6_addr) != 1 ||
        !IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr)) {
        return std::nullopt;
    }
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    endpoint.size = sizeof(sockaddr_in6);
    return endpoint;
}

/// One connection. RAS answers one line to each command, and closes after a report.
class Dialog {
public:
    explicit Dialog(const std::stop_token& stop) : stop_(stop) {}

    /// errno; 0: connected.
    int connect(const Endpoint& endpoint, double deadline) {
        fd_.reset(::socket(endpoint.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (!fd_) {
            return errno;
        }
        if (::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&endpoint.storage), endpoint.size) == 0) {
            return 0;
        }
        if (errno != EINPROGRESS) {
            return errno;
        }
        if (!wait_for(POLLOUT, deadline)) {
            return ETIMEDOUT;
        }
        int error = 0;
        socklen_t size = sizeof error;
        return ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
    }

    bool send(std::string_view line) {
        return ::send(fd_.get(), line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
    }

    /// The answer to a command; nothing: none came, or no line.
    std::optional<std::string> ask(std::string_view command, double deadline) {
        if (!send(command)) {
            return std::nullopt;
        }
        for (;;) {
            const std::size_t end = received_.find('\n');
            if (end != std::string::npos) {
                std::string line = received_.substr(0, end);
                received_.erase(0, end + 1);
                return line;
            }
            if (received_.size() > kMaxLine || !receive(deadline)) {
                return std::nullopt;
            }
        }
    }

    /// Until RAS closes the connection, refuses the question, or the time is over.
    void read_report(double deadline) {
        while (received_.size() < kMaxRasAnswer && !denied() && receive(deadline)) {
        }
    }

    bool denied() const {
        return (received_.starts_with("ERROR: ") || received_.starts_with("BUSY: ")) &&
               received_.ends_with('\n');
    }
    bool closed() const { return closed_; }
    std::string take_received() { return std::move(received_); }

private:
    bool wait_for(short events, double deadline) {
        while (!stop_.stop_requested() && monotonic_s() < deadline) {
            if (wait_fd(fd_.get(), events, std::min(deadline, monotonic_s() + kStopCheckS))) {
                return true;
            }
        }
        return false;
    }

    bool receive(double deadline) {
        std::array<char, 65536> bytes;
        while (wait_for(POLLIN, deadline)) {
            const auto got = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
            if (got > 0) {
                received_.append(bytes.data(), static_cast<std::size_t>(got));
                return true;
            }
            if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
                closed_ = got == 0;
                return false;
            }
        }
        return false;
    }

    const std::stop_token& stop_;
    UniqueFd fd_;
    std::string received_;
    bool closed_ = false;
};

/// false: this process does not answer, another one may.
bool ask_one(const RasQuestion& question, const Endpoint& endpoint, double deadline,
             const std::stop_token& stop, RasAnswer& answer) {
    Dialog dialog(stop);
    answer.error = dialog.connect(endpoint, deadline);
    if (answer.error != 0) {
        answer.outcome = answer.error == ETIMEDOUT ? RasOutcome::NoAnswer : RasOutcome::Refused;
        return true;
    }
    answer.outcome = RasOutcome::NoAnswer;
    const double greeting_deadline = std::min(deadline, monotonic_s() + kGreetingS);
    const auto greeting = dialog.ask("CLIENT PROTOCOL 2\n", greeting_deadline);
    if (!greeting) {
        if (!dialog.take_received().empty()) {
            answer.outcome = RasOutcome::NotRas;
            return true;
        }
        return false;
    }
    if (!greeting->starts_with("SERVER PROTOCOL ")) {
        answer.outcome = RasOutcome::NotRas;
        return true;
    }
    // Less than we wait ourselves: a report without the silent processes is better than none.
    const int timeout = std::max(1, static_cast<int>((deadline - monotonic_s()) / 2));
    const auto timeout_set = dialog.ask("TIMEOUT " + std::to_string(timeout) + "\n", deadline);
    const auto json_set = timeout_set ? dialog.ask("SET FORMAT json\n", deadline) : std::nullopt;
    if (!json_set) {
        return false;
    }
    if (*json_set != "OK" && !question.text) {
        answer.outcome = RasOutcome::NoJson;
        return true;
    }
    if (!dialog.send("VERBOSE STATUS\n")) {
        return false;
    }
    dialog.read_report(deadline);
    answer.complete = dialog.closed();
    const bool denied = dialog.denied();
    answer.text = dialog.take_received();
    if (answer.text.empty()) {
        return false;
    }
    answer.outcome = denied ? RasOutcome::Denied : RasOutcome::Answered;
    return true;
}

}  // namespace

RasAnswer ask_ras(const RasQuestion& question, const std::stop_token& stop) {
    RasAnswer answer;
    const auto endpoint = loopback_endpoint(question.address, question.port);
    if (!endpoint) {
        answer.outcome = RasOutcome::NotLoopback;
        return answer;
    }
    const double deadline = monotonic_s() + question.within_s;
    while (monotonic_s() < deadline && !stop.stop_requested()) {
        ++answer.attempts;
        if (ask_one(question, *endpoint, deadline, stop, answer)) {
            break;
        }
        // A service that closes at once would otherwise be asked without a pause.
        sleep_s(std::clamp(deadline - monotonic_s(), 0.0, 0.05));
    }
    return answer;
}

}  // namespace rankscope::agent
