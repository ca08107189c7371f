// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/find_text.h>

#include <algorithm>
#include <bit>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace rankscope::gui {

namespace {

constexpr char kCaseBit = 0x20;

bool is_letter(char c) {
    const char lower = char(c | kCaseBit);
    return lower >= 'a' && lower <= 'z';
}

}  // namespace

TextFinder::TextFinder(std::string wanted, bool case_matters)
    : wanted_(std::move(wanted)), folds_(wanted_.size(), '\0') {
    if (!case_matters) {
        for (std::size_t i = 0; i < wanted_.size(); ++i) {
            if (is_letter(wanted_[i])) {
                wanted_[i] = char(wanted_[i] | kCaseBit);
                folds_[i] = kCaseBit;
            }
        }
    }
}

bool TextFinder::can_ignore_case(std::string_view wanted) {
    // K and S have relatives among other scripts (the Kelvin sign, the long s): they are not looked for.
    return std::all_of(wanted.begin(), wanted.end(), [](char c) { return (c & 0x80) == 0; });
}

bool TextFinder::is_at(const char* text) const {
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
        if (char(text[i] | folds_[i]) != wanted_[i]) {
            return false;
        }
    }
    return true;
}

std::size_t TextFinder::find_slowly(std::string_view text, std::size_t from) const {
    for (std::size_t at = from; at + wanted_.size() <= text.size(); ++at) {
        if (is_at(text.data() + at)) {
            return at;
        }
    }
    return std::string_view::npos;
}

std::size_t TextFinder::find(std::string_view text, std::size_t from) const {
    if (wanted_.empty() || text.size() < wanted_.size()) {
        return std::string_view::npos;
    }
#if defined(__SSE2__)
    constexpr std::size_t kWide = 16;
    const std::size_t last = wanted_.size() - 1;
    const __m128i first_byte = _mm_set1_epi8(wanted_.front());
    const __m128i last_byte = _mm_set1_epi8(wanted_.back());
    const __m128i first_fold = _mm_set1_epi8(folds_.front());
    const __m128i last_fold = _mm_set1_epi8(folds_.back());
    const char* data = text.data();
    for (; from + last + kWide <= text.size(); from += kWide) {
        const __m128i here = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data + from));
        const __m128i there = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data + from + last));
        const __m128i same = _mm_and_si128(_mm_cmpeq_epi8(_mm_or_si128(here, first_fold), first_byte),
                                           _mm_cmpeq_epi8(_mm_or_si128(there, last_fold), last_byte));
        auto places = unsigned(_mm_movemask_epi8(same));
        while (places != 0) {
            const auto at = from + std::size_t(std::countr_zero(places));
            if (is_at(data + at)) {
                return at;
            }
            places &= places - 1;
        }
    }
#endif
    return find_slowly(text, from);
}

}  // namespace rankscope::gui
