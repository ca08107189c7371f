// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/logs/facts/nccl_message.h>
#include <remote/logs/grammar/scan.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace rankscope::logs {
namespace {

constexpr int kMostChannels = 1024;  // NCCL's own limit is 64

std::optional<int> take_signed(std::string_view& rest) {
    auto after = rest;
    const bool minus = take(after, "-");
    const auto number = take_int(after);
    if (!number) {
        return std::nullopt;
    }
    rest = after;
    return minus ? -*number : *number;
}

std::uint64_t hexadecimal(std::string_view text) {
    take(text, "0x");
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return value;
}

std::string_view take_word(std::string_view& rest) {
    skip_spaces(rest);
    const auto word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(word.size());
    return word;
}

double decimal(std::string_view text) {
    double value = kNoTime;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// "1[18000]", "7[3]": the rank.
std::optional<int> take_rank(std::string_view& rest) {
    const auto rank = take_int(rest);
    if (rank && rest.starts_with('[')) {
        rest.remove_prefix(std::min(rest.find(']'), rest.size() - 1) + 1);
    }
    return rank;
}

}  // namespace

std::vector<InterfaceAddress> interfaces_of(std::string_view list) {
    std::vector<InterfaceAddress> found;
    while (!list.empty() && found.size() < 64) {
        skip_spaces(list);
        if (list.starts_with('[')) {
            list.remove_prefix(std::min(list.find(']'), list.size() - 1) + 1);
        }
        const auto colon = list.find(':');
        const auto end = list.find('<');
        if (colon == std::string_view::npos || end == std::string_view::npos || colon > end || colon == 0) {
            break;
        }
        found.push_back(
            {std::string(list.substr(0, colon)), std::string(list.substr(colon + 1, end - colon - 1))});
        list.remove_prefix(std::min(list.find('>', end), list.size() - 1) + 1);
    }
    return found;
}

std::vector<IbDevice> ib_devices_of(std::string_view list) {
    std::vector<IbDevice> found;
    while (found.size() < 256) {
        const auto word = take_word(list);
        if (word.empty()) {
            return found;
        }
        auto rest = word;
        if (!take(rest, "[")) {
            continue;
        }
        const auto index = take_int(rest);
        const auto colon = rest.find(':');
        if (!index || !take(rest, "]") || colon == std::string_view::npos) {
            continue;
        }
        IbDevice device{.index = *index, .name = std::string(rest.substr(0, colon - 1))};
        rest.remove_prefix(colon);
        device.port = take_int(rest).value_or(0);
        if (take(rest, "/")) {
            device.link = rest;
        }
        found.push_back(std::move(device));
    }
    return found;
}

std::optional<IbDevice> ib_device_of(std::string_view message) {
    if (!take(message, "NET/IB: [")) {
        return std::nullopt;
    }
    const auto index = take_int(message);
    if (!index || !take(message, "] ")) {
        return std::nullopt;
    }
    const auto parts = split(take_word(message), ':');
    if (parts.size() != 3 || message.find("speed=") == std::string_view::npos) {
        return std::nullopt;
    }
    auto port = parts[2];
    IbDevice device{.index = *index, .name = std::string(parts[0]), .port = take_int(port).value_or(0)};
    if (take(port, "/")) {
        device.link = port;
    }
    return device;
}

std::optional<CommLine> comm_line(std::string_view message) {
    const auto at = message.substr(0, 80).find("comm 0x");
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    auto rest = message.substr(at + 5);
    CommLine line;
    line.pointer = hexadecimal(take_word(rest));
    while (!rest.empty()) {
        const auto name = take_word(rest);
        if (name == "-") {
            break;
        }
        const auto value = take_word(rest);
        auto digits = value;
        const auto number = take_signed(digits);
        if (name == "rank") {
            line.rank = number.value_or(-1);
        } else if (name == "nranks" || name == "nRanks") {
            line.nranks = number.value_or(-1);
        } else if (name == "cudaDev") {
            line.cuda_device = number.value_or(-1);
        } else if (name == "nvmlDev") {
            line.nvml_device = number.value_or(-1);
        } else if (name == "busId") {
            line.bus_id = static_cast<std::int64_t>(hexadecimal(value) & 0x7fffffffffffffff);
        } else if (name == "commId") {
            line.id = value;
        } else if (name == "nNodes") {
            line.nnodes = number.value_or(-1);
        } else if (name == "localRanks") {
            line.local_ranks = number.value_or(-1);
        } else if (name == "localRank") {
            line.local_rank = number.value_or(-1);
        } else if (name == "parent") {
            line.parent = hexadecimal(value);
        } else if (name == "color") {
            line.color = number.value_or(-1);
        } else if (name == "key" && value.ends_with('-')) {
            break;  // 2.23 has no blank before the dash
        }
    }
    skip_spaces(rest);
    if (rest.starts_with("Init START")) {
        line.event = CommEvent::InitStart;
    } else if (rest.starts_with("Init COMPLETE")) {
        line.event = CommEvent::InitComplete;
    } else if (rest.starts_with("Destroy ")) {
        line.event = CommEvent::Destroy;
    } else if (rest.starts_with("Abort ")) {
        line.event = CommEvent::Abort;
    }
    if (line.rank < 0 || line.nranks <= line.rank) {
        return std::nullopt;
    }
    return line;
}

std::optional<EdgeLine> edge_line(std::string_view message) {
    if (!take(message, "Channel ") && !take(message, "Ring ")) {
        return std::nullopt;
    }
    EdgeLine line;
    const auto channel = take_int(message);
    if (!channel || *channel >= kMostChannels) {
        return std::nullopt;
    }
    line.edge.channel = static_cast<std::uint16_t>(*channel);
    if (take(message, "/")) {
        const auto connection = take_int(message);
        if (!connection || *connection > 255) {
            return std::nullopt;
        }
        line.edge.connection = static_cast<std::uint8_t>(*connection);
    }
    if (!take(message, " : ")) {
        return std::nullopt;
    }
    const auto from = take_rank(message);
    if (!from || !take(message, " -> ")) {
        return std::nullopt;
    }
    const auto to = take_rank(message);
    if (!to || !take(message, " ")) {
        return std::nullopt;
    }
    line.edge.from = *from;
    line.edge.to = *to;
    if (take(message, "[send] ")) {
        line.edge.direction = EdgeDirection::Send;
    } else if (take(message, "[receive] ")) {
        line.edge.direction = EdgeDirection::Receive;
    }
    if (!take(message, "via ")) {
        return std::nullopt;
    }
    if (message.starts_with("direct shared memory")) {
        line.transport = "SHM/direct";
        return line;
    }
    const auto net = message.starts_with("NET/")       ? std::size_t{4}
                     : message.starts_with("COLLNET/") ? std::size_t{8}
                                                       : 0;
    if (net > 0) {
        const auto end = message.find('/', net);
        line.transport = message.substr(0, end);
        message.remove_prefix(std::min(end, message.size()));
        if (take(message, "/")) {
            const auto device = take_int(message);
            line.edge.net_device = static_cast<std::int16_t>(device && *device < 32'000 ? *device : -1);
        }
        if (take(message, "(")) {
            line.edge.proxy_rank = take_int(message).value_or(-1);
        }
        line.edge.gpu_direct = message.find("GDRDMA") != std::string_view::npos;
        return line;
    }
    if (message.starts_with("P2P/direct pointer")) {
        line.transport = "P2P/direct";
        message.remove_prefix(18);
        line.suffix = message.starts_with("/read") ? message.substr(0, 5) : message.substr(0, 0);
        return line;
    }
    // "P2P/CUMEM/read", "P2P/indirect/3[1a000]", "SHM/direct/direct"
    const auto end = message.find_first_of(" [");
    line.transport = message.substr(0, end);
    if (line.transport.starts_with("P2P/indirect")) {
        line.transport = message.substr(0, 12);
    }
    // Another process may write into the line: its host and process follow then.
    return line.transport.empty() || line.transport.find(':') != std::string_view::npos ? std::nullopt
                                                                                        : std::optional(line);
}

std::optional<RingList> ring_list(std::string_view message) {
    if (!take(message, "Channel ")) {
        return std::nullopt;
    }
    RingList list;
    const auto channel = take_int(message);
    if (!channel || !take(message, "/")) {
        return std::nullopt;
    }
    const auto channels = take_int(message);
    if (!channels || !take(message, " :") || *channels > kMostChannels || *channel >= *channels) {
        return std::nullopt;
    }
    list.channel = *channel;
    list.channels = *channels;
    while (true) {
        skip_spaces(message);
        auto word = message.substr(0, message.find(' '));
        message.remove_prefix(word.size());
        const auto rank = take_int(word);
        if (!rank || !word.empty()) {
            return list.ranks.empty() ? std::nullopt : std::optional(std::move(list));
        }
        list.ranks.push_back(*rank);
    }
}

std::optional<RingHop> ring_hop(std::string_view message) {
    if (!take(message, "Ring ")) {
        return std::nullopt;
    }
    RingHop hop;
    const auto channel = take_int(message);
    if (!channel || *channel >= kMostChannels || !take(message, " : ")) {
        return std::nullopt;
    }
    const auto previous = take_int(message);
    const bool first = take(message, " -> ");
    const auto rank = take_int(message);
    const bool second = take(message, " -> ");
    const auto next = take_int(message);
    if (!previous || !first || !rank || !second || !next) {
        return std::nullopt;
    }
    return RingHop{*channel, *previous, *rank, *next};
}

namespace {

/// "3/-1/-1->2->1" (downs, self, up), "1->2->3/-1/-1" (up, self, downs).
std::optional<TreeNode> tree_node(std::string_view text) {
    const auto side = [](std::string_view& rest) {
        std::vector<int> numbers;
        do {
            const auto number = take_signed(rest);
            if (!number) {
                return std::vector<int>();
            }
            numbers.push_back(*number);
        } while (numbers.size() < 3 && take(rest, "/"));
        return numbers;
    };
    const auto arrow = [](std::string_view& rest) { return take(rest, "->") || take(rest, " -> "); };
    auto left = side(text);
    const bool first = arrow(text);
    const auto rank = take_signed(text);
    const bool second = arrow(text);
    auto right = side(text);
    if (left.empty() || !first || !rank || !second || right.empty()) {
        return std::nullopt;
    }
    const bool downs_first = left.size() >= right.size();
    const auto& downs = downs_first ? left : right;
    TreeNode node{.rank = *rank, .up = downs_first ? right[0] : left[0]};
    std::copy(downs.begin(), downs.end(), node.down.begin());
    return node;
}

}  // namespace

std::vector<TreeNode> tree_nodes(std::string_view message) {
    std::vector<TreeNode> nodes;
    const auto add = [&](std::optional<int> channel, std::string_view text) {
        if (auto node = tree_node(text); channel && *channel < kMostChannels && node) {
            node->channel = static_cast<std::uint16_t>(*channel);
            nodes.push_back(*node);
        }
    };
    if (take(message, "Tree ")) {
        const auto channel = take_int(message);
        if (take(message, " : ")) {
            add(channel, message);
        }
        return nodes;
    }
    if (!take(message, "Trees")) {
        return nodes;
    }
    while (true) {
        const auto open = message.find('[');
        if (open == std::string_view::npos) {
            return nodes;
        }
        message.remove_prefix(open + 1);
        const auto channel = take_int(message);
        if (take(message, "] ")) {
            add(channel, message.substr(0, message.find_first_of(" |")));
        }
    }
}

std::optional<ChannelCounts> channel_counts(std::string_view message) {
    ChannelCounts counts;
    bool any = false;
    for (auto part : split(message, ',')) {
        skip_spaces(part);
        const auto number = take_int(part);
        if (!number) {
            return std::nullopt;
        }
        any = any || part == " coll channels";
        int ChannelCounts::*const field = part == " coll channels"           ? &ChannelCounts::collective
                                          : part == " collnet channels"      ? &ChannelCounts::collnet
                                          : part == " nvls channels"         ? &ChannelCounts::nvls
                                          : part == " p2p channels"          ? &ChannelCounts::p2p
                                          : part == " p2p channels per peer" ? &ChannelCounts::p2p_per_peer
                                                                             : nullptr;
        if (field != nullptr) {
            counts.*field = *number;
        }
    }
    return any ? std::optional(counts) : std::nullopt;
}

std::optional<std::pair<std::string_view, std::string_view>> setting_of(std::string_view message) {
    constexpr std::string_view kMiddle = " set by environment to ";
    const auto at = message.find(kMiddle);
    if (at == std::string_view::npos || at == 0 ||
        message.substr(0, at).find(' ') != std::string_view::npos) {
        return std::nullopt;
    }
    auto value = message.substr(at + kMiddle.size());
    if (value.ends_with('.')) {
        value.remove_suffix(1);
    }
    return std::pair(message.substr(0, at), value);
}

std::optional<VersionFact> version_of(std::string_view message) {
    if (!take(message, "NCCL version ")) {
        return std::nullopt;
    }
    const auto word = message.substr(0, message.find(' '));
    const auto plus = word.find('+');
    VersionFact version{.nccl = std::string(word.substr(0, plus)), .cuda = {}, .place = {}};
    if (version.nccl.empty() || version.nccl[0] < '0' || version.nccl[0] > '9') {
        return std::nullopt;
    }
    if (plus != std::string_view::npos && word.substr(plus).starts_with("+cuda")) {
        version.cuda = word.substr(plus + 5);
    }
    return version;
}

std::optional<TuningFact> tuning_of(std::string_view message) {
    constexpr std::array<std::string_view, 7> kAlgorithms = {
        "TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"};
    constexpr std::array<std::string_view, 3> kProtocols = {"LL", "LL128", "SIMPLE"};
    const auto at = message.find(" Bytes -> Algo ");
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    TuningFact fact;
    auto head = message.substr(0, at);
    if (const auto colon = head.find(": "); colon != std::string_view::npos) {
        fact.function = head.substr(0, colon);
        head.remove_prefix(colon + 2);
    }
    const auto bytes = parse_number<std::uint64_t>(head);
    if (!bytes) {
        return std::nullopt;
    }
    fact.bytes = *bytes;
    const auto name = [](std::string_view word, const auto& names) {
        const auto number = parse_number<std::size_t>(word);
        return std::string(number && *number < names.size() ? names[*number] : word);
    };
    auto rest = message.substr(at + 15);
    fact.algorithm = name(take_word(rest), kAlgorithms);
    if (take_word(rest) == "proto") {
        fact.protocol = name(take_word(rest), kProtocols);
    }
    if (const auto range = rest.find("}={"); range != std::string_view::npos) {
        rest.remove_prefix(range + 3);
        fact.first_channel = take_int(rest).value_or(-1);
        fact.last_channel = take(rest, "..") ? take_int(rest).value_or(-1) : -1;
    }
    return fact;
}

std::optional<CallLine> call_line(std::string_view message) {
    const auto at = message.substr(0, 40).find(": opCount ");
    const auto comm = at == std::string_view::npos ? at : message.find(" comm 0x", at);
    if (comm == std::string_view::npos) {
        return std::nullopt;
    }
    const auto count = message.substr(at + 10);
    const auto pointer = message.substr(comm + 6);
    return CallLine{static_cast<std::int64_t>(hexadecimal(count) & 0x7fffffffffffffff), hexadecimal(pointer)};
}

std::optional<InitTimings> init_timings(std::string_view message) {
    if (!message.starts_with("Init timings - ")) {
        return std::nullopt;
    }
    InitTimings timings;
    auto rest = message.substr(message.find(": ") == std::string_view::npos ? message.size()
                                                                            : message.find(": ") + 2);
    while (!rest.empty()) {
        auto name = take_word(rest);
        take(name, "(");
        auto value = take_word(rest);
        while (value.ends_with(',') || value.ends_with(')')) {
            value.remove_suffix(1);
        }
        if (name == "rank") {
            timings.rank = take_int(value).value_or(-1);
        } else if (name == "total") {
            timings.total = decimal(value);
        } else if (name != "nranks" && !name.empty()) {
            timings.parts.emplace_back(name, decimal(value));
        }
    }
    return timings;
}

}  // namespace rankscope::logs
