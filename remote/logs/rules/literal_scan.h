// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::logs {

/// Finds which of many words occur in a line, most lines at a glance (Wu and Manber's shifts over pairs of bytes).
/// Immutable once built; any thread.
class LiteralScan {
public:
    static constexpr std::size_t kShortest = 4;  ///< shorter words are not possible

    LiteralScan() = default;
    /// `words`, each of at least kShortest bytes. Equal words are allowed.
    explicit LiteralScan(std::vector<std::string> words);

    /// Appends the index of each word in `text` to `found`, sorted, each once.
    void scan(std::string_view text, std::vector<std::uint32_t>& found) const;

private:
    std::vector<std::string> words_;
    std::size_t window_ = 0;
    std::vector<std::uint8_t> shift_;          // by the last two bytes of the window
    std::vector<std::uint32_t> bucket_begin_;  // by the hash of the window's last three bytes
    std::vector<std::uint32_t> bucket_;
};

}  // namespace rankscope::logs
