// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/logs/facts/comm_registry.h>
#include <remote/logs/facts/fact_builder.h>
#include <remote/logs/facts/nccl_message.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

namespace rankscope::logs {
namespace {

constexpr std::size_t kMostSettings = 4096;
constexpr std::size_t kMostTransports = 4096;
constexpr std::size_t kMostProcesses = 1 << 20;

template <typename T>
void add_once(std::vector<T>& list, T value) {
    if (list.size() < 256 && std::find(list.begin(), list.end(), value) == list.end()) {
        list.push_back(std::move(value));
    }
}

struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

/// Words of lines that state facts in every version so far.
bool looks_like_a_fact(std::string_view message) {
    if (message.find(" NCCL ") != std::string_view::npos) {
        return false;  // two processes wrote into one line
    }
    for (const std::string_view word : {" via ", "Init COMPLETE", "Init START", "set by environment"}) {
        if (message.find(word) != std::string_view::npos) {
            return true;
        }
    }
    return false;
}

}  // namespace

class FactBuilder::Work {
public:
    LineFact feed(const LogLine& line) {
        if (line.speaker != Speaker::Nccl) {
            program_line(line.message);
            return channel_without_prefix(line.message);
        }
        ++facts_.nccl_lines;
        if (line.host.empty() || line.pid < 0) {
            if (auto version = version_of(line.message)) {
                add_version(std::move(*version), line, nullptr);
                return LineFact::Version;
            }
            return channel_without_prefix(line.message);
        }
        const auto process = process_of(line);
        if (process == kNone) {
            return LineFact::None;
        }
        auto& about = facts_.processes[process];
        ++about.lines;
        about.warnings += line.level == LineLevel::Warn ? 1U : 0U;
        about.last = line.place;
        if (!std::isnan(line.time) && !line.time_of_day_only) {
            about.first_time = std::isnan(about.first_time) ? line.time : about.first_time;
            about.last_time = line.time;
        }
        const auto fact = line.message.empty() ? LineFact::None : message(line, process);
        if (fact == LineFact::None && looks_like_a_fact(line.message)) {
            ++facts_.unknown_lines;
        }
        return fact;
    }

    RunFacts take() {
        facts_.communicators = comms_.take(facts_.processes);
        return std::move(facts_);
    }

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    std::size_t host_of(std::string_view name) {
        if (last_host_ < facts_.hosts.size() && facts_.hosts[last_host_].name == name) {
            return last_host_;
        }
        auto found = hosts_.find(name);
        if (found == hosts_.end()) {
            found = hosts_.emplace(std::string(name), facts_.hosts.size()).first;
            facts_.hosts.emplace_back().name = name;
        }
        last_host_ = found->second;
        return last_host_;
    }

    std::size_t process_of(const LogLine& line) {
        const auto host = host_of(line.host);
        const auto key = static_cast<std::uint64_t>(line.pid) << 24 ^ host;
        if (last_process_ != kNone && facts_.processes[last_process_].pid == line.pid &&
            facts_.processes[last_process_].host == host) {
            return last_process_;
        }
        auto& same = processes_[key];
        for (const auto index : same) {
            if (facts_.processes[index].pid == line.pid && facts_.processes[index].host == host) {
                return last_process_ = index;
            }
        }
        if (facts_.processes.size() >= kMostProcesses) {
            return kNone;
        }
        same.push_back(facts_.processes.size());
        facts_.processes.push_back(
            {.host = host, .pid = line.pid, .nccl_version = {}, .first = line.place, .last = line.place});
        return last_process_ = same.back();
    }

    // The first of several readings that knows the message.
    template <typename... Readings>
    static LineFact first_of(Readings&&... readings) {
        LineFact fact = LineFact::None;
        static_cast<void>(((fact = readings(), fact != LineFact::None) || ...));
        return fact;
    }

    LineFact message(const LogLine& line, std::size_t process) {
        const auto text = line.message;
        const auto is_topology = [&] { return topology(line, process); };
        const auto is_call = [&] { return call_or_tuning(line, process); };
        const auto is_setting = [&] { return setting(line, process); };
        const auto is_comm = [&] { return comm(line, process); };
        switch (text[0]) {
            case 'C':
                return text.starts_with("Channel ") ? topology(line, process) : connected(line, process);
            case 'R':
                return text.starts_with("Ring ") ? first_of(is_topology, is_call, is_setting)
                                                 : first_of(is_call, is_setting);
            case 'T':
                return text.starts_with("Tree") ? first_of(is_topology, is_setting) : is_setting();
            case 'B':
                return first_of([&] { return bootstrap(text, process); }, is_call);
            case 'U':
                return network(text, "Using network ", process);
            case 'A':
                return is_call();
            case 'I':
                return first_of([&] { return init_timings_line(line, process); },
                                [&] { return network(text, "Initialized NET plugin ", process); });
            case 'c':
            case 'n':
            case '[':
                return first_of(is_comm, [&] { return driver(text, process); });
            case 'N':
                return first_of([&] { return net(text, process); }, is_setting,
                                [&] { return version(line, process); });
            default:
                if (text[0] >= '0' && text[0] <= '9') {
                    return first_of([&] { return counts(line, process); }, is_call);
                }
                return first_of(is_comm, is_call, is_setting);
        }
    }

    Topology& at(const LogLine& line, std::size_t process) {
        return comms_.topology(comms_.thread(process, line.tid), line.device);
    }

    LineFact topology(const LogLine& line, std::size_t process) {
        if (line.message[0] == 'T') {
            auto nodes = tree_nodes(line.message);
            auto& trees = at(line, process).trees;
            trees.insert(trees.end(), nodes.begin(), nodes.end());
            return nodes.empty() ? LineFact::None : LineFact::Tree;
        }
        if (const auto found = edge_line(line.message)) {
            auto edge = found->edge;
            edge.transport = transport(found->transport, found->suffix);
            edge.file = line.place.file;
            edge.line = static_cast<std::uint32_t>(line.place.line);
            at(line, process).add(edge);
            return LineFact::Channel;
        }
        if (line.message[0] == 'C') {
            if (auto list = ring_list(line.message)) {
                at(line, process).lists.push_back(std::move(*list));
                return LineFact::Channel;
            }
        } else if (const auto hop = ring_hop(line.message)) {
            at(line, process).hops.push_back(*hop);
            return LineFact::Channel;
        }
        return LineFact::None;
    }

    // Pasted text: it says what, but not of whom.
    static LineFact channel_without_prefix(std::string_view text) {
        return text.starts_with("Channel ") && (edge_line(text) || ring_list(text)) ? LineFact::Channel
                                                                                    : LineFact::None;
    }

    LineFact connected(const LogLine& line, std::size_t process) {
        if (!line.message.starts_with("Connected all ")) {
            return LineFact::None;
        }
        if (!line.time_of_day_only && !std::isnan(line.time)) {
            comms_.connected(comms_.thread(process, line.tid), line.device, line.time);
        }
        return LineFact::Connected;
    }

    std::uint16_t transport(std::string_view name, std::string_view suffix) {
        const auto is = [&](const std::string& known) {
            return known.size() == name.size() + suffix.size() && known.starts_with(name) &&
                   known.ends_with(suffix);
        };
        auto& known = facts_.transports;
        for (std::size_t i = 0; i < known.size(); ++i) {
            if (is(known[i])) {
                return static_cast<std::uint16_t>(i);
            }
        }
        if (known.size() >= kMostTransports) {
            return 0;
        }
        known.push_back(std::string(name).append(suffix));
        return static_cast<std::uint16_t>(known.size() - 1);
    }

    LineFact comm(const LogLine& line, std::size_t process) {
        const auto found = comm_line(line.message);
        if (!found) {
            return LineFact::None;
        }
        comms_.comm(comms_.thread(process, line.tid), *found, line);
        switch (found->event) {
            case CommEvent::InitStart:
                return LineFact::InitStart;
            case CommEvent::InitComplete:
                return LineFact::InitComplete;
            case CommEvent::Destroy:
            case CommEvent::Abort:
                return LineFact::CommEnd;
            case CommEvent::None:
                break;
        }
        return LineFact::Comm;
    }

    LineFact init_timings_line(const LogLine& line, std::size_t process) {
        const auto found = init_timings(line.message);
        if (!found) {
            return LineFact::None;
        }
        comms_.timings(comms_.thread(process, line.tid), *found);
        return LineFact::InitTimings;
    }

    LineFact call_or_tuning(const LogLine& line, std::size_t process) {
        if (const auto call = call_line(line.message)) {
            comms_.call(comms_.thread(process, line.tid), *call);
            return LineFact::Call;
        }
        if (auto tuning = tuning_of(line.message)) {
            at(line, process).add(std::move(*tuning));
            return LineFact::Tuning;
        }
        return LineFact::None;
    }

    LineFact counts(const LogLine& line, std::size_t process) {
        const auto found = channel_counts(line.message);
        if (!found) {
            return LineFact::None;
        }
        at(line, process).counts = *found;
        return LineFact::Tree;
    }

    HostFacts& host_facts(std::size_t process) { return facts_.hosts[facts_.processes[process].host]; }

    LineFact bootstrap(std::string_view text, std::size_t process) {
        const auto list = text.starts_with("Bootstrap : Using ")  ? text.substr(18)
                          : text.starts_with("Bootstrap: Using ") ? text.substr(17)
                                                                  : std::string_view();
        auto found = interfaces_of(list);
        for (auto& address : found) {
            add_once(host_facts(process).bootstrap, std::move(address));
        }
        return found.empty() ? LineFact::None : LineFact::Bootstrap;
    }

    LineFact network(std::string_view text, std::string_view start, std::size_t process) {
        if (!text.starts_with(start)) {
            return LineFact::None;
        }
        auto& networks = host_facts(process).networks;
        if (networks.size() < 64 && start == "Using network ") {
            networks.emplace(text.substr(start.size()));
        }
        return LineFact::Network;
    }

    LineFact net(std::string_view text, std::size_t process) {
        auto& host = host_facts(process);
        if (text.starts_with("NET/Socket : Using ")) {
            for (auto& address : interfaces_of(text.substr(19))) {
                add_once(host.sockets, std::move(address));
            }
            return LineFact::Network;
        }
        if (text.starts_with("NET/IB : Using ")) {
            const auto end = text.find("; OOB ");
            for (auto& device :
                 ib_devices_of(text.substr(15, end == std::string_view::npos ? end : end - 15))) {
                add_once(host.ib_devices, std::move(device));
            }
            if (end != std::string_view::npos) {
                for (auto& address : interfaces_of(text.substr(end + 6))) {
                    host.out_of_band = std::move(address);
                }
            }
            return LineFact::Network;
        }
        if (auto device = ib_device_of(text)) {
            add_once(host.ib_devices, std::move(*device));
            return LineFact::Network;
        }
        return LineFact::None;
    }

    LineFact driver(std::string_view text, std::size_t process) {
        constexpr std::string_view kStart = "cudaDriverVersion ";
        if (!text.starts_with(kStart)) {
            return LineFact::None;
        }
        facts_.processes[process].cuda_driver = parse_number<int>(text.substr(kStart.size())).value_or(0);
        return LineFact::Driver;
    }

    LineFact version(const LogLine& line, std::size_t process) {
        auto found = version_of(line.message);
        if (!found) {
            return LineFact::None;
        }
        add_version(std::move(*found), line, &facts_.processes[process]);
        return LineFact::Version;
    }

    void add_version(VersionFact version, const LogLine& line, ProcessFacts* process) {
        if (process != nullptr) {
            process->nccl_version = version.nccl;
        }
        version.place = line.place;
        const auto same = [&](const VersionFact& v) {
            return v.nccl == version.nccl && v.cuda == version.cuda;
        };
        if (facts_.versions.size() < 64 &&
            std::none_of(facts_.versions.begin(), facts_.versions.end(), same)) {
            facts_.versions.push_back(std::move(version));
        }
    }

    LineFact setting(const LogLine& line, std::size_t process) {
        const auto found = setting_of(line.message);
        if (!found) {
            return LineFact::None;
        }
        const auto name = found->first;
        const auto value = found->second;
        const auto same =
            std::find_if(facts_.settings.begin(), facts_.settings.end(),
                         [&](const SettingFact& s) { return s.name == name && s.value == value; });
        if (same != facts_.settings.end()) {
            if (std::find(same->processes.begin(), same->processes.end(), process) == same->processes.end()) {
                same->processes.push_back(process);
            }
        } else if (facts_.settings.size() < kMostSettings) {
            facts_.settings.push_back({std::string(name), std::string(value), line.place, {process}});
        }
        return LineFact::Setting;
    }

    /// Lines of torch.utils.collect_env and of programs that print torch.__version__.
    void program_line(std::string_view text) {
        constexpr std::string_view kStart = "PyTorch version: ";
        if (facts_.torch_version.empty() && text.starts_with(kStart)) {
            const auto version = text.substr(kStart.size());
            facts_.torch_version = version.substr(0, version.find(' '));
        }
    }

    RunFacts facts_;
    CommRegistry comms_;
    std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> hosts_;
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> processes_;
    std::size_t last_host_ = kNone;
    std::size_t last_process_ = kNone;
};

FactBuilder::FactBuilder() : work_(std::make_unique<Work>()) {}
FactBuilder::~FactBuilder() = default;
FactBuilder::FactBuilder(FactBuilder&&) noexcept = default;
FactBuilder& FactBuilder::operator=(FactBuilder&&) noexcept = default;

LineFact FactBuilder::feed(const LogLine& line) {
    return work_->feed(line);
}

RunFacts FactBuilder::facts() const {
    return Work(*work_).take();
}

RunFacts FactBuilder::take() {
    auto facts = work_->take();
    work_ = std::make_unique<Work>();
    return facts;
}

}  // namespace rankscope::logs
