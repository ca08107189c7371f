// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::logs {

/// Finds which of many words occur in a line. Looks at every n-th group of bytes only: each word contains one of them,
/// wherever it stands. Immutable once built; any thread.
class LiteralScan {
public:
    static constexpr std::size_t kShortest = 4;  ///< shorter words are not possible

    LiteralScan() = default;
    /// `words`, each of at least kShortest bytes. Equal words are allowed.
    explicit LiteralScan(std::vector<std::string> words);

    /// Appends the index of each word in `text` to `found`, sorted, each once.
    void scan(std::string_view text, std::vector<std::uint32_t>& found) const;

private:
    // Words of about the same length: the shortest decides how many bytes may be left out.
    struct Sampled {
        // A group of bytes of a word.
        struct Entry {
            std::uint32_t bytes;
            std::uint32_t word;
            std::uint32_t offset;  // in the word
        };
        std::size_t group = 0;             // bytes
        std::size_t step = 0;              // from one group to the next that is looked at; 0: no words
        std::uint32_t mask = 0;            // of a group
        std::vector<std::uint64_t> marks;  // by the hash of a group: some word has it
        std::vector<std::uint32_t> begin;  // by the start of the hash, in entries
        std::vector<Entry> entries;
    };

    Sampled sampled(std::size_t group, const std::vector<std::uint32_t>& members) const;
    void scan(const Sampled& sampled, std::string_view text, std::vector<std::uint32_t>& found) const;
    void compare(const Sampled& sampled, std::uint32_t bytes, std::string_view text, std::size_t at,
                 std::vector<std::uint32_t>& found) const;

    std::vector<std::string> words_;
    Sampled short_;
    Sampled long_;
};

}  // namespace rankscope::logs
