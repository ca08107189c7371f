// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/probes/proc_text.h>

#include <arpa/inet.h>

#include <charconv>
#include <cstring>

namespace rankscope::agent {
namespace {

constexpr std::string_view kBlanks = " \t\n";

// Blanks in names of mountinfo are written as octal numbers: "\040".
std::string unescaped(std::string_view word) {
    std::string text;
    text.reserve(word.size());
    for (std::size_t i = 0; i < word.size(); ++i) {
        const auto code =
            word[i] == '\\' && word.size() - i > 3 ? number_of(word.substr(i + 1, 3), 8) : std::nullopt;
        if (code && *code < 256) {
            text.push_back(static_cast<char>(*code));
            i += 3;
        } else {
            text.push_back(word[i]);
        }
    }
    return text;
}

// "0100007F:1F90": each four bytes of the address are a number in the machine's own byte order.
bool read_endpoint(std::string_view word, std::string& address, std::uint16_t& port) {
    const auto colon = word.find(':');
    if (colon == std::string_view::npos || (colon != 8 && colon != 32)) {
        return false;
    }
    std::array<std::uint32_t, 4> parts{};
    for (std::size_t i = 0; i < colon / 8; ++i) {
        const auto part = number_of(word.substr(i * 8, 8), 16);
        if (!part) {
            return false;
        }
        parts[i] = static_cast<std::uint32_t>(*part);
    }
    const auto number = number_of(word.substr(colon + 1), 16);
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (!number || *number > 0xffff ||
        ::inet_ntop(colon == 8 ? AF_INET : AF_INET6, parts.data(), text.data(), text.size()) == nullptr) {
        return false;
    }
    address = text.data();
    port = static_cast<std::uint16_t>(*number);
    return true;
}

// "00000010:00000000", two numbers in hexadecimal.
bool read_pair(std::string_view word, std::uint64_t& first, std::uint64_t& second) {
    const auto colon = word.find(':');
    if (colon == std::string_view::npos) {
        return false;
    }
    const auto left = number_of(word.substr(0, colon), 16);
    const auto right = number_of(word.substr(colon + 1), 16);
    if (!left || !right) {
        return false;
    }
    first = *left;
    second = *right;
    return true;
}

}  // namespace

std::string_view next_word(std::string_view& text) {
    const auto begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) {
        text = {};
        return {};
    }
    text.remove_prefix(begin);
    const auto word = text.substr(0, text.find_first_of(kBlanks));
    text.remove_prefix(word.size());
    return word;
}

std::string_view next_line(std::string_view& text) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
    return line;
}

std::optional<std::uint64_t> number_of(std::string_view word, int base) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    return error == std::errc() && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

std::optional<ProcessStat> parse_process_stat(std::string_view text) {
    // The command may hold blanks and brackets: the fields start after the last ')'.
    const auto open = text.find('(');
    const auto close = text.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
        return std::nullopt;
    }
    ProcessStat stat;
    stat.command = text.substr(open + 1, close - open - 1);
    text.remove_prefix(close + 1);
    for (int field = 3; field <= 39; ++field) {  // numbered as in proc(5)
        const auto word = next_word(text);
        if (field == 3) {
            if (word.size() != 1) {
                return std::nullopt;
            }
            stat.state = word[0];
            continue;
        }
        const auto value = number_of(word);
        if (!value) {
            if (field == 4 || field == 22 || (word.empty() && field < 22)) {
                return std::nullopt;
            }
            continue;  // those that may be negative are of no interest
        }
        switch (field) {
            case 4:
                stat.parent = static_cast<std::int64_t>(*value);
                break;
            case 12:
                stat.major_faults = *value;
                break;
            case 14:
            case 15:
                stat.cpu_ticks += *value;
                break;
            case 16:
            case 17:
                stat.children_ticks += *value;
                break;
            case 20:
                stat.threads = *value;
                break;
            case 22:
                stat.start_ticks = *value;
                break;
            case 39:
                stat.processor = *value;
                break;
            default:
                break;
        }
    }
    return stat;
}

std::optional<double> parse_queued_s(std::string_view text) {
    next_word(text);
    const auto waited = number_of(next_word(text));
    return waited ? std::optional(static_cast<double>(*waited) * 1e-9) : std::nullopt;
}

std::string_view field_of_status(std::string_view text, std::string_view name) {
    while (!text.empty()) {
        auto line = next_line(text);
        if (line.starts_with(name) && line.size() > name.size() && line[name.size()] == ':') {
            line.remove_prefix(name.size() + 1);
            return next_word(line);
        }
    }
    return {};
}

std::optional<SystemCall> parse_system_call(std::string_view text) {
    const auto number = number_of(next_word(text));
    if (!number || *number > 0xffff) {
        return std::nullopt;  // "running", or -1
    }
    SystemCall call;
    call.number = static_cast<std::int64_t>(*number);
    for (auto& argument : call.arguments) {
        auto word = next_word(text);
        if (!word.starts_with("0x")) {
            return std::nullopt;
        }
        word.remove_prefix(2);
        const auto value = number_of(word, 16);
        if (!value) {
            return std::nullopt;
        }
        argument = *value;
    }
    return call;
}

ProcessIo parse_process_io(std::string_view text) {
    return {number_of(field_of_status(text, "read_bytes")).value_or(0),
            number_of(field_of_status(text, "write_bytes")).value_or(0)};
}

std::vector<Mount> parse_mountinfo(std::string_view text) {
    std::vector<Mount> mounts;
    while (!text.empty()) {
        auto line = next_line(text);
        Mount mount;
        const auto id = number_of(next_word(line));
        next_word(line);  // the parent's id
        next_word(line);  // device
        mount.root = unescaped(next_word(line));
        mount.point = unescaped(next_word(line));
        next_word(line);  // options of the mount
        std::string_view word;
        do {  // optional fields end with "-"
            word = next_word(line);
        } while (!word.empty() && word != "-");
        mount.type = next_word(line);
        mount.source = unescaped(next_word(line));
        mount.options = next_word(line);
        if (id && word == "-" && mount.point.starts_with('/') && !mount.type.empty()) {
            mount.id = *id;
            mounts.push_back(std::move(mount));
        }
    }
    return mounts;
}

std::vector<CgroupLine> parse_cgroup(std::string_view text) {
    std::vector<CgroupLine> lines;
    while (!text.empty()) {
        const auto line = next_line(text);
        const auto first = line.find(':');
        const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
        if (second != std::string_view::npos && line.substr(second + 1).starts_with('/')) {
            lines.push_back({std::string(line.substr(first + 1, second - first - 1)),
                             std::string(line.substr(second + 1))});
        }
    }
    return lines;
}

double parse_throttled_s(std::string_view text) {
    while (!text.empty()) {
        auto line = next_line(text);
        const auto name = next_word(line);
        const double unit = name == "throttled_usec" ? 1e-6 : name == "throttled_time" ? 1e-9 : 0;
        if (unit > 0) {
            return static_cast<double>(number_of(next_word(line)).value_or(0)) * unit;
        }
    }
    return 0;
}

double parse_cpu_max(std::string_view text) {
    const auto quota = number_of(next_word(text));
    const auto period = number_of(next_word(text));
    return quota && period && *period > 0 ? static_cast<double>(*quota) / static_cast<double>(*period) : 0;
}

std::optional<double> parse_full_pressure_s(std::string_view text) {
    while (!text.empty()) {
        auto line = next_line(text);
        if (next_word(line) != "full") {
            continue;
        }
        for (auto word = next_word(line); !word.empty(); word = next_word(line)) {
            if (word.starts_with("total=")) {
                const auto microseconds = number_of(word.substr(6));
                return microseconds ? std::optional(static_cast<double>(*microseconds) * 1e-6) : std::nullopt;
            }
        }
    }
    return std::nullopt;
}

std::vector<TcpLine> parse_net_tcp(std::string_view text) {
    std::vector<TcpLine> lines;
    while (!text.empty()) {
        auto line = next_line(text);
        next_word(line);  // its number
        TcpLine entry;
        const auto local = next_word(line);
        const auto peer = next_word(line);
        const auto state = number_of(next_word(line), 16);
        const auto queues = next_word(line);
        const auto timer = next_word(line);
        const auto retransmits = number_of(next_word(line), 16);
        next_word(line);  // user
        next_word(line);  // probes
        const auto inode = number_of(next_word(line));
        std::uint64_t when = 0;
        if (state && retransmits && inode && read_endpoint(local, entry.local_address, entry.local_port) &&
            read_endpoint(peer, entry.peer_address, entry.peer_port) &&
            read_pair(queues, entry.unsent, entry.unread) && read_pair(timer, entry.timer, when)) {
            entry.state = *state;
            entry.retransmits = *retransmits;
            entry.inode = *inode;
            lines.push_back(std::move(entry));
        }
    }
    return lines;
}

}  // namespace rankscope::agent
