// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rankscope::gui {

/// A text to find in others, several GB a second: first and last byte are compared sixteen places at a time.
class TextFinder {
public:
    TextFinder() = default;
    /// Without `case_matters` "a" to "z" match their capitals too, no other letters: see can_ignore_case().
    TextFinder(std::string wanted, bool case_matters);

    static bool can_ignore_case(std::string_view wanted);
    bool empty() const { return wanted_.empty(); }
    std::size_t size() const { return wanted_.size(); }
    /// The first place at or after `from`, or npos.
    std::size_t find(std::string_view text, std::size_t from) const;

private:
    bool is_at(const char* text) const;
    std::size_t find_slowly(std::string_view text, std::size_t from) const;

    std::string wanted_;
    std::string folds_;  ///< for each byte: 0x20 where its case does not matter, else 0
};

}  // namespace rankscope::gui
