// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace rankscope::agent {

/// Collects what a rank writes into chunks of whole lines.
class LineBuffer {
public:
    static constexpr std::size_t kMaxChunk = 65536;

    void feed(std::string_view bytes) { pending_ += bytes; }
    /// Whole lines that are there (at most kMaxChunk), or a part of a line that has grown longer than that.
    /// Empty: none. With `all`, also an unfinished line: the rank has gone quiet in the middle of it, or
    /// ended.
    std::string take(bool all = false) {
        if (pending_.empty()) {
            return {};
        }
        std::size_t end = pending_.rfind('\n', kMaxChunk - 1);
        if (end != std::string::npos) {
            ++end;
        } else if (all || pending_.size() >= kMaxChunk) {
            end = std::min(pending_.size(), kMaxChunk);
        } else {
            return {};
        }
        std::string chunk = pending_.substr(0, end);
        pending_.erase(0, end);
        return chunk;
    }
    bool empty() const { return pending_.empty(); }

private:
    std::string pending_;
};

/// The last lines of a rank's output, for the report of its end.
class LastLines {
public:
    static constexpr std::size_t kLines = 20;
    static constexpr std::size_t kLineLength = 500;

    void add(std::string_view text) {
        while (!text.empty()) {
            const auto end = text.find_first_of("\n\r");
            partial_ += text.substr(0, std::min(end, kLineLength));
            if (end == std::string_view::npos) {
                break;
            }
            push();
            text.remove_prefix(end + 1);
        }
        if (partial_.size() > kLineLength) {
            partial_.resize(kLineLength);
        }
    }
    std::deque<std::string> lines() {
        push();
        return lines_;
    }

private:
    void push() {
        if (partial_.empty()) {
            return;
        }
        partial_.resize(std::min(partial_.size(), kLineLength));
        lines_.push_back(std::move(partial_));
        partial_.clear();
        if (lines_.size() > kLines) {
            lines_.pop_front();
        }
    }

    std::deque<std::string> lines_;
    std::string partial_;
};

}  // namespace rankscope::agent
