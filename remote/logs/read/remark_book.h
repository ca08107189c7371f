// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/read/remark.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::logs {

/// The remarks of a reading, one for each kind and source. Bounded: files without end add up to one number.
class RemarkBook {
public:
    /// Of lines of a source.
    void add(RemarkKind kind, std::uint32_t source, std::uint64_t line, std::uint64_t amount) {
        const auto known = std::find_if(remarks_.rbegin(), remarks_.rend(), [&](const Remark& r) {
            return r.kind == kind && r.source == source;
        });
        if (known != remarks_.rend()) {
            known->amount += amount;
            return;
        }
        remarks_.push_back({.kind = kind, .source = source, .line = line, .amount = amount});
    }

    /// Of a file as a whole. Only the first kMost of a kind are kept by name; `amount` of the last counts.
    void add(Remark remark) {
        remark.amount = std::max<std::uint64_t>(remark.amount, 1);
        const auto same = [&](const Remark& r) { return r.kind == remark.kind && r.line == 0; };
        if (std::count_if(remarks_.begin(), remarks_.end(), same) >= kMost) {
            std::find_if(remarks_.rbegin(), remarks_.rend(), same)->amount += remark.amount;
            return;
        }
        remarks_.push_back(std::move(remark));
    }

    std::vector<Remark> take() { return std::move(remarks_); }

private:
    static constexpr std::ptrdiff_t kMost = 100;
    std::vector<Remark> remarks_;
};

}  // namespace rankscope::logs
