// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/tap_layout.h>

#include <algorithm>

namespace rankscope::engine::cpu {
namespace {

constexpr std::int64_t kLine = 16;  // floats of a cache line, of which no part shall be fetched twice

template <class Move>
void for_each_line(std::int64_t out, std::int64_t in, std::int64_t taps, const Move& move) {
    for (std::int64_t first = 0; first < out; first += kLine) {
        const std::int64_t count = std::min(kLine, out - first);
        for (std::int64_t i = 0; i < in; ++i) {
            for (std::int64_t tap = 0; tap < taps; ++tap) {
                move((first * in + i) * taps + tap, (tap * in + i) * out + first, count);
            }
        }
    }
}

}  // namespace

void to_tap_major(std::int64_t out, std::int64_t in, std::int64_t taps, const float* canonical,
                  float* stored) {
    for_each_line(out, in, taps, [&](std::int64_t from, std::int64_t to, std::int64_t count) {
        for (std::int64_t o = 0; o < count; ++o) {
            stored[to + o] = canonical[from + o * in * taps];
        }
    });
}

void from_tap_major(std::int64_t out, std::int64_t in, std::int64_t taps, const float* stored,
                    float* canonical) {
    for_each_line(out, in, taps, [&](std::int64_t to, std::int64_t from, std::int64_t count) {
        for (std::int64_t o = 0; o < count; ++o) {
            canonical[to + o * in * taps] = stored[from + o];
        }
    });
}

}  // namespace rankscope::engine::cpu
