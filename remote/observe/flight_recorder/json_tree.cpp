// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/flight_recorder/dump_tree.h>

#include <nlohmann/json.hpp>

#include <utility>

namespace rankscope {
namespace {

using nlohmann::json;

class TreeIntake : public json::json_sax_t {
public:
    DumpTree tree;

    bool null() override { return add(std::monostate{}); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override {
        return add(std::in_range<std::int64_t>(value) ? DumpValue(static_cast<std::int64_t>(value))
                                                      : DumpValue(static_cast<double>(value)));
    }
    bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
    bool string(string_t& value) override { return add(keep(value)); }
    bool binary(binary_t& /*value*/) override { return false; }
    bool start_object(std::size_t /*size*/) override { return open(DumpDict{}); }
    bool key(string_t& value) override {
        key_ = static_cast<DumpId>(tree.values.size());
        tree.values.emplace_back(keep(value));
        return true;
    }
    bool end_object() override { return close(); }
    bool start_array(std::size_t /*size*/) override { return open(DumpList{}); }
    bool end_array() override { return close(); }
    bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                     const json::exception& /*error*/) override {
        return false;
    }

private:
    std::string_view keep(const std::string& text) { return tree.texts.emplace_back(text); }

    bool add(DumpValue value) {
        const auto id = static_cast<DumpId>(tree.values.size());
        tree.values.push_back(std::move(value));
        if (!open_.empty()) {
            DumpValue& owner = tree.values[open_.back()];
            if (auto* list = std::get_if<DumpList>(&owner)) {
                list->items.push_back(id);
            } else if (auto* dict = std::get_if<DumpDict>(&owner)) {
                dict->items.emplace_back(key_, id);
            }
        }
        return tree.values.size() < kMostDumpValues;
    }
    bool open(DumpValue value) {
        if (!add(std::move(value)) || open_.size() == kMaxDumpDepth) {
            return false;
        }
        open_.push_back(static_cast<DumpId>(tree.values.size() - 1));
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    std::vector<DumpId> open_;
    DumpId key_ = 0;
};

}  // namespace

std::optional<DumpTree> read_json_tree(std::string_view text) {
    TreeIntake intake;
    intake.tree.complete = json::sax_parse(text, &intake);
    return intake.tree.values.empty() ? std::nullopt : std::optional(std::move(intake.tree));
}

}  // namespace rankscope
