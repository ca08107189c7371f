// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/agent/inner/inner_watch.h>
#include <remote/agent/inner/line_speaker.h>
#include <remote/agent/inner/mpi_alone.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/probes/hook_question.h>
#include <remote/agent/ranks/inner_list.h>
#include <remote/agent/ranks/stack_hook.h>
#include <remote/agent/spool/run_events.h>

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <limits>

namespace rankscope::agent {
namespace {

constexpr double kScan = 0.5;          // as long as ranks come
constexpr double kQuietScan = 2;       // later
constexpr double kQuiet = 60;          // after the last one
constexpr double kStarts = 3;          // within it a process may still become another program
constexpr double kStopped = 3;         // is worth a notice
constexpr double kPatience = 1.2;      // for a process that writes to tell which rank it is
constexpr double kHurry = 0.1;         // between two questions meanwhile
constexpr double kLongestAsk = 16;     // between two questions of a process that is no rank
constexpr std::size_t kKeptEnds = 64;  // whose pipes stay open: what they have started may still write

bool runs(const ProcessStat& stat) {
    return stat.state != 'Z' && stat.state != 'X';
}

int ranks_of_run(const wire::StartRun& run) {
    return std::max({1, run.ranks_size(), run.peer_of_rank_size()});
}

bool ended_badly(const wire::Exit& exit) {
    return exit.code() != 0 || exit.signal() != 0;
}

}  // namespace

InnerWatch::InnerWatch(SpoolWriter& spool, RankReader& reader, Hooks hooks)
    : spool_(spool), reader_(reader), hooks_(std::move(hooks)) {}

void InnerWatch::begin_attempt(const wire::StartRun& run, const RunDir& dir, std::uint32_t attempt) {
    run_ = run;
    dir_ = dir;
    attempt_ = attempt;
    wanted_ = run.has_own();
    world_size_ = ranks_of_run(run);
    outers_.clear();
    inner_.clear();
    environments_.clear();
    changed_at_ = monotonic_s();
    next_scan_ = changed_at_ + kScan;
}

void InnerWatch::begin(const RankProcess& outer) {
    if (!wanted_) {
        return;
    }
    const int number = outer.spec.rank();
    std::error_code ignored;
    std::filesystem::remove(inner_list_of(dir_, number), ignored);
    outers_[number].pool.open(inner_folder_of(dir_, number));
}

void InnerWatch::add_to(std::vector<pollfd>& fds) const {
    for (const auto& [number, outer] : outers_) {
        outer.pool.add_to(fds);
    }
    for (const auto& inner : inner_) {
        const bool waits = !inner.sorted && inner.heard_at > 0;
        for (const auto* fd : {&inner.process.out, &inner.process.err, &inner.process.metrics}) {
            if (*fd && !waits) {
                fds.push_back({fd->get(), POLLIN, 0});
            }
        }
        if (!inner.gone && inner.end && inner.end->fd() >= 0) {
            fds.push_back({inner.end->fd(), POLLIN, 0});
        }
    }
}

double InnerWatch::due_s() const {
    double due = outers_.empty() ? std::numeric_limits<double>::infinity() : next_scan_;
    for (const auto& inner : inner_) {
        due = std::min(due, RankReader::due_s(inner.process));
    }
    return due;
}

void InnerWatch::poll(std::vector<RankProcess>& outers, bool stops) {
    if (outers_.empty()) {
        return;
    }
    // Who it is comes before what it says.
    const bool any_new = take_pipes(outers);
    if (any_new || monotonic_s() >= next_scan_) {
        scan(outers, stops);
        const bool quiet = monotonic_s() - changed_at_ > kQuiet;
        next_scan_ = monotonic_s() + (quiet ? kQuietScan : kScan);
    }
    read();
    notice_ends();
}

InnerWatch::Inner* InnerWatch::find(pid_t pid) {
    const auto found = std::find_if(inner_.begin(), inner_.end(),
                                    [pid](const Inner& one) { return !one.gone && one.process.pid == pid; });
    return found == inner_.end() ? nullptr : &*found;
}

InnerWatch::Inner& InnerWatch::add(const RankProcess& outer, pid_t pid, std::uint64_t start_ticks) {
    if (Inner* known = find(pid); known != nullptr) {
        return *known;
    }
    Inner& inner = inner_.emplace_back();
    inner.process.spec = outer.spec;
    inner.process.pid = pid;
    inner.process.stands_for = outer.number();
    inner.outer = outer.spec.rank();
    inner.start_ticks = start_ticks;
    inner.end.emplace(pid);
    reader_.begin_inner(inner.process, run_);
    return inner;
}

bool InnerWatch::take_pipes(const std::vector<RankProcess>& outers) {
    bool any = false;
    for (const auto& outer : outers) {
        const auto found = outers_.find(outer.spec.rank());
        if (found == outers_.end()) {
            continue;
        }
        for (auto& streams : found->second.pool.take()) {
            Inner& inner = add(outer, streams.pid, 0);
            inner.process.out = std::move(streams.out);
            inner.process.err = std::move(streams.err);
            inner.process.metrics = std::move(streams.metrics);
            inner.sorted = false;
            any = true;
        }
    }
    return any;
}

void InnerWatch::read() {
    for (auto& inner : inner_) {
        if (!is_held_back(inner)) {
            reader_.read(inner.process);
        }
    }
}

// A rank that is spawned often says who it is before it can be asked: its first lines wait for that in their pipe.
bool InnerWatch::is_held_back(Inner& inner) {
    if (inner.sorted || inner.found || inner.gone) {
        inner.sorted = true;
        return false;
    }
    const double now = monotonic_s();
    if (inner.heard_at <= 0) {
        std::array<pollfd, 3> fds{pollfd{inner.process.out.get(), POLLIN, 0},
                                  pollfd{inner.process.err.get(), POLLIN, 0},
                                  pollfd{inner.process.metrics.get(), POLLIN, 0}};
        if (::poll(fds.data(), fds.size(), 0) <= 0) {
            return true;
        }
        inner.heard_at = now;
    }
    inner.sorted = now - inner.heard_at >= kPatience;
    if (!inner.sorted) {
        environments_[inner.process.pid].next_ask = now;
        next_scan_ = std::min(next_scan_, now + kHurry);
    }
    return !inner.sorted;
}

void InnerWatch::notice_ends() {
    for (auto& inner : inner_) {
        if (!inner.gone && inner.end && inner.end->has_ended()) {
            report_end(inner);
        }
    }
    const auto gone = std::count_if(inner_.begin(), inner_.end(), [](const Inner& one) { return one.gone; });
    auto surplus = gone - static_cast<std::ptrdiff_t>(kKeptEnds);
    inner_.remove_if([&](const Inner& one) {
        const bool over = one.gone && surplus-- > 0;
        if (over) {
            reader_.forget_inner(one.process);
        }
        return over;
    });
}

void InnerWatch::report_end(Inner& inner) {
    inner.gone = true;
    inner.process.exited = true;
    const auto status = inner.end ? inner.end->status() : std::nullopt;
    reader_.finish(inner.process, status.value_or(0) == 0);
    if (!inner.found) {
        return;
    }
    wire::Event event;
    event.set_rank(inner.process.number());
    auto* exit = event.mutable_exit();
    if (status) {
        exit->set_code(WIFEXITED(*status) ? WEXITSTATUS(*status) : -1);
        exit->set_signal(WIFSIGNALED(*status) ? WTERMSIG(*status) : 0);
        exit->set_core_dumped(WIFSIGNALED(*status) && WCOREDUMP(*status));
    }
    exit->set_status_unknown(!status);
    exit->set_pid(inner.process.pid);
    exit->set_attempt(attempt_);
    exit->set_inner(true);
    exit->set_outer_rank(inner.outer);
    exit->set_requested(hooks_.requested(inner.process, *exit));
    if (ended_badly(*exit)) {
        hooks_.explain(inner.process, *exit);
    }
    auto& outer = outers_[inner.outer];
    if (ended_badly(*exit) && !exit->requested() && !outer.failed) {
        outer.failed.emplace();
        outer.failed->set_kind(wire::CAUSE_RANK_ENDED);
        outer.failed->set_rank(event.rank());
        *outer.failed->mutable_exit() = *exit;
    }
    spool_.add(std::move(event));
    write_list(inner.outer);
}

const std::string& InnerWatch::environment_of_process(pid_t pid, const ProcessStat& stat) {
    const double now = monotonic_s();
    auto& known = environments_[pid];
    if (known.start_ticks != stat.start_ticks || known.since == 0) {
        known = {stat.start_ticks, now, {}, 0, 0};
    }
    if (known.environment.empty() || now - known.since < kStarts) {
        known.environment = environment_of(pid);
    }
    return known.environment;
}

// A process with the hook tells which rank it is when it is asked; most are none yet when they begin.
std::string InnerWatch::ask(int outer, pid_t pid) {
    HookQuestion question(pid, stack_folder_of(dir_, outer));
    if (!question.is_python()) {
        return {};
    }
    auto said = question.told();
    if (said.starts_with("torch ")) {
        return said;
    }
    const double now = monotonic_s();
    if (auto& known = environments_[pid]; now >= known.next_ask) {
        question.ask(now);
        known.asked_every = std::min(std::max(kScan, known.asked_every * 1.1), kLongestAsk);
        known.next_ask = now + known.asked_every - kScan / 2;
    }
    return said;
}

std::vector<TreeProcess> InnerWatch::tree_of(const RankProcess& outer, const ProcessTable& table) {
    std::vector<TreeProcess> tree;
    const auto& known = outers_[outer.spec.rank()].known;
    for (const pid_t pid : table.tree_of(outer.pid)) {
        const auto* stat = table.find(pid);
        if (stat == nullptr || !runs(*stat)) {
            continue;
        }
        TreeProcess process;
        process.pid = pid;
        process.parent = static_cast<pid_t>(stat->parent);
        process.environment = environment_of_process(pid, *stat);
        if (pid != outer.pid || !known.empty()) {
            process.told = ask(outer.spec.rank(), pid);
        }
        tree.push_back(std::move(process));
    }
    return tree;
}

void InnerWatch::scan(std::vector<RankProcess>& outers, bool stops) {
    const auto table = ProcessTable::read();
    std::erase_if(environments_, [&](const auto& entry) { return table.find(entry.first) == nullptr; });
    for (auto& outer : outers) {
        const auto own = outers_.find(outer.spec.rank());
        if (!outer.running() || own == outers_.end() || table.find(outer.pid) == nullptr) {
            continue;
        }
        const auto tree = tree_of(outer, table);
        if (tree.empty() || tree.front().pid != outer.pid) {
            continue;
        }
        if (!own->second.alone_in_mpi && is_alone_in_mpi(outer.spec, tree)) {
            own->second.alone_in_mpi = true;
            add_notice(spool_, outer.number(), "mpi-alone", {});
        }
        const std::vector<int> known(own->second.known.begin(), own->second.known.end());
        bool changed = false;
        for (const auto& found : inner_ranks_in(tree, world_size_, std::max(run_.peers_size(), 1), known)) {
            changed |= take(outer, found, table);
        }
        if (changed) {
            changed_at_ = monotonic_s();
            write_list(outer.spec.rank());
        }
        assign_shared(outer, tree);
    }
    for (auto& inner : inner_) {
        const auto* stat = inner.gone ? nullptr : table.find(inner.process.pid);
        if (stat != nullptr && inner.found) {
            watch_stop(inner.process, stops && (stat->state == 'T' || stat->state == 't'));
        }
    }
}

bool InnerWatch::take(RankProcess& outer, const InnerRankFound& found, const ProcessTable& table) {
    const int number = outer.spec.rank();
    auto& own = outers_[number];
    const auto same = [&](const std::optional<InnerRankFound>& before) {
        return before && (before->identity == found.identity ||
                          (before->source == wire::INNER_PROCESS_GROUP && before->source != found.source));
    };
    if (found.pid == outer.pid) {
        if (same(own.itself)) {
            return false;
        }
        own.itself = found;
    } else {
        const auto* stat = table.find(found.pid);
        Inner& inner = add(outer, found.pid, stat == nullptr ? 0 : stat->start_ticks);
        if (same(inner.found)) {
            return false;
        }
        inner.start_ticks = stat == nullptr ? inner.start_ticks : stat->start_ticks;
        inner.found = found;
        inner.process.stands_for = found.identity.rank;
        inner.process.shares_output = false;
    }
    own.known.insert(found.identity.rank);
    wire::Event event;
    event.set_rank(found.identity.rank);
    auto* rank = event.mutable_inner_rank();
    rank->set_pid(found.pid);
    rank->set_outer_rank(number);
    rank->set_local_rank(found.identity.local_rank);
    rank->set_world_size(found.identity.world_size);
    rank->set_source(found.source);
    spool_.add(std::move(event));
    return true;
}

// The pipes of the first process carry the output of any of its ranks; a process that is no rank belongs to the
// one above it.
void InnerWatch::assign_shared(RankProcess& outer, const std::vector<TreeProcess>& tree) {
    const auto& own = outers_[outer.spec.rank()];
    if (own.known.empty()) {
        return;
    }
    // Of the first program the lowest rank is 0, found or not.
    outer.stands_for = own.itself               ? own.itself->identity.rank
                       : outer.spec.rank() == 0 ? 0
                                                : *own.known.begin();
    outer.shares_output = !own.itself;
    const int number = outer.spec.rank();
    outer.owner_of = [this, number](std::string_view line) { return owner_of(number, line); };
    for (auto& inner : inner_) {
        if (inner.gone || inner.found || inner.outer != outer.spec.rank()) {
            continue;
        }
        inner.process.stands_for = outer.number();
        inner.process.shares_output = outer.shares_output;
        pid_t pid = inner.process.pid;
        for (std::size_t level = 0; level < tree.size(); ++level) {
            const auto process = std::find_if(tree.begin(), tree.end(),
                                              [pid](const TreeProcess& one) { return one.pid == pid; });
            if (process == tree.end()) {
                break;
            }
            pid = process->parent;
            if (const Inner* above = find(pid); above != nullptr && above->found) {
                inner.process.stands_for = above->found->identity.rank;
                inner.process.shares_output = false;
                break;
            }
        }
    }
}

// A process is the rank's that has started it.
RankProcess* InnerWatch::owner_of(int outer, std::string_view line) {
    constexpr int kDeepest = 16;
    const auto speaker = speaker_of(line);
    pid_t pid = speaker.pid;
    for (int level = 0; level < kDeepest && pid > 1; ++level, pid = parent_of(pid)) {
        if (Inner* inner = find(pid); inner != nullptr && inner->found) {
            return &inner->process;
        }
    }
    for (auto& inner : inner_) {
        if (inner.outer == outer && inner.found && !inner.gone &&
            (speaker.rank >= 0
                 ? inner.found->identity.rank == speaker.rank
                 : speaker.local_rank >= 0 && inner.found->identity.local_rank == speaker.local_rank)) {
            return &inner.process;
        }
    }
    return nullptr;
}

void InnerWatch::watch_stop(RankProcess& process, bool stopped) {
    if (!stopped) {
        process.stopped_since = 0;
        if (process.stop_reported) {
            process.stop_reported = false;
            add_notice(spool_, process.number(), "rank-continued", {std::to_string(process.pid)});
        }
        return;
    }
    const double now = monotonic_s();
    if (process.stopped_since <= 0) {
        process.stopped_since = now;
        changed_at_ = now;
    } else if (!process.stop_reported && now - process.stopped_since >= kStopped) {
        process.stop_reported = true;
        add_notice(spool_, process.number(), "rank-stopped",
                   {std::to_string(process.pid), std::to_string(SIGSTOP)});
    }
}

std::optional<wire::Cause> InnerWatch::finish(RankProcess& outer, wire::Exit& exit) {
    const int number = outer.spec.rank();
    const auto own = outers_.find(number);
    if (own == outers_.end()) {
        return std::nullopt;
    }
    read();
    notice_ends();
    for (auto& inner : inner_) {
        if (inner.gone || inner.outer != number) {
            continue;
        }
        inner.gone = true;  // it ends with the run
        if (inner.found) {
            reader_.finish(inner.process, false);
            wire::Event event;
            event.set_rank(inner.process.number());
            event.mutable_exit()->set_pid(inner.process.pid);
            event.mutable_exit()->set_attempt(attempt_);
            event.mutable_exit()->set_inner(true);
            event.mutable_exit()->set_outer_rank(number);
            event.mutable_exit()->set_requested(true);
            event.mutable_exit()->set_status_unknown(true);
            spool_.add(std::move(event));
        }
    }
    exit.set_program(!own->second.known.empty() && !own->second.itself);
    if (exit.program()) {
        exit.set_outer_rank(number);
    }
    return own->second.failed;
}

int InnerWatch::rank_of(pid_t pid) const {
    const auto found = std::find_if(inner_.begin(), inner_.end(), [pid](const Inner& one) {
        return !one.gone && one.found && one.process.pid == pid;
    });
    return found == inner_.end() ? -1 : found->found->identity.rank;
}

int InnerWatch::rank_above(pid_t pid) const {
    constexpr int kDeepest = 16;
    const bool any =
        std::any_of(inner_.begin(), inner_.end(), [](const Inner& one) { return one.found.has_value(); });
    for (int level = 0; any && level < kDeepest && pid > 1; ++level, pid = parent_of(pid)) {
        if (const int rank = rank_of(pid); rank >= 0) {
            return rank;
        }
    }
    return -1;
}

void InnerWatch::write_list(int outer) const {
    std::vector<InnerListEntry> ranks;
    for (const auto& inner : inner_) {
        if (!inner.gone && inner.found && inner.outer == outer) {
            ranks.push_back({inner.found->identity.rank, inner.process.pid, inner.start_ticks});
        }
    }
    const auto own = outers_.find(outer);
    if (own != outers_.end() && own->second.itself) {
        ranks.push_back({own->second.itself->identity.rank, own->second.itself->pid, 0});
    }
    write_inner_list(dir_, outer, ranks);
}

}  // namespace rankscope::agent
