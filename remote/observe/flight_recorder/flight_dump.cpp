// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/pickle/unpickler.h>
#include <remote/observe/flight_recorder/flight_dump.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace rankscope {
namespace {

// A small file can refer to the same value many times: what is copied has limits of its own.
constexpr std::size_t kMostEntries = 100'000;
constexpr std::size_t kMostFrames = 256;    // of an entry
constexpr std::size_t kMostTensors = 4096;  // of an entry
constexpr std::size_t kMostDimensions = 64;
constexpr std::size_t kMostGroups = 10'000;
constexpr std::size_t kMaxText = 4096;
constexpr std::size_t kRankBytes = 64;  // of one that a group names, with what is made of it later
constexpr std::size_t kMostBytes = std::size_t{128} << 20U;  // of all that is copied
// The dicts whose keys are known are small: a hostile one must not cost more.
constexpr std::size_t kMostKeys = 64;
constexpr std::size_t kMaxJsonDepth = 64;

using Json = nlohmann::json;

class TreeIntake : public Json::json_sax_t {
public:
    PickleTree tree;

    bool null() override { return add(PickleNone{}); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override {
        return add(std::in_range<std::int64_t>(value) ? PickleValue(static_cast<std::int64_t>(value))
                                                      : PickleValue(static_cast<double>(value)));
    }
    bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
    bool string(string_t& value) override { return add(keep(value)); }
    bool binary(binary_t& /*value*/) override { return false; }
    bool start_object(std::size_t /*size*/) override { return open(PickleDict{}); }
    bool key(string_t& value) override {
        key_ = static_cast<PickleId>(tree.nodes.size());
        tree.nodes.emplace_back(keep(value));
        return true;
    }
    bool end_object() override { return close(); }
    bool start_array(std::size_t /*size*/) override { return open(PickleList{}); }
    bool end_array() override { return close(); }
    bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                     const Json::exception& /*error*/) override {
        return false;
    }

private:
    std::string_view keep(const std::string& text) { return tree.texts.emplace_back(text); }

    bool add(PickleValue value) {
        const auto id = static_cast<PickleId>(tree.nodes.size());
        tree.nodes.push_back(std::move(value));
        if (!open_.empty()) {
            PickleValue& owner = tree.nodes[open_.back()];
            if (auto* list = std::get_if<PickleList>(&owner)) {
                list->items.push_back(id);
            } else if (auto* dict = std::get_if<PickleDict>(&owner)) {
                dict->items.emplace_back(key_, id);
            }
        }
        return tree.nodes.size() < kMostPlainValues;
    }
    bool open(PickleValue value) {
        if (!add(std::move(value)) || open_.size() == kMaxJsonDepth) {
            return false;
        }
        open_.push_back(static_cast<PickleId>(tree.nodes.size() - 1));
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    std::vector<PickleId> open_;
    PickleId key_ = 0;
};

/// A JSON text as the same tree, up to where it is cut off.
std::optional<PickleTree> read_json_tree(std::string_view text) {
    TreeIntake intake;
    intake.tree.complete = Json::sax_parse(text, &intake);
    return intake.tree.nodes.empty() ? std::nullopt : std::optional(std::move(intake.tree));
}

class DumpReader {
public:
    explicit DumpReader(const PickleTree& tree) : tree_(tree) {}

    std::optional<FlightDump> read() {
        dump_.complete = tree_.complete;
        if (!tree_.items(tree_.root).empty()) {  // PyTorch 2.2
            entries(tree_.root);
            return dump_.entries.empty() ? std::nullopt : std::optional(std::move(dump_));
        }
        const auto all = find(tree_.root, "entries");
        const auto version = find(tree_.root, "version");
        if (!all && !version) {
            return std::nullopt;
        }
        if (version) {
            dump_.version = text(*version);
        }
        if (const auto groups = find(tree_.root, "pg_config")) {
            read_groups(*groups);
        }
        if (all) {
            entries(*all);
        }
        return std::move(dump_);
    }

private:
    std::optional<PickleId> find(PickleId dict, std::string_view key) const {
        return tree_.find(dict, key, kMostKeys);
    }
    bool room(std::size_t bytes) {
        if (bytes > room_) {
            dump_.complete = false;
            return false;
        }
        room_ -= bytes;
        return true;
    }
    std::string text(PickleId id) {
        const std::string_view found = tree_.text(id).substr(0, kMaxText);
        return room(found.size()) ? std::string(found) : std::string();
    }
    std::string text(PickleId dict, std::string_view key) {
        const auto found = find(dict, key);
        return found ? text(*found) : std::string();
    }
    std::int64_t integer(PickleId dict, std::string_view key) const {
        const auto found = find(dict, key);
        return found ? tree_.integer(*found).value_or(0) : 0;
    }
    bool truth(PickleId dict, std::string_view key) const {
        const auto found = find(dict, key);
        const auto* value = found ? std::get_if<bool>(&tree_.at(*found)) : nullptr;
        return value != nullptr && *value;
    }

    void read_groups(PickleId id) {
        const auto* groups = std::get_if<PickleDict>(&tree_.nodes[id]);
        if (groups == nullptr) {
            return;
        }
        for (const auto& [name, group] : groups->items) {
            if (dump_.groups.size() == kMostGroups) {
                dump_.complete = false;
                return;
            }
            FlightGroup made;
            made.name = text(name);
            made.description = text(group, "desc");
            if (const auto ranks = find(group, "ranks")) {
                made.ranks = ranks_of(tree_.text(*ranks));
            }
            dump_.groups.push_back(std::move(made));
        }
    }
    // "[0, 1, 2]"
    std::vector<int> ranks_of(std::string_view list) {
        std::vector<int> ranks;
        while (!list.empty()) {
            int rank = 0;
            const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), rank);
            if (error == std::errc{}) {
                if (!room(kRankBytes)) {
                    break;
                }
                ranks.push_back(rank);
            }
            list.remove_prefix(std::max<std::size_t>(1, static_cast<std::size_t>(end - list.data())));
        }
        return ranks;
    }

    void entries(PickleId list) {
        for (const PickleId id : tree_.items(list)) {
            if (dump_.entries.size() == kMostEntries || !room(sizeof(FlightEntry))) {
                dump_.complete = false;
                return;
            }
            FlightEntry made = entry(id);
            if (made.operation.empty()) {  // the last one of a file that was cut off
                dump_.complete = false;
            } else {
                dump_.entries.push_back(std::move(made));
            }
        }
    }

    FlightEntry entry(PickleId id) {
        FlightEntry made;
        group(id, made);
        const auto sequence = find(id, "collective_seq_id");
        made.sequence = sequence ? tree_.integer(*sequence).value_or(0) : integer(id, "seq_id");
        made.operation_id = integer(id, "op_id");
        made.point_to_point = truth(id, "is_p2p");
        const std::string name = text(id, "profiling_name");  // "nccl:all_reduce"
        const std::size_t colon = name.find(':');
        made.operation = colon == std::string::npos ? name : name.substr(colon + 1);
        made.backend = colon == std::string::npos ? std::string() : name.substr(0, colon);
        made.input_sizes = sizes(id, "input_sizes");
        made.output_sizes = sizes(id, "output_sizes");
        made.input_types = types(id, "input_dtypes");
        made.output_types = types(id, "output_dtypes");
        made.state = enum_from<FlightState>(text(id, "state")).value_or(FlightState::Unknown);
        made.retired = truth(id, "retired");
        made.created_ns = integer(id, "time_created_ns");
        made.started_ns = integer(id, "time_discovered_started_ns");
        made.completed_ns = integer(id, "time_discovered_completed_ns");
        made.timeout_ms = integer(id, "timeout_ms");
        if (const auto duration = find(id, "duration_ms")) {
            made.duration_ms = tree_.number(*duration).value_or(0);
        }
        frames(id, made);
        return made;
    }
    // ("0", "default_pg"); before PyTorch 2.4 its number alone.
    void group(PickleId id, FlightEntry& made) {
        if (const auto pair = find(id, "process_group")) {
            const auto& parts = tree_.items(*pair);
            made.group = parts.empty() ? text(*pair) : text(parts[0]);
            made.description = parts.size() > 1 ? text(parts[1]) : std::string();
        } else {
            made.group = std::to_string(integer(id, "pg_id"));
        }
    }
    FlightSizes sizes(PickleId id, std::string_view key) {
        FlightSizes all;
        const auto list = find(id, key);
        if (!list) {
            return all;
        }
        for (const PickleId tensor : tree_.items(*list)) {
            const auto& dimensions = tree_.items(tensor);
            const std::size_t count = std::min(dimensions.size(), kMostDimensions);
            if (all.size() == kMostTensors ||
                !room(sizeof(FlightSizes::value_type) + count * sizeof(std::int64_t))) {
                dump_.complete = false;
                break;
            }
            auto& shape = all.emplace_back();
            for (std::size_t i = 0; i < count; ++i) {
                shape.push_back(tree_.integer(dimensions[i]).value_or(0));
            }
        }
        return all;
    }
    std::vector<std::string> types(PickleId id, std::string_view key) {
        std::vector<std::string> all;
        if (const auto list = find(id, key)) {
            for (const PickleId type : tree_.items(*list)) {
                if (all.size() == kMostTensors || !room(sizeof(std::string))) {
                    dump_.complete = false;
                    break;
                }
                all.push_back(text(type));
            }
        }
        return all;
    }
    void frames(PickleId id, FlightEntry& made) {
        const auto list = find(id, "frames");
        if (!list) {
            return;
        }
        for (const PickleId frame : tree_.items(*list)) {
            if (made.frames.size() == kMostFrames || !room(sizeof(FlightFrame))) {
                dump_.complete = false;
                return;
            }
            const std::int64_t line = integer(frame, "line");
            made.frames.push_back({text(frame, "filename"), text(frame, "name"),
                                   std::in_range<int>(line) ? static_cast<int>(line) : 0});
        }
    }

    const PickleTree& tree_;
    FlightDump dump_;
    std::size_t room_ = kMostBytes;
};

}  // namespace

bool begins_flight_dump(std::string_view start) {
    constexpr std::size_t kLookedAt = 4096;
    start = start.substr(0, kLookedAt);
    const bool pickle = start.size() >= 2 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5;
    const bool json = start.starts_with('{') || start.starts_with('[');
    const auto has = [start](std::string_view word) { return start.find(word) != std::string_view::npos; };
    return (pickle || json) && (has("pg_config") || has("profiling_name") || has("comm_lib_version"));
}

std::optional<FlightDump> read_flight_dump(std::string_view bytes) {
    const bool whole = bytes.size() <= kMaxFlightDump;
    bytes = bytes.substr(0, kMaxFlightDump);
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    const bool json = first != std::string_view::npos && (bytes[first] == '{' || bytes[first] == '[');
    auto tree = json ? read_json_tree(bytes) : salvage_plain_pickle(bytes);
    if (!tree) {
        return std::nullopt;
    }
    tree->complete = tree->complete && whole;
    return DumpReader(*tree).read();
}

}  // namespace rankscope
