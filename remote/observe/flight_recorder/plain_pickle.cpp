// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// CPython's pickletools describes the format.

#include <remote/observe/flight_recorder/dump_tree.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <unordered_map>

namespace rankscope {
namespace {

/// The instructions of protocols 2 to 4 that plain values need.
enum Opcode : unsigned char {
    kProto = 0x80,
    kFrame = 0x95,
    kStop = '.',
    kMark = '(',
    kNone = 'N',
    kNewTrue = 0x88,
    kNewFalse = 0x89,
    kBinInt = 'J',
    kBinInt1 = 'K',
    kBinInt2 = 'M',
    kLong1 = 0x8a,
    kBinFloat = 'G',
    kBinUnicode = 'X',
    kShortBinUnicode = 0x8c,
    kBinUnicode8 = 0x8d,
    kShortBinString = 'U',
    kBinString = 'T',
    kShortBinBytes = 'C',
    kBinBytes = 'B',
    kEmptyTuple = ')',
    kTuple1 = 0x85,
    kTuple2 = 0x86,
    kTuple3 = 0x87,
    kTuple = 't',
    kEmptyList = ']',
    kAppend = 'a',
    kAppends = 'e',
    kEmptyDict = '}',
    kSetItem = 's',
    kSetItems = 'u',
    kBinGet = 'h',
    kLongBinGet = 'j',
    kBinPut = 'q',
    kLongBinPut = 'r',
    kMemoize = 0x94,
    // Python code: refused.
    kGlobal = 'c',
    kStackGlobal = 0x93,
    kReduce = 'R',
    kBuild = 'b',
    kInst = 'i',
    kObj = 'o',
    kNewObj = 0x81,
    kNewObjEx = 0x92,
    kBinPersid = 'Q',
    kPersid = 'P',
    kExt1 = 0x82,
    kExt2 = 0x83,
    kExt4 = 0x84,
};

bool names_code(unsigned char opcode) {
    static constexpr std::array<unsigned char, 13> kCode{
        kGlobal,   kStackGlobal, kReduce, kBuild, kInst, kObj, kNewObj,
        kNewObjEx, kBinPersid,   kPersid, kExt1,  kExt2, kExt4};
    return std::find(kCode.begin(), kCode.end(), opcode) != kCode.end();
}

class PlainPickle {
public:
    explicit PlainPickle(std::string_view bytes) : bytes_(bytes) {}

    std::optional<DumpTree> read() {
        if (take<std::uint8_t>() != kProto || take<std::uint8_t>() > 4 || failed_) {
            return std::nullopt;
        }
        for (;;) {
            const auto opcode = take<std::uint8_t>();
            if (failed_) {
                break;
            }
            if (opcode == kStop) {
                tree_.complete = stack_.size() == 1 && marks_.empty();
                break;
            }
            if (names_code(opcode)) {
                return std::nullopt;
            }
            step(opcode);
            if (failed_ || tree_.values.size() > kMostDumpValues || stack_.size() > kMostDumpValues) {
                break;
            }
        }
        return salvage();
    }

private:
    /// What was begun and not ended ends here: each open list and dict gets what was read of it.
    std::optional<DumpTree> salvage() {
        while (!marks_.empty()) {
            const std::vector<DumpId> items = pop_to_mark();
            if (stack_.empty()) {
                break;
            }
            DumpValue& owner = tree_.values[stack_.back()];
            if (auto* list = std::get_if<DumpList>(&owner)) {
                list->items.insert(list->items.end(), items.begin(), items.end());
            } else if (auto* dict = std::get_if<DumpDict>(&owner)) {
                set_pairs(*dict, items);
            }
        }
        if (stack_.empty()) {
            return std::nullopt;
        }
        tree_.root = stack_.front();
        return std::move(tree_);
    }

    std::string_view raw(std::uint64_t size) {
        if (size > bytes_.size() - at_) {
            failed_ = true;
            return {};
        }
        const std::string_view part = bytes_.substr(at_, static_cast<std::size_t>(size));
        at_ += part.size();
        return part;
    }
    template <typename Number>
    Number take() {
        Number number{};
        const std::string_view part = raw(sizeof number);
        if (!part.empty()) {
            std::memcpy(&number, part.data(), part.size());
        }
        return number;
    }

    void push(DumpValue value) {
        if (failed_) {
            return;
        }
        stack_.push_back(static_cast<DumpId>(tree_.values.size()));
        tree_.values.push_back(std::move(value));
    }
    void push_text(std::uint64_t size) { push(raw(size)); }

    std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
    std::vector<DumpId> pop(std::size_t count) {
        if (stack_.size() < floor() + count) {
            failed_ = true;
            return {};
        }
        const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
        std::vector<DumpId> items(first, stack_.end());
        stack_.erase(first, stack_.end());
        return items;
    }
    std::vector<DumpId> pop_to_mark() {
        if (marks_.empty()) {
            failed_ = true;
            return {};
        }
        std::vector<DumpId> items = pop(stack_.size() - marks_.back());
        marks_.pop_back();
        return items;
    }
    template <typename Kind>
    Kind* top() {
        Kind* found = stack_.size() > floor() ? std::get_if<Kind>(&tree_.values[stack_.back()]) : nullptr;
        failed_ = failed_ || found == nullptr;
        return found;
    }

    static void set_pairs(DumpDict& dict, const std::vector<DumpId>& items) {
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
            dict.items.emplace_back(items[i], items[i + 1]);
        }
    }
    void append(const std::vector<DumpId>& items) {
        if (auto* list = top<DumpList>()) {
            list->items.insert(list->items.end(), items.begin(), items.end());
        }
    }
    void set_items(const std::vector<DumpId>& items) {
        if (auto* dict = top<DumpDict>()) {
            set_pairs(*dict, items);
        }
    }

    void step(unsigned char opcode) {
        switch (opcode) {
            case kFrame:
                raw(8);
                return;
            case kMark:
                failed_ = marks_.size() == kMaxDumpDepth;
                marks_.push_back(stack_.size());
                return;
            case kNone:
                return push(std::monostate{});
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
            default:
                return step_text(opcode);
        }
    }

    void step_text(unsigned char opcode) {
        switch (opcode) {
            case kShortBinUnicode:
            case kShortBinString:
            case kShortBinBytes:
                return push_text(take<std::uint8_t>());
            case kBinUnicode:
            case kBinString:
            case kBinBytes:
                return push_text(take<std::uint32_t>());
            case kBinUnicode8:
                return push_text(take<std::uint64_t>());
            default:
                return step_container(opcode);
        }
    }

    void step_container(unsigned char opcode) {
        switch (opcode) {
            case kEmptyTuple:
            case kEmptyList:
                return push(DumpList{});
            case kTuple1:
            case kTuple2:
            case kTuple3:
                return push(DumpList{pop(opcode - kTuple1 + std::size_t{1})});
            case kTuple:
                return push(DumpList{pop_to_mark()});
            case kAppend:
                return append(pop(1));
            case kAppends:
                return append(pop_to_mark());
            case kEmptyDict:
                return push(DumpDict{});
            case kSetItem:
                return set_items(pop(2));
            case kSetItems:
                return set_items(pop_to_mark());
            default:
                return step_memo(opcode);
        }
    }

    void step_memo(unsigned char opcode) {
        switch (opcode) {
            case kBinGet:
                return get(take<std::uint8_t>());
            case kLongBinGet:
                return get(take<std::uint32_t>());
            case kBinPut:
                return put(take<std::uint8_t>());
            case kLongBinPut:
                return put(take<std::uint32_t>());
            case kMemoize:
                return put(static_cast<std::uint32_t>(memo_.size()));
            default:
                failed_ = true;
        }
    }

    void get(std::uint32_t key) {
        const auto found = memo_.find(key);
        failed_ = failed_ || found == memo_.end();
        if (!failed_) {
            stack_.push_back(found->second);
        }
    }
    void put(std::uint32_t key) {
        failed_ = failed_ || stack_.size() <= floor() || memo_.size() > kMostDumpValues;
        if (!failed_) {
            memo_[key] = stack_.back();
        }
    }

    void long_integer() {
        const std::string_view bytes = raw(take<std::uint8_t>());
        if (bytes.size() > sizeof(std::int64_t)) {
            return push(std::monostate{});  // no number of a dump is so large
        }
        if (bytes.empty()) {
            return push(std::int64_t{0});
        }
        std::int64_t value = (static_cast<unsigned char>(bytes.back()) & 0x80U) != 0 ? -1 : 0;
        std::memcpy(&value, bytes.data(), bytes.size());  // two's complement, little-endian
        push(value);
    }
    void real() {
        std::array<char, sizeof(double)> bytes{};
        const std::string_view stored = raw(bytes.size());  // big-endian, alone of all
        std::reverse_copy(stored.begin(), stored.end(), bytes.begin());
        push(std::bit_cast<double>(bytes));
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    bool failed_ = false;
    DumpTree tree_;
    std::vector<DumpId> stack_;
    std::vector<std::size_t> marks_;  ///< sizes of the stack
    std::unordered_map<std::uint32_t, DumpId> memo_;
};

}  // namespace

std::optional<DumpTree> read_plain_pickle(std::string_view bytes) {
    return PlainPickle(bytes).read();
}

}  // namespace rankscope
