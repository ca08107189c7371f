// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/fd.h>
#include <base/wait_fd.h>
#include <remote/agent/ras/ras_client.h>
#include <remote/observe/nccl_ras/ras_report.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::agent {
namespace {

constexpr double kShortestGreetingS = 0.25;
constexpr double kLongestGreetingS = 2;
constexpr int kGreetings =
    8;  // connections that wait for their first line, at most; in the time of the question
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

    int fd() const { return fd_.get(); }

    bool send(std::string_view line) {
        return ::send(fd_.get(), line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
    }

    /// The answer to a command; nothing: none came, or no line.
    std::optional<std::string> ask(std::string_view command, double deadline) {
        return send(command) ? line(deadline) : std::nullopt;
    }

    /// The next line; nothing: it has not come by then, or there is none.
    std::optional<std::string> line(double deadline) {
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

    /// Reads what has arrived. false: nothing follows, or it is no line.
    bool receive_some() {
        std::array<char, kMaxLine> bytes;
        const auto got = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
        if (got > 0) {
            received_.append(bytes.data(), static_cast<std::size_t>(got));
        }
        return has_line() || (received_.size() <= kMaxLine &&
                              (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR))));
    }
    bool has_line() const { return received_.find('\n') != std::string::npos; }

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

/// Looks for a process that answers. One that is stopped accepts a connection and stays silent; one of a busy machine
/// answers late. So the first connections stay open while others are tried: whichever answers first is taken.
class Greetings {
public:
    Greetings(const RasQuestion& question, const Endpoint& endpoint, double deadline,
              const std::stop_token& stop, RasAnswer& answer)
        : endpoint_(endpoint),
          deadline_(deadline),
          stop_(stop),
          answer_(answer),
          pause_s_(std::clamp(question.within_s / kGreetings, kShortestGreetingS, kLongestGreetingS)) {}

    /// A connection whose first line has come; null: there is none, `answer.outcome` says why.
    std::unique_ptr<Dialog> next() {
        while (monotonic_s() < deadline_ && !stop_.stop_requested()) {
            if (monotonic_s() >= next_s_ && waiting_.size() < kGreetings && !dial()) {
                return nullptr;
            }
            if (auto dialog = answered()) {
                return dialog;
            }
            if (answer_.outcome == RasOutcome::NotRas) {
                return nullptr;
            }
        }
        return nullptr;
    }

private:
    bool dial() {
        // A service that closes at once would otherwise be asked without a pause.
        next_s_ = monotonic_s() + pause_s_;
        ++answer_.attempts;
        auto dialog = std::make_unique<Dialog>(stop_);
        answer_.error = dialog->connect(endpoint_, deadline_);
        if (answer_.error != 0) {
            answer_.outcome = answer_.error == ETIMEDOUT ? RasOutcome::NoAnswer : RasOutcome::Refused;
            return false;
        }
        answer_.outcome = RasOutcome::NoAnswer;
        if (dialog->send("CLIENT PROTOCOL 2\n")) {
            waiting_.push_back(std::move(dialog));
        }
        return true;
    }

    /// Waits a moment for a line of any of them.
    std::unique_ptr<Dialog> answered() {
        std::vector<pollfd> fds;
        for (const auto& dialog : waiting_) {
            fds.push_back({dialog->fd(), POLLIN, 0});
        }
        const bool full = waiting_.size() >= kGreetings;
        const double until = std::min(
            {deadline_, monotonic_s() + kStopCheckS, full ? deadline_ : std::max(next_s_, monotonic_s())});
        const int wait_ms = std::max(0, static_cast<int>(std::ceil((until - monotonic_s()) * 1e3)));
        if (::poll(fds.data(), fds.size(), wait_ms) <= 0) {
            return nullptr;
        }
        for (std::size_t i = fds.size(); i-- > 0;) {
            if (fds[i].revents == 0) {
                continue;
            }
            const bool open = waiting_[i]->receive_some();
            if (open && !waiting_[i]->has_line()) {
                continue;
            }
            std::unique_ptr<Dialog> dialog = std::move(waiting_[i]);
            waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
            if (open) {
                return dialog;
            }
            if (!dialog->take_received().empty()) {
                answer_.outcome = RasOutcome::NotRas;
                return nullptr;
            }
        }
        return nullptr;
    }

    const Endpoint& endpoint_;
    double deadline_;
    const std::stop_token& stop_;
    RasAnswer& answer_;
    double pause_s_;
    double next_s_ = 0;
    std::vector<std::unique_ptr<Dialog>> waiting_;
};

/// false: this process does not answer, another one may.
bool ask_one(const RasQuestion& question, Dialog& dialog, double deadline, RasAnswer& answer) {
    const auto greeting = dialog.line(deadline);
    if (!greeting || !greeting->starts_with("SERVER PROTOCOL ")) {
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
    Greetings greetings(question, *endpoint, deadline, stop, answer);
    for (auto dialog = greetings.next(); dialog != nullptr; dialog = greetings.next()) {
        if (ask_one(question, *dialog, deadline, answer)) {
            break;
        }
    }
    return answer;
}

}  // namespace rankscope::agent
