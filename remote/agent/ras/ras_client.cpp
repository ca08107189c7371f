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

constexpr double kShortestPatienceS = 0.25;
constexpr double kLongestPatienceS = 2;
constexpr int kMostTalks = 8;   // connections at once; in the time of the question
constexpr double kReportS = 6;  // RAS waits five seconds for a process that does not answer it
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
class Talk {
public:
    /// `patience_s`: for a line; `report_s`: that RAS may wait for processes which do not answer it.
    Talk(bool text, double patience_s, double report_s)
        : text_(text), patience_s_(patience_s), report_s_(report_s) {}

    /// errno; 0: connected.
    int connect(const Endpoint& endpoint, double deadline, const std::stop_token& stop) {
        fd_.reset(::socket(endpoint.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (!fd_) {
            return errno;
        }
        if (::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&endpoint.storage), endpoint.size) != 0) {
            if (errno != EINPROGRESS) {
                return errno;
            }
            while (!wait_fd(fd_.get(), POLLOUT, std::min(deadline, monotonic_s() + kStopCheckS))) {
                if (stop.stop_requested() || monotonic_s() >= deadline) {
                    return ETIMEDOUT;
                }
            }
            int error = 0;
            socklen_t size = sizeof error;
            if (::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) {
                return error != 0 ? error : errno;
            }
        }
        send("CLIENT PROTOCOL 2\n", Stage::Greeting);
        return 0;
    }

    int fd() const { return fd_.get(); }

    /// Whether it is time to try another process: this one may have been stopped at any point of the talk.
    bool is_late(double now) const { return now >= patient_until_; }

    /// Reads what has arrived and asks the next question.
    void proceed() {
        std::array<char, 65536> bytes;
        const auto got = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        }
        if (got > 0) {
            received_.append(bytes.data(), static_cast<std::size_t>(got));
            patient_until_ = monotonic_s() + patience_s_;
        }
        closed_ = got <= 0;
        complete_ = got == 0;
        while (stage_ < Stage::Report && !outcome_ && received_.find('\n') != std::string::npos) {
            const std::size_t end = received_.find('\n');
            const std::string line = received_.substr(0, end);
            received_.erase(0, end + 1);
            answer_to(line);
        }
        if (stage_ == Stage::Report && !outcome_) {
            const bool denied = (received_.starts_with("ERROR: ") || received_.starts_with("BUSY: ")) &&
                                received_.ends_with('\n');
            if (denied) {
                outcome_ = RasOutcome::Denied;
            } else if ((closed_ && !received_.empty()) || received_.size() >= kMaxRasAnswer) {
                outcome_ = RasOutcome::Answered;
            }
        } else if (!outcome_ && (received_.size() > kMaxLine || (closed_ && !received_.empty()))) {
            outcome_ = RasOutcome::NotRas;
        }
    }

    /// Absent: it has not ended.
    const std::optional<RasOutcome>& outcome() const { return outcome_; }
    bool closed() const { return closed_; }
    bool complete() const { return complete_; }
    /// Of the report, which may not be whole.
    bool has_report() const { return stage_ == Stage::Report && !received_.empty(); }
    std::string take_report() { return stage_ == Stage::Report ? std::move(received_) : std::string(); }

private:
    enum class Stage { Greeting, Timeout, Format, Report };

    void send(std::string_view line, Stage next) {
        stage_ = next;
        patient_until_ =
            monotonic_s() + patience_s_ + (next == Stage::Report ? std::min(report_s_, kReportS) : 0);
        if (::send(fd_.get(), line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size())) {
            closed_ = true;
        }
    }

    void answer_to(const std::string& line) {
        switch (stage_) {
            case Stage::Greeting:
                if (!line.starts_with("SERVER PROTOCOL ")) {
                    outcome_ = RasOutcome::NotRas;
                    return;
                }
                // Less than we wait ourselves: a report without the silent processes is better than none.
                send("TIMEOUT " + std::to_string(std::max(1, static_cast<int>(report_s_))) + "\n",
                     Stage::Timeout);
                return;
            case Stage::Timeout:
                send("SET FORMAT json\n", Stage::Format);
                return;
            case Stage::Format:
                if (line != "OK" && !text_) {
                    outcome_ = RasOutcome::NoJson;
                    return;
                }
                send("VERBOSE STATUS\n", Stage::Report);
                return;
            case Stage::Report:
                return;
        }
    }

    bool text_;
    double patience_s_;
    double report_s_;
    UniqueFd fd_;
    Stage stage_ = Stage::Greeting;
    double patient_until_ = 0;
    std::string received_;
    std::optional<RasOutcome> outcome_;
    bool closed_ = false;
    bool complete_ = false;
};

/// Looks for a process that answers. One that is stopped accepts a connection and stays silent, or falls silent when it
/// is stopped later; one of a busy machine answers late. So the first connections stay open while others are tried:
/// whichever ends first is taken.
class Talks {
public:
    Talks(const RasQuestion& question, const Endpoint& endpoint, const std::stop_token& stop,
          RasAnswer& answer)
        : question_(question),
          endpoint_(endpoint),
          stop_(stop),
          answer_(answer),
          deadline_(monotonic_s() + question.within_s),
          pause_s_(std::clamp(question.within_s / kMostTalks, kShortestPatienceS, kLongestPatienceS)) {}

    void ask() {
        while (monotonic_s() < deadline_ && !stop_.stop_requested()) {
            if (wants_another() && !dial()) {
                return;
            }
            if (read_some()) {
                return;
            }
        }
        for (const auto& talk : talks_) {
            if (talk->has_report()) {
                take(*talk, RasOutcome::Answered);
                return;
            }
        }
    }

private:
    bool wants_another() const {
        const double now = monotonic_s();
        return now >= next_s_ && talks_.size() < kMostTalks &&
               std::all_of(talks_.begin(), talks_.end(),
                           [now](const auto& talk) { return talk->is_late(now); });
    }

    /// false: there is no process to talk to.
    bool dial() {
        // A service that closes at once would otherwise be asked without a pause.
        next_s_ = monotonic_s() + pause_s_;
        ++answer_.attempts;
        auto talk = std::make_unique<Talk>(question_.text, pause_s_, (deadline_ - monotonic_s()) / 2);
        answer_.error = talk->connect(endpoint_, deadline_, stop_);
        if (answer_.error != 0) {
            answer_.outcome = answer_.error == ETIMEDOUT ? RasOutcome::NoAnswer : RasOutcome::Refused;
            return false;
        }
        answer_.outcome = RasOutcome::NoAnswer;
        if (!talk->closed()) {
            talks_.push_back(std::move(talk));
        }
        return true;
    }

    /// Waits a moment for a word of any of them. true: one has ended with an answer.
    bool read_some() {
        std::vector<pollfd> fds;
        for (const auto& talk : talks_) {
            fds.push_back({talk->fd(), POLLIN, 0});
        }
        const double now = monotonic_s();
        const double until = std::min(deadline_, now + kStopCheckS);
        const int wait_ms = std::max(0, static_cast<int>(std::ceil((until - now) * 1e3)));
        if (::poll(fds.data(), fds.size(), wait_ms) <= 0) {
            return false;
        }
        for (std::size_t i = fds.size(); i-- > 0;) {
            if (fds[i].revents == 0) {
                continue;
            }
            Talk& talk = *talks_[i];
            talk.proceed();
            if (talk.outcome()) {
                take(talk, *talk.outcome());
                return true;
            }
            if (talk.closed()) {
                talks_.erase(talks_.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
        return false;
    }

    void take(Talk& talk, RasOutcome outcome) {
        answer_.outcome = outcome;
        answer_.complete = talk.complete();
        answer_.text = talk.take_report();
    }

    const RasQuestion& question_;
    const Endpoint& endpoint_;
    const std::stop_token& stop_;
    RasAnswer& answer_;
    double deadline_;
    double pause_s_;
    double next_s_ = 0;
    std::vector<std::unique_ptr<Talk>> talks_;
};

}  // namespace

RasAnswer ask_ras(const RasQuestion& question, const std::stop_token& stop) {
    RasAnswer answer;
    const auto endpoint = loopback_endpoint(question.address, question.port);
    if (!endpoint) {
        answer.outcome = RasOutcome::NotLoopback;
        return answer;
    }
    Talks(question, *endpoint, stop, answer).ask();
    return answer;
}

}  // namespace rankscope::agent
