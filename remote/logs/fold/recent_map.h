// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rankscope::logs {

/// Small values by a 64-bit hash, the latest ones: it never grows beyond two tables of `most` entries. What was not
/// used while one of them filled up is forgotten.
template <typename Value>
class RecentMap {
public:
    explicit RecentMap(std::size_t most) : most_(std::bit_ceil(most)) {}

    /// The value of a hash, as it was set before or new; until the next call.
    Value& operator[](std::uint64_t hash) {
        const std::uint64_t key = hash == 0 ? 1 : hash;
        if (Entry* known = find(now_, key)) {
            return known->value;
        }
        Value value{};
        if (const Entry* old = find(before_, key)) {
            value = old->value;
        }
        if (used_ * 2 >= now_.size()) {
            make_room();
        }
        Entry& made = slot(now_, key);
        made = {key, value};
        ++used_;
        return made.value;
    }
    std::size_t bytes() const { return (now_.size() + before_.size()) * sizeof(Entry); }

private:
    struct Entry {
        std::uint64_t key = 0;  ///< 0: free
        Value value{};
    };
    using Table = std::vector<Entry>;

    static constexpr std::size_t kFirst = 256;

    /// The place of a key, or the free one where it belongs. Half of a table is free.
    static Entry& slot(Table& table, std::uint64_t key) {
        std::size_t at = static_cast<std::size_t>(key) & (table.size() - 1);
        while (table[at].key != 0 && table[at].key != key) {
            at = (at + 1) & (table.size() - 1);
        }
        return table[at];
    }
    static Entry* find(Table& table, std::uint64_t key) {
        if (table.empty()) {
            return nullptr;
        }
        Entry& entry = slot(table, key);
        return entry.key == key ? &entry : nullptr;
    }
    void make_room() {
        if (now_.size() >= most_) {
            before_ = std::exchange(now_, Table(kFirst));
            used_ = 0;
            return;
        }
        Table larger(now_.empty() ? kFirst : now_.size() * 2);
        for (const Entry& entry : now_) {
            if (entry.key != 0) {
                slot(larger, entry.key) = entry;
            }
        }
        now_ = std::move(larger);
    }

    std::size_t most_;
    Table now_;
    Table before_;
    std::size_t used_ = 0;
};

}  // namespace rankscope::logs
