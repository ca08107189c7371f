// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/visible_text.h>
#include <remote/desk/nodes/session/clock_check.h>
#include <remote/desk/runs/preflight/gpu_checks.h>
#include <remote/desk/runs/preflight/host_checks.h>
#include <remote/desk/runs/preflight/host_findings.h>
#include <remote/desk/runs/preflight/nccl_setting_checks.h>
#include <remote/desk/runs/preflight/program_checks.h>
#include <remote/desk/runs/preflight/unseen_checks.h>
#include <remote/desk/shared/text.h>
#include <remote/diagnosis/command_fix.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Preflight";
constexpr std::uint64_t kMebibyte = 1U << 20U;
constexpr std::uint64_t kLeastDisk = 64 * kMebibyte;      // the worker and its libraries
constexpr std::uint64_t kLeastDiskOfOwn = 8 * kMebibyte;  // the spool of a user's own program
constexpr std::uint64_t kSmallDisk = 1024 * kMebibyte;
constexpr std::uint64_t kLeastInodes = 1000;
constexpr std::uint64_t kSharedMemory =
    64 * kMebibyte;  // Docker's default, too small for NCCL and data loaders
constexpr std::uint64_t kSharedMemoryOfRank = 16 * kMebibyte;  // NCCL's segments of a rank
constexpr std::int64_t kLeastFiles = 512;
constexpr std::int64_t kGoodFiles = 1048576;
constexpr std::int64_t kUnlimited = std::int64_t{1} << 62U;
constexpr std::int64_t kFilesOfPeer = 4;  // sockets of one rank to another
constexpr std::int64_t kRoomFactor = 8;
constexpr std::int64_t kTasksOfRank = 64;  // threads and helpers
constexpr std::int64_t kSmallMemlock = 1 << 20;
constexpr double kClockOff = 2;  // seconds

// Of one rank, in bytes: what it cannot start without, and what is enough.
struct AddressSpace {
    std::int64_t least;
    std::int64_t usual;
};
constexpr AddressSpace kAddressSpace{.least = std::int64_t{2} << 30U, .usual = std::int64_t{8} << 30U};
// CUDA reserves addresses for the memory of the host and of all GPUs.
constexpr AddressSpace kAddressSpaceWithGpus{.least = std::int64_t{16} << 30U,
                                             .usual = std::int64_t{128} << 30U};

std::string mib(std::uint64_t bytes) {
    return std::to_string(bytes / kMebibyte) + " MiB";
}

std::string limit_text(std::int64_t value) {
    return value < 0 ? text(kContext, "unlimited") : std::to_string(value);
}

// Nothing where the name of the node, or of the inventory, can be no word of a command.
std::optional<ShellCommand> clean_command(const NodeView& view, const HostNeeds& needs) {
    const auto node = PlainWord::of(view.name);
    if (!node || needs.ctl.empty()) {
        return std::nullopt;
    }
    return ShellCommand(needs.ctl).source("clean").word(*node);
}

// ---- the rendezvous port ----

void master_port(const NodeView& master, const HostNeeds& needs, HostFindings& findings) {
    const std::string free = text(kContext, "The rendezvous port of %1 is free.", {master.name});
    if (needs.master_port_error == 0) {
        return findings.pass("port-in-use", free);
    }
    if (needs.master_port_error == EACCES) {
        findings
            .add(
                "port-not-permitted", CheckStatus::Fail, master,
                text(kContext, "Port %1 of %2 needs root.", {std::to_string(needs.master_port), master.name}))
            .fixes.push_back({.job = {{"master_port", "29500"}}});
        return;
    }
    bool known = false;
    for (const auto& port : master.host.ports()) {
        if (static_cast<int>(port.port()) != needs.master_port || !port.held()) {
            continue;
        }
        known = true;
        const std::string number = std::to_string(needs.master_port);
        std::string who = visible_line(port.command());
        if (who.empty()) {
            who = port.user().empty() ? text(kContext, "a process of another user")
                                      : text(kContext, "a process of %1", {port.user()});
        } else if (!port.user().empty()) {
            who += " (" + port.user() + ")";
        }
        const bool stale = port.own() && !port.run_id().empty() && !port.live();
        Check& check = findings.add(
            "port-in-use", CheckStatus::Fail, master,
            stale ? text(kContext, "Port %1 of %2 is held by %3, a process that the run %4 left behind.",
                         {number, master.name, who, port.run_id()})
            : port.live() ? text(kContext, "Port %1 of %2 is held by the run %3, which is in progress.",
                                 {number, master.name, port.run_id()})
                          : text(kContext, "Port %1 of %2 is held by %3.", {number, master.name, who}));
        if (const auto clean = clean_command(master, needs); stale && clean) {
            check.fixes.push_back(command_fix(
                {}, ShellCommand(*clean).source("--port").number(needs.master_port).source("--end")));
        }
        check.fixes.push_back({.job = {{"master_port", "0"}}});
        // Perhaps the user needs it: only where another port is no way out.
        if (const auto pid = Pid::of(port.pid()); !stale && port.own() && pid && !port.live()) {
            check.fixes.push_back(command_fix(master.name, ShellCommand("kill").pid(*pid)));
        }
    }
    if (!known) {
        findings
            .add("port-in-use", CheckStatus::Fail, master,
                 text(kContext, "Port %1 of %2 cannot be used: %3.",
                      {std::to_string(needs.master_port), master.name,
                       std::strerror(needs.master_port_error)}))
            .fixes.push_back({.job = {{"master_port", "0"}}});
    }
}

// ---- paths ----

// No fix: whether anything of ours fills it is not known.
void add_clean_hint(const NodeView& view, const HostNeeds& needs, Check& check) {
    if (const auto clean = clean_command(view, needs)) {
        check.evidence.push_back(
            text(kContext, "%1 removes what finished runs left there.", {'`' + clean->str() + '`'}));
    }
}

void shared_memory(const NodeView& view, const HostNeeds& needs, HostFindings& findings) {
    const auto* shm = path_of(view, "/dev/shm");
    if (shm == nullptr || !shm->exists() || shm->late() || shm->total_bytes() == 0) {
        return;
    }
    const std::uint64_t wanted = kSharedMemory + kSharedMemoryOfRank * static_cast<std::uint64_t>(view.ranks);
    const bool small = shm->total_bytes() < wanted;
    if (!small && shm->free_bytes() >= wanted) {
        return;
    }
    // The native engine on processors needs none.
    const CheckStatus status = needs.nccl || !needs.native ? CheckStatus::Fail : CheckStatus::Warn;
    Check& check = findings.add(
        "shm-too-small", status, view,
        small ? text(kContext, "/dev/shm of %1 has %2, and %3 ranks with data loaders need %4.",
                     {view.name, mib(shm->total_bytes()), std::to_string(view.ranks), mib(wanted)})
              : text(kContext, "/dev/shm of %1 is full: %2 of %3 are free.",
                     {view.name, mib(shm->free_bytes()), mib(shm->total_bytes())}));
    if (small) {
        const auto remount = [](std::uint64_t size, SourceText unit) {
            return ShellCommand("sudo mount -o")
                .word(ShellWord("remount,size=").add(static_cast<std::int64_t>(size)).add(unit))
                .source("/dev/shm");
        };
        check.fixes.push_back(root_fix(view.name,
                                       remount(std::max<std::uint64_t>(1024, wanted / kMebibyte), "M"),
                                       remount(shm->total_bytes() / 1024, "k")));
    } else {
        add_clean_hint(view, needs, check);
    }
}

void folder_state(const NodeView& view, const HostNeeds& needs, const wire::PathState& path, bool ours,
                  HostFindings& findings) {
    const std::string name = path.resolved().empty() ? path.path() : path.resolved();
    if (path.late()) {
        findings.add("path-late", CheckStatus::Fail, view,
                     text(kContext, "%1 of %2 does not answer: its file server (%3) is probably gone.",
                          {name, view.name, path.file_system()}));
        return;
    }
    if (!path.exists()) {
        return;
    }
    const auto full = [&](CheckStatus status, const std::string& detail) {
        Check& check = findings.add("disk-full", status, view, detail);
        if (ours) {  // elsewhere Rankscope keeps nothing
            add_clean_hint(view, needs, check);
        }
    };
    if (path.write_error() == EDQUOT) {
        full(CheckStatus::Fail,
             text(kContext, "The quota of %2 on the disk of %1 is used up.", {name, view.name}));
    } else if (path.write_error() == ENOSPC) {
        full(CheckStatus::Fail, text(kContext, "The disk of %1 of %2 has no room left.", {name, view.name}));
    } else if (path.total_bytes() > 0 && path.free_bytes() < kSmallDisk && name != "/dev/shm" &&
               path.folder() && !path.read_only()) {
        const std::uint64_t least = needs.native ? kLeastDisk : kLeastDiskOfOwn;
        full(path.free_bytes() < least ? CheckStatus::Fail : CheckStatus::Warn,
             text(kContext, "The disk of %1 of %2 has only %3 left.",
                  {name, view.name, mib(path.free_bytes())}));
    }
    if (path.total_inodes() > 0 && path.free_inodes() < kLeastInodes && path.folder()) {
        findings.add("disk-full", CheckStatus::Fail, view,
                     text(kContext, "The disk of %1 of %2 has only %3 inodes left.",
                          {name, view.name, std::to_string(path.free_inodes())}));
    }
}

// The agent's cache and home come with every inspection: worker, spool and checkpoints go there.
void own_folders(const NodeView& view, const HostNeeds& needs, HostFindings& findings) {
    for (int i = 0; i < view.host.paths_size(); ++i) {
        const auto& path = view.host.paths(i);
        const bool ours = i == 1 || i == 2;  // home and the cache, after /dev/shm
        folder_state(view, needs, path, ours, findings);
        if (!ours || !path.exists() || path.late()) {
            continue;
        }
        if (path.read_only()) {
            findings.add("read-only", CheckStatus::Fail, view,
                         text(kContext, "%1 of %2 is on a file system that is mounted read-only.",
                              {path.resolved(), view.name}));
        } else if (!path.writable()) {
            findings.add("no-permission", CheckStatus::Fail, view,
                         text(kContext, "%1 of %2 is not writable.", {path.resolved(), view.name}));
        }
        if (i == 2 && !path.executable()) {
            findings.add("no-exec", CheckStatus::Fail, view,
                         text(kContext, "%1 of %2 is on a file system that is mounted noexec.",
                              {path.resolved(), view.name}));
        }
    }
}

void data_paths(const std::vector<NodeView>& views, const HostNeeds& needs, HostFindings& findings) {
    const auto look = [&](const std::string& path, bool required) {
        std::vector<const NodeView*> without;
        for (const auto& view : views) {
            const auto* state = path_of(view, path);
            if (state != nullptr && is_missing(*state)) {
                without.push_back(&view);
            }
        }
        if (!required && without.size() == views.size()) {
            return;  // perhaps what the program writes
        }
        for (const NodeView* view : without) {
            findings.add("data-path-missing", CheckStatus::Fail, *view,
                         text(kContext, "%1 does not exist on %2.", {path, view->name}));
        }
    };
    for (const auto& path : needs.data_paths) {
        look(path, true);
    }
    for (const auto& path : needs.maybe_paths) {
        look(path, false);
    }
}

// ---- limits ----

// For logins from now on: the file where sshd uses PAM, its own limit where it does not. Where the hard limit is high
// enough, the soft one alone changes.
Fix raise_limit(const NodeView& view, const wire::Limit& limit, SourceText name, std::int64_t wanted) {
    const bool soft_only = limit.hard() < 0 || (wanted >= 0 && limit.hard() >= wanted);
    const auto value = wanted < 0 ? ShellWord("unlimited") : ShellWord("").add(wanted);
    const auto file = ShellWord("/etc/security/limits.d/90-rankscope-").add(name).add(".conf");
    const auto of_sshd = [&name](const ShellWord& values) {
        return ShellCommand("prlimit --pid $(pgrep -o -x sshd)")
            .word(ShellWord("--").add(name).add("=").add(values))
            .source("|| true");
    };
    auto line = ShellWord(soft_only ? SourceText("* soft ") : SourceText("* - "));
    line.add(name).add(" ").add(value);
    ShellCommand raise("echo");
    raise.word(line).source(">").word(file).source(";");
    raise.append(of_sshd(ShellWord(value).add(soft_only ? SourceText(":") : SourceText(""))));
    ShellCommand restore("rm");
    auto before = ShellWord("").add(limit.soft()).add(":");
    if (!soft_only) {
        before.add(limit.hard());
    }
    restore.word(file).source(";").append(of_sshd(before));
    return root_fix(view.name, ShellCommand("sudo sh -c").script(raise),
                    ShellCommand("sudo sh -c").script(restore));
}

// The group of the login sessions. Nothing where the node names no file of a control group.
std::optional<Fix> raise_group_limit(const NodeView& view, const wire::Limit& limit, std::int64_t wanted) {
    const auto group = AbsolutePath::of(limit.source());
    if (!group || !group->text().starts_with("/sys/fs/cgroup/")) {
        return std::nullopt;
    }
    const auto write = [&](std::int64_t value) {
        ShellCommand echo("echo");
        echo.number(value).source(">").word(ShellWord(*group).add("/pids.max"));
        return ShellCommand("sudo sh -c").script(echo);
    };
    return root_fix(view.name, write(wanted), write(limit.soft()));
}

void limits(const NodeView& view, const HostNeeds& needs, std::size_t world_size, std::int64_t most_memlock,
            HostFindings& findings) {
    const bool infiniband = std::any_of(
        view.host.infiniband().begin(), view.host.infiniband().end(),
        [](const wire::InfinibandPort& port) { return port.state().find("ACTIVE") != std::string::npos; });
    for (const auto& limit : view.host.limits()) {
        const std::string where = limit.source();
        if (limit.name() == "nofile" && limit.soft() >= 0) {
            const auto wanted =
                std::max(kLeastFiles, 256 + kFilesOfPeer * static_cast<std::int64_t>(world_size));
            if (limit.soft() < wanted) {
                findings
                    .add("open-files-limit", CheckStatus::Fail, view,
                         text(kContext, "A process on %1 may open %2 files; a run of %3 ranks needs %4.",
                              {view.name, limit_text(limit.soft()), std::to_string(world_size),
                               std::to_string(wanted)}))
                    .fixes.push_back(
                        raise_limit(view, limit, "nofile",
                                    limit.hard() >= wanted ? limit.hard() : std::max(kGoodFiles, wanted)));
            }
        } else if (limit.name() == "as" && limit.soft() >= 0) {
            const auto& needed = view.gpus ? kAddressSpaceWithGpus : kAddressSpace;
            if (limit.soft() < needed.usual) {
                findings
                    .add("host-oom", limit.soft() < needed.least ? CheckStatus::Fail : CheckStatus::Warn,
                         view,
                         text(kContext,
                              "A process on %1 may use %2 of address space (ulimit -v); a rank needs %3.",
                              {view.name, mib(static_cast<std::uint64_t>(limit.soft())),
                               mib(static_cast<std::uint64_t>(needed.usual))}))
                    .fixes.push_back(raise_limit(view, limit, "as", -1));
            }
        } else if (limit.name() == "memlock" && limit.soft() >= 0) {
            const bool lower = limit.soft() < most_memlock && limit.soft() < kSmallMemlock;
            if (infiniband || lower) {
                findings
                    .add("ib-memlock", infiniband && needs.nccl ? CheckStatus::Fail : CheckStatus::Warn, view,
                         text(kContext,
                              "A process on %1 may lock %2 bytes of memory; InfiniBand and RoCE need "
                              "unlimited.",
                              {view.name, limit_text(limit.soft())}))
                    .fixes.push_back(
                        raise_limit(view, limit, "memlock",
                                    infiniband || most_memlock >= kUnlimited ? -1 : most_memlock));
            }
        } else if ((limit.name() == "nproc" || limit.name() == "pids.max") && limit.soft() >= 0) {
            const auto room = limit.soft() - std::max<std::int64_t>(limit.used(), 0);
            const auto wanted = kTasksOfRank * (view.ranks + 1);
            if (room < wanted) {
                Check& check = findings.add(
                    "pids-limit", CheckStatus::Fail, view,
                    text(kContext,
                         "%1 allows %2 more processes and threads (%3, limit %4); %5 ranks need %6.",
                         {view.name, std::to_string(std::max<std::int64_t>(room, 0)),
                          limit.name() == "nproc" ? "ulimit -u" : where, limit_text(limit.soft()),
                          std::to_string(view.ranks), std::to_string(wanted)}));
                const auto needed = std::max<std::int64_t>(limit.used(), 0) + kRoomFactor * wanted;
                if (limit.name() == "nproc") {
                    check.fixes.push_back(raise_limit(view, limit, "nproc", std::max(needed, limit.hard())));
                } else if (const auto fix = raise_group_limit(view, limit, needed)) {
                    check.fixes.push_back(*fix);
                }
            }
        }
    }
}

// A node reaches its own addresses by the loopback interface: rank 0 the rendezvous, the ranks of a node each other.
void loopback(const NodeView& view, bool is_master, HostFindings& findings) {
    for (const auto& interface : view.host.interfaces()) {
        if (interface.loopback() && !interface.up()) {
            Check& check = findings.add(
                "link-down", is_master || view.ranks > 1 ? CheckStatus::Fail : CheckStatus::Warn, view,
                text(kContext, "The loopback interface %2 of %1 is down: no rank there reaches its own node.",
                     {view.name, interface.name()}));
            if (const auto name = PlainWord::of(interface.name())) {
                const auto set = ShellCommand("sudo ip link set dev").word(*name);
                check.fixes.push_back(
                    root_fix(view.name, ShellCommand(set).source("up"), ShellCommand(set).source("down")));
            }
        }
    }
}

// ---- clocks, versions ----

void clocks(const std::vector<NodeView>& views, HostFindings& findings) {
    // Against the median: the desk's own clock may be the wrong one.
    std::vector<double> offsets;
    for (const auto& view : views) {
        offsets.push_back(view.clock_offset_s);
    }
    std::sort(offsets.begin(), offsets.end());
    const double median = offsets[(offsets.size() - 1) / 2];
    for (const auto& view : views) {
        const double off = views.size() > 2 ? view.clock_offset_s - median : view.clock_offset_s;
        if (std::abs(off) > kClockOff) {
            findings
                .add("clock-skew", CheckStatus::Warn, view,
                     text(kContext, "The clock of %1 is off by %2 s.",
                          {view.name, std::to_string(static_cast<std::int64_t>(std::round(off)))}))
                .fixes.push_back(root_fix(view.name, ShellCommand("sudo timedatectl set-ntp true"),
                                          ShellCommand("sudo timedatectl set-ntp false")));
        }
    }
    findings.pass("clock-skew", text(kContext, "The clocks agree."));
}

std::string major_minor(const std::string& version) {
    const auto first = version.find('.');
    const auto second = first == std::string::npos ? first : version.find('.', first + 1);
    return version.substr(0, second);
}

struct VersionRule {
    const char* name;
    FailureId id;
    bool blocks;
    bool patch_counts;  ///< else major and minor alone
};

void versions(const std::vector<NodeView>& views, const HostNeeds& needs, HostFindings& findings) {
    const VersionRule rules[] = {
        {"torch", "torch-version-skew", true, false}, {"nccl", "nccl-version-mismatch", needs.nccl, false},
        {"python", "version-skew", false, false},     {"cuda", "version-skew", false, false},
        {"cudnn", "version-skew", false, false},      {"driver", "version-skew", false, true}};
    for (const auto& rule : rules) {
        std::map<std::string, std::vector<std::string>> nodes_of;
        for (const auto& view : views) {
            for (const auto& version : view.host.versions()) {
                if (version.name() == rule.name) {
                    const std::string value =
                        rule.patch_counts ? version.value() : major_minor(version.value());
                    if (value.empty() && version.name() == "python") {
                        continue;  // python() says more
                    }
                    nodes_of[value].push_back(view.name);
                }
            }
        }
        if (nodes_of.size() < 2) {
            continue;
        }
        const auto most =
            std::max_element(nodes_of.begin(), nodes_of.end(),
                             [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
        const bool tie = most->second.size() * 2 <= views.size();
        for (const auto& [value, nodes] : nodes_of) {
            if (value == most->first && !tie) {
                continue;
            }
            for (const auto& node : nodes) {
                findings.add(rule.id, rule.blocks ? CheckStatus::Fail : CheckStatus::Warn, node,
                             value.empty()
                                 ? text(kContext, "%1 has no %2; other nodes have it.", {node, rule.name})
                                 : text(kContext, "%1 has %2 %3; other nodes have another version.",
                                        {node, rule.name, value}));
            }
        }
    }
}

void stale_processes(const NodeView& view, HostFindings& findings) {
    Check* check = nullptr;
    ShellCommand kill("kill");
    bool any = false;
    for (const auto& entry : view.host.leftovers()) {
        check =
            &findings.add("stale-process", CheckStatus::Warn, view,
                          text(kContext, "%1 still has a process of the run %2, which is over: %3 (pid %4).",
                               {view.name, entry.run_id(), entry.what(), std::to_string(entry.pid())}));
        if (const auto pid = Pid::of(entry.pid())) {
            kill.pid(*pid);
            any = true;
        }
    }
    if (any) {  // one that has ended meanwhile is no failure
        check->fixes.push_back(command_fix(view.name, kill.source("2>/dev/null; true")));
    }
}

}  // namespace

std::vector<Check> host_checks(const std::vector<NodeView>& views, const HostNeeds& needs) {
    HostFindings findings;
    std::size_t world_size = 0;
    std::int64_t most_memlock = 0;
    for (const auto& view : views) {
        world_size += static_cast<std::size_t>(std::max(view.ranks, 0));
        for (const auto& limit : view.host.limits()) {
            if (limit.name() == "memlock") {
                most_memlock = std::max(most_memlock, limit.soft() < 0 ? kUnlimited : limit.soft());
            }
        }
    }
    if (needs.master_port != 0 && needs.master < views.size()) {
        master_port(views[needs.master], needs, findings);
    }
    for (const auto& view : views) {
        shared_memory(view, needs, findings);
        own_folders(view, needs, findings);
        limits(view, needs, world_size, most_memlock, findings);
        loopback(view, &view == &views[std::min(needs.master, views.size() - 1)], findings);
        stale_processes(view, findings);
        unseen_checks(view, needs.nccl, findings);
    }
    data_paths(views, needs, findings);
    program_checks(views, needs, findings);
    clocks(views, findings);
    versions(views, needs, findings);
    gpu_checks(views, findings);
    nccl_setting_checks(views, needs.nccl, findings);
    findings.pass("disk-full", text(kContext, "The disks have room."));
    findings.pass("shm-too-small", text(kContext, "/dev/shm is large enough."));
    findings.pass("open-files-limit", text(kContext, "The limits of open files are high enough."));
    findings.pass("pids-limit", text(kContext, "The limits of processes are high enough."));
    return findings.take();
}

}  // namespace rankscope::inline runs
