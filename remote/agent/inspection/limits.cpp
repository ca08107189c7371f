// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/files.h>
#include <base/text.h>
#include <base/utf8.h>
#include <remote/agent/inspection/limits.h>
#include <remote/agent/node/process_tree.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kNoLimit = -1;
constexpr std::int64_t kUnknown = -1;
// v1 says "no limit" by the largest number of whole pages.
constexpr std::int64_t kUnlimitedBytes = std::numeric_limits<std::int64_t>::max() - (1 << 20);

std::int64_t as_limit(rlim_t value) {
    const bool unlimited =
        value == RLIM_INFINITY || value > static_cast<rlim_t>(std::numeric_limits<std::int64_t>::max());
    return unlimited ? kNoLimit : static_cast<std::int64_t>(value);
}

void add_limit(wire::HostInspection& found, const char* name, std::int64_t soft, std::int64_t hard,
               std::int64_t used, const std::string& source) {
    auto* limit = found.add_limits();
    limit->set_name(name);
    limit->set_soft(soft);
    limit->set_hard(hard);
    limit->set_used(used);
    limit->set_source(as_utf8(source));
}

// RLIMIT_NPROC counts the threads of the real user. Unknown where the node has too many processes for the time.
std::int64_t own_threads(double end) {
    const std::string uid = std::to_string(::getuid());
    std::int64_t threads = 0;
    for (const pid_t pid : all_processes()) {
        if (monotonic_s() > end) {
            return kUnknown;
        }
        const std::string status =
            read_file("/proc/" + std::to_string(pid) + "/status").value_or(std::string());
        const auto user = status.find("\nUid:\t");
        const auto count = status.find("\nThreads:\t");
        if (user != std::string::npos && count != std::string::npos &&
            status.compare(user + 6, uid.size() + 1, uid + '\t') == 0) {
            threads += std::atoll(status.c_str() + count + 10);
        }
    }
    return threads;
}

// One controller, as v2 or v1 names its files.
struct Controller {
    const char* limit_name;
    const char* v1_name;
    const char* v2_limit;
    const char* v2_used;
    const char* v1_limit;
    const char* v1_used;
    bool shared_by_children;  ///< the tightest is where least is left, not where the limit is lowest
};
constexpr std::array<Controller, 3> kControllers{{
    {"pids.max", "pids", "pids.max", "pids.current", "pids.max", "pids.current", true},
    {"memory.max", "memory", "memory.max", "memory.current", "memory.limit_in_bytes", "memory.usage_in_bytes",
     false},
    {"cpu.max", "cpu", "cpu.max", "", "cpu.cfs_quota_us", "", false},
}};

struct CgroupPlace {
    fs::path mount;   ///< its top, as this process sees it
    fs::path folder;  ///< of this process, below it
    bool v2 = false;
};

bool has_word(std::string_view list, std::string_view word) {
    const auto words = split(list, ',');
    return std::find(words.begin(), words.end(), word) != words.end();
}

// The path after the last ':' of the line whose controllers are named; empty: no such line.
std::string cgroup_path(std::string_view cgroup, std::string_view controller) {
    for (const auto line : split(cgroup, '\n')) {
        const auto first = line.find(':');
        const auto second = first == line.npos ? first : line.find(':', first + 1);
        if (second == line.npos) {
            continue;
        }
        const auto controllers = line.substr(first + 1, second - first - 1);
        if (controller.empty() ? controllers.empty() : has_word(controllers, controller)) {
            return std::string(line.substr(second + 1));
        }
    }
    return {};
}

std::optional<CgroupPlace> find_place(std::string_view cgroup, std::string_view mountinfo,
                                      const Controller& controller, bool v2) {
    const std::string path = cgroup_path(cgroup, v2 ? "" : controller.v1_name);
    if (path.empty()) {
        return std::nullopt;
    }
    for (const auto line : split(mountinfo, '\n')) {
        const auto fields = split(line, ' ');
        const auto dash = std::find(fields.begin(), fields.end(), "-");
        if (fields.size() < 6 || fields.end() - dash < 4) {
            continue;
        }
        const bool fits =
            v2 ? dash[1] == "cgroup2" : dash[1] == "cgroup" && has_word(dash[3], controller.v1_name);
        if (!fits) {
            continue;
        }
        // In a container the mount may begin at its own group, while the path still counts from the host's top.
        const std::string top(fields[3]);
        const bool below =
            top != "/" && path.starts_with(top) && (path.size() == top.size() || path[top.size()] == '/');
        return CgroupPlace{.mount = std::string(fields[4]),
                           .folder = fs::path(below ? path.substr(top.size()) : path).relative_path(),
                           .v2 = v2};
    }
    return std::nullopt;
}

struct Level {
    std::int64_t limit = kNoLimit;
    std::int64_t used = kUnknown;
};

// "max 100000" or "150000 100000" as millicores.
std::optional<std::int64_t> read_cpu_max(std::string_view text, std::string_view period_text) {
    const auto words = split(text.substr(0, text.find('\n')), ' ');
    const auto quota = words.empty() ? std::nullopt : read_cgroup_number(words[0]);
    const auto period = read_cgroup_number(words.size() > 1 ? words[1] : period_text);
    if (!quota || (*quota >= 0 && (!period || *period <= 0))) {
        return std::nullopt;
    }
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1000;
    return *quota < 0 ? kNoLimit : std::min(*quota, kMost) * 1000 / *period;
}

std::optional<Level> read_level(const fs::path& folder, const Controller& controller, bool v2) {
    const auto text = read_file(folder / (v2 ? controller.v2_limit : controller.v1_limit));
    if (!text) {
        return std::nullopt;
    }
    Level level;
    if (std::string_view(controller.limit_name) == "cpu.max") {
        const auto period = v2 ? std::nullopt : read_file(folder / "cpu.cfs_period_us");
        const auto millicores = read_cpu_max(*text, period.value_or(std::string()));
        level.limit = millicores.value_or(kNoLimit);
        return millicores ? std::optional(level) : std::nullopt;
    }
    const auto limit = read_cgroup_number(*text);
    const auto used = read_file(folder / (v2 ? controller.v2_used : controller.v1_used));
    level.limit = limit.value_or(kNoLimit);
    level.used = read_cgroup_number(used.value_or(std::string())).value_or(kUnknown);
    return limit ? std::optional(level) : std::nullopt;
}

bool is_tighter(const Level& a, const Level& b, bool by_what_is_left) {
    if (a.limit == kNoLimit || b.limit == kNoLimit) {
        return a.limit != kNoLimit;
    }
    const auto left = [](const Level& level) { return level.limit - std::max<std::int64_t>(level.used, 0); };
    return by_what_is_left ? left(a) < left(b) : a.limit < b.limit;
}

// false: this hierarchy does not have the controller.
bool add_tightest(const CgroupPlace& place, const fs::path& root, const Controller& controller,
                  wire::HostInspection& found) {
    std::optional<Level> tightest;
    fs::path where;
    const fs::path top = root.empty() ? place.mount : root / place.mount.relative_path();
    for (fs::path below = place.folder;; below = below.parent_path()) {
        const auto level = read_level(top / below, controller, place.v2);
        if (level && (!tightest || is_tighter(*level, *tightest, controller.shared_by_children))) {
            tightest = level;
            where = below.empty() ? place.mount : place.mount / below;
        }
        if (below.empty()) {
            break;
        }
    }
    if (tightest) {
        add_limit(found, controller.limit_name, tightest->limit, tightest->limit, tightest->used,
                  where.string());
    }
    return tightest.has_value();
}

}  // namespace

std::optional<std::int64_t> read_cgroup_number(std::string_view text) {
    text = text.substr(0, text.find('\n'));
    if (text == "max" || text == "-1") {
        return kNoLimit;
    }
    const auto value = parse_number<std::uint64_t>(text);
    if (!value) {
        return std::nullopt;
    }
    return *value >= static_cast<std::uint64_t>(kUnlimitedBytes) ? kNoLimit
                                                                 : static_cast<std::int64_t>(*value);
}

wire::HostInspection cgroup_limits(std::string_view cgroup, std::string_view mountinfo,
                                   const fs::path& root) {
    wire::HostInspection found;
    for (const auto& controller : kControllers) {
        bool known = false;
        std::string group;
        for (const bool v2 : {true, false}) {
            const auto place = find_place(cgroup, mountinfo, controller, v2);
            if (place && !known) {
                known = add_tightest(*place, root, controller, found);
                group = (place->mount / place->folder).string();
            }
        }
        if (known) {
            continue;
        }
        if (group.empty()) {
            add_unseen(found, std::string("limits.") + controller.limit_name, "no control group is visible");
        } else {  // the group at the top has no limits, and so has one without the controller
            add_limit(found, controller.limit_name, kNoLimit, kNoLimit, kUnknown, group);
        }
    }
    return found;
}

wire::HostInspection inspect_limits(const InspectionScope& scope) {
    wire::HostInspection found;
    constexpr std::array kLimits{std::pair{"as", RLIMIT_AS}, std::pair{"memlock", RLIMIT_MEMLOCK},
                                 std::pair{"nofile", RLIMIT_NOFILE}, std::pair{"nproc", RLIMIT_NPROC}};
    for (const auto& [name, resource] : kLimits) {
        rlimit limit{};
        if (::getrlimit(resource, &limit) == 0) {
            add_limit(found, name, as_limit(limit.rlim_cur), as_limit(limit.rlim_max),
                      resource == RLIMIT_NPROC ? own_threads(scope.end) : kUnknown, "rlimit");
        }
    }
    found.MergeFrom(cgroup_limits(read_file("/proc/self/cgroup").value_or(std::string()),
                                  read_file("/proc/self/mountinfo").value_or(std::string())));
    return found;
}

}  // namespace rankscope::agent
