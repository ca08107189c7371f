// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/files.h>
#include <base/utf8.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/probes/blocked_file.h>
#include <remote/agent/probes/proc_folder.h>
#include <remote/agent/probes/rank_series.h>
#include <remote/agent/probes/system_call.h>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

namespace rankscope::agent {
namespace {

constexpr std::size_t kMostThreadsSampled = 6;
constexpr std::size_t kMostHelpersSampled = 8;
constexpr std::size_t kMostNeighbours = 3;
constexpr double kLeastNeighbour = 0.03;  // cores
constexpr double kLongQueued = 0.05;      // of the time: below, neighbours are not looked for
constexpr double kGolden = 0.6180339887498949;

enum class Doing { Runs, File, Child, Sleeps, Waits };

bool mentions_any(std::string_view text, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

/// One thread: what it does at this moment.
struct Moment {
    Doing doing = Doing::Waits;
    BlockedFile file = {};
    bool on_lock = false;  ///< waits, and may do so for a thread of its own process
};

// "R" of /proc/PID/stat, read as text: the fields behind it cost more to read than to print.
char state_of(const std::string& stat) {
    const auto end = stat.rfind(')');
    return end != std::string::npos && end + 2 < stat.size() ? stat[end + 2] : '?';
}

class SampledRank {
public:
    explicit SampledRank(SeriesTarget& target)
        : target_(target),
          process_("/proc/" + std::to_string(target.works)),
          tasks_(process_, "task"),
          main_(std::to_string(target.works) + '/') {
        target_.threads.resize(std::min(target_.threads.size(), kMostThreadsSampled));
        target_.helpers.resize(std::min(target_.helpers.size(), kMostHelpersSampled));
        for (const pid_t helper : target_.helpers) {
            helpers_.emplace_back(helper, ProcFolder("/proc/" + std::to_string(helper)));
        }
    }

    void begin() {
        begin_s_ = monotonic_s();
        queued_ = queues();
        if (const auto stat = parse_process_stat(process_.read("stat"))) {
            faults_ = stat->major_faults;
            ticks_ = stat->cpu_ticks;
        }
    }

    void sample() {
        const std::string stat = tasks_.read(main_ + "stat");
        if (stat.empty()) {
            return;  // it has ended
        }
        auto moment = moment_of(target_.works, process_, tasks_, main_, stat);
        if (moment.doing == Doing::Waits && moment.on_lock) {
            add_threads(moment);
        } else if (moment.doing == Doing::Child) {
            add_helpers(moment);
        }
        count(moment);
    }

    void finish() {
        auto& found = *target_.found;
        found.set_seconds(monotonic_s() - begin_s_);
        double longest = 0;
        for (const auto& [thread, waited] : queues()) {
            const auto before = queued_.find(thread);
            longest = std::max(longest, before == queued_.end() ? 0 : waited - before->second);
        }
        found.set_queued_s(longest);
        if (const auto stat = parse_process_stat(process_.read("stat"))) {
            found.set_major_faults(stat->major_faults - std::min(stat->major_faults, faults_));
            static const auto per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
            found.set_cpu_s(static_cast<double>(stat->cpu_ticks - std::min(stat->cpu_ticks, ticks_)) /
                            per_second);
            add_frequency(stat->processor);
        }
        const auto most = std::max_element(
            files_.begin(), files_.end(),
            [](const auto& left, const auto& right) { return left.second.first < right.second.first; });
        if (most != files_.end()) {
            const BlockedFile& file = most->second.second;
            found.set_file(as_utf8(file.file));
            found.set_file_system(as_utf8(file.file_system));
            found.set_source(as_utf8(file.source));
        }
    }

    bool queued_for_long() const {
        return target_.found->queued_s() > kLongQueued * target_.found->seconds();
    }

    void add_neighbours(const std::vector<std::pair<double, pid_t>>& busy, const ProcessTable& now) {
        cpu_set_t own;
        CPU_ZERO(&own);
        if (::sched_getaffinity(target_.works, sizeof own, &own) != 0) {
            return;
        }
        for (const auto& [cpus, pid] : busy) {
            const auto* process = now.find(pid);
            if (process == nullptr || process->processor >= CPU_SETSIZE ||
                !CPU_ISSET(process->processor, &own)) {
                continue;
            }
            auto& neighbour = *target_.found->add_neighbours();
            neighbour.set_pid(pid);
            neighbour.set_user(as_utf8(owner_of(pid)));
            neighbour.set_command(as_utf8(command_of(pid)));
            neighbour.set_cpus(cpus);
            if (target_.found->neighbours_size() == static_cast<int>(kMostNeighbours)) {
                return;
            }
        }
    }

private:
    Moment moment_of(pid_t pid, const ProcFolder& process, const ProcFolder& tasks, const std::string& folder,
                     const std::string& stat) {
        Moment moment;
        const char state = state_of(stat);
        if (state == 'R') {
            moment.doing = Doing::Runs;
            return moment;
        }
        const std::string channel = tasks.read(folder + "wchan");
        std::optional<SystemCall> call;
        if (permitted_) {
            call = parse_system_call(tasks.read(folder + "syscall"));
            permitted_ = tasks.error() != EACCES && tasks.error() != EPERM;
        }
        // A thread in uninterruptible sleep may hold the lock of its memory.
        moment.file = call ? blocked_file_of(pid, process, *call, target_.mounts, state != 'D')
                           : served_file_of(process, channel, target_.mounts);
        const std::string name = call ? name_of(*call) : std::string();
        if (moment.file.file.starts_with("pipe:") || mentions_any(channel, {"pipe_read", "pipe_write"}) ||
            channel == "do_wait" || name == "wait4" || name == "waitid") {
            moment.doing = Doing::Child;
        } else if ((moment.file.on_a_file_system() && !moment.file.file.starts_with("/dev/")) ||
                   state == 'D') {
            moment.doing = Doing::File;
        } else if (name == "nanosleep" || name == "clock_nanosleep" || mentions_any(channel, {"nanosleep"})) {
            moment.doing = Doing::Sleeps;
        } else {
            moment.on_lock = name.empty() ? mentions_any(channel, {"futex"}) : name.starts_with("futex");
        }
        return moment;
    }

    // The main thread waits for a lock: one that computes or reads for it is what it waits for.
    void add_threads(Moment& moment) {
        for (const int thread : target_.threads) {
            const std::string folder = std::to_string(thread) + '/';
            const char state = state_of(tasks_.read(folder + "stat"));
            if (state == 'R') {
                moment.doing = Doing::Runs;
                return;
            }
            if (state == 'D') {
                moment.doing = Doing::File;
            }
        }
    }

    void add_helpers(Moment& moment) {
        for (const auto& [pid, folder] : helpers_) {
            const auto other = moment_of(pid, folder, folder, {}, folder.read("stat"));
            if (other.doing == Doing::File) {
                moment = other;
                return;
            }
        }
    }

    void count(const Moment& moment) {
        auto& found = *target_.found;
        found.set_taken(found.taken() + 1);
        switch (moment.doing) {
            case Doing::Runs:
                found.set_runs(found.runs() + 1);
                break;
            case Doing::File:
                found.set_uses_file(found.uses_file() + 1);
                break;
            case Doing::Child:
                found.set_waits_child(found.waits_child() + 1);
                break;
            case Doing::Sleeps:
                found.set_sleeps(found.sleeps() + 1);
                break;
            case Doing::Waits:
                found.set_waits(found.waits() + 1);
                break;
        }
        const bool waits = moment.doing == Doing::Waits;
        if (waited_ && *waited_ != waits) {
            found.set_turns(found.turns() + 1);
        }
        waited_ = waits;
        if (moment.doing == Doing::File && moment.file.on_a_file_system()) {
            auto& known = files_[moment.file.file];
            ++known.first;
            known.second = moment.file;
        }
    }

    std::map<int, double> queues() const {
        std::map<int, double> queues;
        const auto add = [&](int thread) {
            if (const auto waited = parse_queued_s(tasks_.read(std::to_string(thread) + "/schedstat"))) {
                queues[thread] = *waited;
            }
        };
        add(target_.works);
        for (const int thread : target_.threads) {
            add(thread);
        }
        return queues;
    }

    void add_frequency(std::uint64_t processor) {
        const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/cpufreq/";
        const auto hertz = [&](const char* name) {
            const std::string text = read_file(folder + name).value_or(std::string());
            std::string_view rest = text;
            return static_cast<double>(number_of(next_word(rest)).value_or(0)) * 1e3;
        };
        target_.found->set_cpu_hz(hertz("scaling_cur_freq"));
        target_.found->set_cpu_hz_max(hertz("cpuinfo_max_freq"));
    }

    SeriesTarget& target_;
    ProcFolder process_;
    ProcFolder tasks_;
    std::string main_;
    std::vector<std::pair<pid_t, ProcFolder>> helpers_;
    std::map<int, double> queued_;
    std::map<std::string, std::pair<int, BlockedFile>> files_;
    std::optional<bool> waited_;
    std::uint64_t faults_ = 0;
    std::uint64_t ticks_ = 0;
    double begin_s_ = 0;
    bool permitted_ = true;
};

bool sleep_until(double when, const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        const double left = when - monotonic_s();
        if (left <= 0) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, 0.1)));
    }
    return false;
}

// Cores that processes outside of the ranks used since `before`, most first.
std::vector<std::pair<double, pid_t>> busy_processes(const std::vector<SeriesTarget>& targets,
                                                     const ProcessTable& before, const ProcessTable& now,
                                                     double seconds) {
    std::set<pid_t> own{::getpid()};
    for (const auto& target : targets) {
        own.insert(target.tree.begin(), target.tree.end());
    }
    std::vector<std::pair<double, pid_t>> busy;
    static const auto per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
    for (const pid_t pid : now.all()) {
        const auto* process = now.find(pid);
        const auto* earlier = before.find(pid);
        const bool same = earlier != nullptr && earlier->start_ticks == process->start_ticks;
        const std::uint64_t ticks =
            process->cpu_ticks - (same ? std::min(process->cpu_ticks, earlier->cpu_ticks) : 0);
        const double cpus = static_cast<double>(ticks) / per_second / std::max(seconds, 0.01);
        if (cpus >= kLeastNeighbour && !own.contains(pid)) {
            busy.emplace_back(cpus, pid);
        }
    }
    std::sort(busy.rbegin(), busy.rend());
    return busy;
}

}  // namespace

void take_series(std::vector<SeriesTarget>& targets, std::uint32_t samples, double seconds,
                 const ProcessTable& before, const std::stop_token& stop) {
    samples = std::min(samples, kMostSamples);
    seconds = std::isfinite(seconds) ? std::clamp(seconds, 0.0, kLongestSeries) : 0;
    const double begin = monotonic_s();
    std::vector<SampledRank> ranks;
    ranks.reserve(targets.size());
    for (auto& target : targets) {
        ranks.emplace_back(target).begin();
    }
    // Even distances would meet a step that lasts as long at the same place each time.
    for (std::uint32_t i = 0; i < samples; ++i) {
        const double place = (i + std::fmod(i * kGolden, 1.0)) / samples;
        if (!sleep_until(begin + place * seconds, stop)) {
            break;
        }
        for (auto& rank : ranks) {
            rank.sample();
        }
    }
    for (auto& rank : ranks) {
        rank.finish();
    }
    if (stop.stop_requested() || std::none_of(ranks.begin(), ranks.end(), [](const SampledRank& rank) {
            return rank.queued_for_long();
        })) {
        return;
    }
    const auto now = ProcessTable::read();
    const auto busy = busy_processes(targets, before, now, monotonic_s() - begin);
    for (auto& rank : ranks) {
        if (rank.queued_for_long()) {
            rank.add_neighbours(busy, now);
        }
    }
}

}  // namespace rankscope::agent
