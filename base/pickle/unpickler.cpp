// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/pickle/opcodes.h>
#include <base/pickle/unpickler.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace rankscope {
namespace {

constexpr std::size_t kMaxName = 256;

bool names_code(unsigned char opcode) {
    static constexpr std::array<unsigned char, 13> kCode{
        kGlobal,   kStackGlobal, kReduce, kBuild, kInst, kObj, kNewObj,
        kNewObjEx, kBinPersid,   kPersid, kExt1,  kExt2, kExt4};
    return std::find(kCode.begin(), kCode.end(), opcode) != kCode.end();
}

/// In a pickle of plain values: nothing of the file is used.
struct NamesCode {};

}  // namespace

std::optional<PickleTree> salvage_plain_pickle(std::string_view bytes) {
    return Unpickler(bytes, nullptr).salvage();
}

Unpickler::Unpickler(std::string_view bytes, const PickleRules* rules)
    : bytes_(bytes),
      rules_(rules),
      newest_protocol_(rules == nullptr ? 4 : rules->newest_protocol()),
      most_values_(rules == nullptr ? kMostPlainValues : rules->most_values()) {}

PickleTree Unpickler::read() {
    run();
    tree_.root = pop();
    if (!stack_.empty() || !marks_.empty()) {
        refuse("values are left over");
    }
    check(tree_.root, 0);
    tree_.complete = true;
    return std::move(tree_);
}

std::optional<PickleTree> Unpickler::salvage() {
    try {
        run();
        tree_.complete = stack_.size() == 1 && marks_.empty();
    } catch (const NamesCode&) {
        return std::nullopt;
    } catch (const PickleError&) {  // the file is used up to here
    }
    end_open_values();
    if (stack_.empty()) {
        return std::nullopt;
    }
    tree_.root = stack_.front();
    return std::move(tree_);
}

void Unpickler::run() {
    read_protocol();
    for (;;) {
        const auto opcode = take<unsigned char>();
        if (opcode == kStop) {
            return;
        }
        if (rules_ == nullptr && names_code(opcode)) {
            throw NamesCode{};
        }
        step(opcode);
        if (std::max({tree_.nodes.size(), stack_.size(), memo_.size()}) > most_values_) {
            refuse("it holds too many values");
        }
    }
}

/// Each open list and dict gets what was read of it.
void Unpickler::end_open_values() {
    while (!marks_.empty()) {
        std::vector<PickleId> items = pop_to_mark();
        if (stack_.empty()) {
            return;
        }
        PickleValue& owner = tree_.nodes[stack_.back()];
        if (auto* list = std::get_if<PickleList>(&owner)) {
            list->items.insert(list->items.end(), items.begin(), items.end());
        } else if (auto* dict = std::get_if<PickleDict>(&owner)) {
            for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
                dict->items.emplace_back(items[i], items[i + 1]);
            }
        }
    }
}

void Unpickler::read_protocol() {
    const bool known = take<unsigned char>() == kProto;
    const int protocol = take<unsigned char>();
    if (!known || protocol < 2 || protocol > newest_protocol_) {
        refuse(newest_protocol_ == 2 ? "it is not in protocol 2, torch.save's default"
                                     : "it is not in protocol 2, 3 or 4");
    }
}

void Unpickler::refuse(const std::string& what) const {
    throw PickleError("its pickle cannot be read: " + what + " (at byte " + std::to_string(at_) + ")");
}

std::string_view Unpickler::raw(std::uint64_t size) {
    if (size > bytes_.size() - at_) {
        refuse("it ends too early");
    }
    const std::string_view part = bytes_.substr(at_, size);
    at_ += size;
    return part;
}

template <typename Number>
Number Unpickler::take() {
    Number number{};
    const std::string_view part = raw(sizeof(number));
    std::memcpy(&number, part.data(), sizeof(number));
    return number;
}

std::string Unpickler::line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos || end - at_ > kMaxName) {
        refuse("a name without end");
    }
    std::string text(bytes_.substr(at_, end - at_));
    at_ = end + 1;
    return text;
}

void Unpickler::push(PickleValue value) {
    stack_.push_back(static_cast<PickleId>(tree_.nodes.size()));
    tree_.nodes.push_back(std::move(value));
}

void Unpickler::need(std::size_t count) const {
    if (stack_.size() < (marks_.empty() ? 0 : marks_.back()) + count) {
        refuse("a value is missing");
    }
}

PickleId Unpickler::pop() {
    need(1);
    const PickleId id = stack_.back();
    stack_.pop_back();
    return id;
}

PickleId Unpickler::top() {
    need(1);
    return stack_.back();
}

std::vector<PickleId> Unpickler::pop_to_mark() {
    if (marks_.empty()) {
        refuse("a mark is missing");
    }
    std::vector<PickleId> items = pop_many(stack_.size() - marks_.back());
    marks_.pop_back();
    return items;
}

std::vector<PickleId> Unpickler::pop_many(std::size_t count) {
    need(count);
    const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<PickleId> items(first, stack_.end());
    stack_.erase(first, stack_.end());
    return items;
}

void Unpickler::step(unsigned char opcode) {
    switch (opcode) {
        case kMark:
            if (marks_.size() == kMaxPickleDepth) {
                refuse("it is nested too deeply");
            }
            return marks_.push_back(stack_.size());
        case kGlobal: {
            const std::string module = line();
            return global(module + "." + line());
        }
        case kReduce:
            return reduce();
        case kBuild: {
            const PickleId state = pop();
            return rules_->build(*this, top(), state);
        }
        case kBinPersid:
            return rules_->persistent(*this, pop());
        case kNone:
            return push(PickleNone{});
        case kNewTrue:
            return push(true);
        case kNewFalse:
            return push(false);
        case kBinInt:
            return push(std::int64_t{take<std::int32_t>()});
        case kBinInt1:
            return push(std::int64_t{take<std::uint8_t>()});
        case kBinInt2:
            return push(std::int64_t{take<std::uint16_t>()});
        case kLong1:
            return long_integer();
        case kBinFloat:
            return real();
        case kBinUnicode:
            return push_text(take<std::uint32_t>());
        case kShortBinString:
            return push_text(take<std::uint8_t>());
        default:
            return step_container(opcode);
    }
}

void Unpickler::step_container(unsigned char opcode) {
    switch (opcode) {
        case kEmptyTuple:
            return push(PickleTuple{});
        case kTuple1:
        case kTuple2:
        case kTuple3:
            return push(PickleTuple{pop_many(opcode - kTuple1 + std::size_t{1})});
        case kTuple:
            return push(PickleTuple{pop_to_mark()});
        case kEmptyList:
            return push(PickleList{});
        case kAppend:
            return append(pop_many(1));
        case kAppends:
            return append(pop_to_mark());
        case kEmptyDict:
            return push(PickleDict{});
        case kSetItem:
            return set_items(pop_many(2));
        case kSetItems:
            return set_items(pop_to_mark());
        default:
            return step_memo(opcode);
    }
}

void Unpickler::step_memo(unsigned char opcode) {
    switch (opcode) {
        case kBinGet:
            return get(take<std::uint8_t>());
        case kLongBinGet:
            return get(take<std::uint32_t>());
        case kBinPut:
            return put(take<std::uint8_t>());
        case kLongBinPut:
            return put(take<std::uint32_t>());
        default:
            return step_protocol_4(opcode);
    }
}

/// Byte strings and what protocols 3 and 4 add.
void Unpickler::step_protocol_4(unsigned char opcode) {
    if (newest_protocol_ < 4) {
        refuse_opcode(opcode);
    }
    switch (opcode) {
        case kShortBinBytes:
        case kShortBinUnicode:
            return push_text(take<std::uint8_t>());
        case kBinString:
        case kBinBytes:
            return push_text(take<std::uint32_t>());
        case kBinBytes8:
        case kBinUnicode8:
            return push_text(take<std::uint64_t>());
        case kStackGlobal: {
            const auto name = as<std::string_view>(pop(), "a name is needed");
            const auto module = as<std::string_view>(pop(), "a module is needed");
            return global(std::string(module).append(".").append(name));
        }
        case kMemoize:
            return put(static_cast<std::uint32_t>(memo_.size()));
        case kFrame:
            raw(sizeof(std::uint64_t));
            return;
        default:
            refuse_opcode(opcode);
    }
}

void Unpickler::refuse_opcode(unsigned char opcode) const {
    refuse("it has an instruction (" + std::to_string(opcode) + ") that " +
           (rules_ == nullptr ? "plain data" : rules_->subject()) + " does not need");
}

void Unpickler::get(std::uint32_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) {
        refuse("it refers to a value that is not there");
    }
    stack_.push_back(found->second);
}

void Unpickler::put(std::uint32_t key) {
    memo_[key] = top();
}

void Unpickler::append(const std::vector<PickleId>& items) {
    auto& list = as<PickleList>(top(), "a list is needed").items;
    list.insert(list.end(), items.begin(), items.end());
}

void Unpickler::set_items(const std::vector<PickleId>& items) {
    auto& dict = as<PickleDict>(top(), "a dict is needed").items;
    if (items.size() % 2 != 0) {
        refuse("a key without a value");
    }
    for (std::size_t i = 0; i < items.size(); i += 2) {
        dict.emplace_back(items[i], items[i + 1]);
    }
}

void Unpickler::long_integer() {
    const std::string_view bytes = raw(take<std::uint8_t>());
    if (bytes.size() > sizeof(std::int64_t)) {
        return push(PickleObject{});
    }
    std::int64_t value = !bytes.empty() && (bytes.back() & 0x80) != 0 ? -1 : 0;
    std::memcpy(&value, bytes.data(), bytes.size());  // two's complement, little-endian
    push(value);
}

void Unpickler::real() {
    std::array<char, sizeof(double)> bytes{};
    const std::string_view stored = raw(bytes.size());  // big-endian, alone of all
    std::reverse_copy(stored.begin(), stored.end(), bytes.begin());
    push(std::bit_cast<double>(bytes));
}

void Unpickler::global(std::string name) {
    rules_->check_global(name);
    push(PickleGlobal{tree_.texts.emplace_back(std::move(name))});
}

void Unpickler::reduce() {
    const std::vector<PickleId> arguments = as<PickleTuple>(pop(), "arguments are needed").items;
    const std::string name(as<PickleGlobal>(pop(), "a function is needed").name);
    rules_->call(*this, name, arguments);
}

/// What refers to itself, or is nested without measure, would break every reader.
void Unpickler::check(PickleId id, std::size_t depth) {
    visits_.resize(tree_.nodes.size(), Visit::none);
    if (visits_[id] == Visit::done) {
        return;
    }
    if (visits_[id] == Visit::open || depth > kMaxPickleDepth) {
        refuse(depth > kMaxPickleDepth ? "it is nested too deeply" : "a value holds itself");
    }
    visits_[id] = Visit::open;
    const PickleValue& value = tree_.nodes[id];
    if (const auto* list = std::get_if<PickleList>(&value)) {
        check_all(list->items, depth);
    } else if (const auto* tuple = std::get_if<PickleTuple>(&value)) {
        check_all(tuple->items, depth);
    } else if (const auto* dict = std::get_if<PickleDict>(&value)) {
        for (const auto& [key, item] : dict->items) {
            check(key, depth + 1);
            check(item, depth + 1);
        }
    }
    visits_[id] = Visit::done;
}

void Unpickler::check_all(const std::vector<PickleId>& items, std::size_t depth) {
    for (const PickleId item : items) {
        check(item, depth + 1);
    }
}

}  // namespace rankscope
