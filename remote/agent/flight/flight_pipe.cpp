// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/fd.h>
#include <base/wait_fd.h>
#include <remote/agent/flight/flight_pipe.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <tuple>

namespace rankscope::agent {
namespace {

constexpr double kPoll = 0.05;

/// What changes when a file is written again.
using Stamp = std::tuple<ino_t, std::int64_t, long, off_t>;

std::optional<Stamp> stamp_of(const std::filesystem::path& file) {
    struct stat state {};
    if (::stat(file.c_str(), &state) != 0 || !S_ISREG(state.st_mode)) {
        return std::nullopt;
    }
    return Stamp(state.st_ino, state.st_mtim.tv_sec, state.st_mtim.tv_nsec, state.st_size);
}

/// Any byte is the question. Opened without waiting for a reader.
FlightOutcome ask(const FlightPlace& place) {
    const UniqueFd pipe(::open(place.pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
    struct stat state {};
    if (!pipe || ::fstat(pipe.get(), &state) != 0 || !S_ISFIFO(state.st_mode)) {
        return !pipe && errno == ENXIO ? FlightOutcome::NoReader : FlightOutcome::NoPipe;
    }
    // A full pipe holds the question already.
    return ::write(pipe.get(), "1", 1) == 1 || errno == EAGAIN ? FlightOutcome::NoDump
                                                               : FlightOutcome::NoReader;
}

/// The last byte of a pickle or of a JSON text: it is written to its end.
bool ends_well(const std::string& bytes) {
    const auto last = bytes.find_last_not_of("\r\n ");
    return last != std::string::npos && (bytes[last] == '.' || bytes[last] == '}');
}

void read_dump(const std::filesystem::path& file, FlightFile& flight) {
    flight.bytes.clear();
    flight.truncated = true;
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat state {};
    if (!fd || ::fstat(fd.get(), &state) != 0 || !S_ISREG(state.st_mode)) {
        return;
    }
    flight.bytes.resize(std::min(static_cast<std::size_t>(state.st_size), kMostFlightBytes));
    std::size_t done = 0;
    while (done < flight.bytes.size()) {
        const auto got = ::read(fd.get(), flight.bytes.data() + done, flight.bytes.size() - done);
        if (got <= 0) {
            break;
        }
        done += static_cast<std::size_t>(got);
    }
    flight.bytes.resize(done);
    flight.truncated = static_cast<std::size_t>(state.st_size) > done || !ends_well(flight.bytes);
}

/// A file that PyTorch may write to.
struct Dump {
    std::filesystem::path file;
    std::optional<Stamp> before;
    std::optional<Stamp> seen;  ///< at the last poll: a file that grows is being written
};

struct Question {
    explicit Question(const FlightPlace& place) {
        for (const auto& file : place.dumps) {
            dumps.push_back({file, stamp_of(file), {}});
        }
        flight.rank = place.rank;
        flight.outcome = ask(place);
        open = flight.outcome == FlightOutcome::NoDump;
    }

    std::vector<Dump> dumps;
    FlightFile flight;
    bool open = false;
};

void poll(Question& question) {
    for (auto& dump : question.dumps) {
        const auto now = stamp_of(dump.file);
        if (!now || now == dump.before || now != dump.seen) {
            dump.seen = now;
            continue;
        }
        read_dump(dump.file, question.flight);
        question.flight.outcome = FlightOutcome::Dumped;
        question.open = question.flight.truncated && question.flight.bytes.size() < kMostFlightBytes;
        return;
    }
}

/// The newest of those that were there before.
void read_old(Question& question) {
    const Dump* newest = nullptr;
    const auto written = [](const Dump& dump) {
        return std::tuple(std::get<1>(*dump.before), std::get<2>(*dump.before));
    };
    for (const auto& dump : question.dumps) {
        if (dump.before && (newest == nullptr || written(*newest) < written(dump))) {
            newest = &dump;
        }
    }
    if (newest != nullptr) {
        read_dump(newest->file, question.flight);
        question.flight.outcome = FlightOutcome::Old;
    }
}

}  // namespace

std::vector<FlightFile> dump_flights(const std::vector<FlightPlace>& places, double seconds,
                                     const std::stop_token& stop) {
    std::vector<Question> questions(places.begin(), places.end());
    const double deadline = monotonic_s() + seconds;
    const auto open = [](const Question& question) { return question.open; };
    while (std::any_of(questions.begin(), questions.end(), open) && monotonic_s() < deadline &&
           !stop.stop_requested()) {
        sleep_s(kPoll);
        for (auto& question : questions) {
            if (question.open) {
                poll(question);
            }
        }
    }
    std::vector<FlightFile> flights;
    for (auto& question : questions) {
        if (question.flight.outcome != FlightOutcome::Dumped) {
            read_old(question);
        }
        flights.push_back(std::move(question.flight));
    }
    return flights;
}

}  // namespace rankscope::agent
