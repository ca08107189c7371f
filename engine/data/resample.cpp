// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/resample.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

// Vectors wider than the baseline's registers stay inside this file, where everything is inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace rankscope::engine {
namespace {

constexpr int kWeightBits = 22;
constexpr std::int32_t kHalf = 1 << (kWeightBits - 1);

std::uint8_t rounded(std::int32_t sum) {
    return static_cast<std::uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
}

/// Where the filter of one pixel begins and ends in the line.
struct Reach {
    double centre = 0;
    int first = 0;
    int end = 0;
};
Reach reach_of(int pixel, int in, double scale, double support) {
    Reach reach;
    reach.centre = (pixel + 0.5) * scale;
    reach.first = std::max(static_cast<int>(reach.centre - support + 0.5), 0);
    reach.end = std::min(static_cast<int>(reach.centre + support + 0.5), in);
    return reach;
}

}  // namespace

void make_resample_line(int in, int out, int from, int pixels, ResampleLine& line) {
    const double scale = static_cast<double>(in) / out;
    const double support = std::max(scale, 1.0);
    line.taps = static_cast<int>(std::ceil(support)) * 2 + 1;
    line.first.resize(static_cast<std::size_t>(pixels));
    line.count.resize(static_cast<std::size_t>(pixels));
    line.weight.assign(static_cast<std::size_t>(pixels) * static_cast<std::size_t>(line.taps), 0);
    line.exact.resize(static_cast<std::size_t>(line.taps));
    double* exact = line.exact.data();
    for (int i = 0; i < pixels; ++i) {
        const Reach reach = reach_of(from + i, in, scale, support);
        const int count = reach.end - reach.first;
        double sum = 0;
        for (int k = 0; k < count; ++k) {
            const double distance = std::abs((k + reach.first - reach.centre + 0.5) * (1.0 / support));
            exact[k] = distance < 1.0 ? 1.0 - distance : 0.0;
            sum += exact[k];
        }
        const auto at = static_cast<std::size_t>(i);
        line.first[at] = reach.first;
        line.count[at] = count;
        std::int32_t* weight = line.weight.data() + at * static_cast<std::size_t>(line.taps);
        for (int k = 0; k < count; ++k) {
            const double share = sum == 0.0 ? 0.0 : exact[k] / sum;
            weight[k] = static_cast<std::int32_t>(0.5 + share * (1 << kWeightBits));
        }
    }
}

Box resample_source(const Box& box, const ImageSize& full, const Box& out) {
    const auto range = [](int in, int scaled, int from, int pixels) {
        const double scale = static_cast<double>(in) / scaled;
        const double support = std::max(scale, 1.0);
        return std::pair(reach_of(from, in, scale, support).first,
                         reach_of(from + pixels - 1, in, scale, support).end);
    };
    const auto [top, bottom] = range(box.height, full.height, out.top, out.height);
    const auto [left, right] = range(box.width, full.width, out.left, out.width);
    return {box.top + top, box.left + left, bottom - top, right - left};
}

namespace {

/// One line of one channel; `step` bytes from pixel to pixel.
void scale_line(const std::uint8_t* in, std::size_t step, const ResampleLine& columns, std::uint8_t* out) {
    const std::int32_t* weight = columns.weight.data();
    for (std::size_t x = 0; x < columns.first.size(); ++x, weight += columns.taps) {
        const std::uint8_t* from = in + static_cast<std::size_t>(columns.first[x]) * step;
        std::int32_t sum = kHalf;
        for (int k = 0; k < columns.count[x]; ++k) {
            sum += from[static_cast<std::size_t>(k) * step] * weight[k];
        }
        out[x] = rounded(sum);
    }
}

/// One pixel line from `count` lines above one another.
void scale_row_portable(const std::uint8_t* lines, std::size_t width, int count, const std::int32_t* weight,
                        std::uint8_t* out) {
    for (std::size_t x = 0; x < width; ++x) {
        std::int32_t sum = kHalf;
        for (int k = 0; k < count; ++k) {
            sum += lines[static_cast<std::size_t>(k) * width + x] * weight[k];
        }
        out[x] = rounded(sum);
    }
}

#if defined(__x86_64__)

constexpr std::size_t kRows = 16;  // that go through the pass over the columns side by side
using Bytes [[gnu::vector_size(kRows)]] = std::uint8_t;

/// 16 × 16 bytes, rows for columns: four rounds of interleaving the first half with the second.
[[gnu::always_inline]] inline void transpose(Bytes (&block)[kRows]) {  // NOLINT(modernize-avoid-c-arrays)
    for (int round = 0; round < 4; ++round) {
        Bytes next[kRows];  // NOLINT(modernize-avoid-c-arrays)
        for (std::size_t i = 0; i < kRows / 2; ++i) {
            next[2 * i] = __builtin_shufflevector(block[i], block[i + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20,
                                                  5, 21, 6, 22, 7, 23);
            next[2 * i + 1] = __builtin_shufflevector(block[i], block[i + 8], 8, 24, 9, 25, 10, 26, 11, 27,
                                                      12, 28, 13, 29, 14, 30, 15, 31);
        }
        std::memcpy(block, next, sizeof(next));
    }
}

/// tile[i × 16 + row] = byte i of the row, for 16 rows.
[[gnu::always_inline]] inline void gather_rows(const std::uint8_t* in, std::size_t row_bytes,
                                               std::size_t bytes, std::uint8_t* tile) {
    for (std::size_t i = 0;; i = std::min(i + kRows, bytes - kRows)) {
        Bytes block[kRows];  // NOLINT(modernize-avoid-c-arrays)
        for (std::size_t row = 0; row < kRows; ++row) {
            std::memcpy(&block[row], in + row * row_bytes + i, sizeof(Bytes));
        }
        transpose(block);
        std::memcpy(tile + i * kRows, block, sizeof(block));
        if (i + kRows >= bytes) {
            return;
        }
    }
}

// Widening bytes by the compiler's vector extension is done element by element (GCC 12): hence intrinsics.
#define RANKSCOPE_AVX2 [[gnu::target("avx2"), gnu::always_inline]] inline

RANKSCOPE_AVX2 __m256i widened(const std::uint8_t* at) {
    std::int64_t eight = 0;
    std::memcpy(&eight, at, sizeof(eight));
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(eight));
}

/// 16 sums, low and high half, as 16 bytes.
RANKSCOPE_AVX2 void store_rounded(__m256i low, __m256i high, std::uint8_t* out) {
    // Both packings saturate: what is below 0 or above 255 is cut off.
    const __m256i words =
        _mm256_packs_epi32(_mm256_srai_epi32(low, kWeightBits), _mm256_srai_epi32(high, kWeightBits));
    const __m256i sorted = _mm256_permute4x64_epi64(words, 0xD8);
    const __m128i bytes =
        _mm_packus_epi16(_mm256_castsi256_si128(sorted), _mm256_extracti128_si256(sorted, 1));
    std::memcpy(out, &bytes, sizeof(bytes));
}

/// One pixel of `C` channels in 16 rows.
template <std::size_t C>
RANKSCOPE_AVX2 void scale_pixel(const std::uint8_t* tile, int count, const std::int32_t* weight,
                                std::uint8_t* const* out) {
    __m256i low[C];   // NOLINT(modernize-avoid-c-arrays)
    __m256i high[C];  // NOLINT(modernize-avoid-c-arrays)
    for (std::size_t c = 0; c < C; ++c) {
        low[c] = high[c] = _mm256_set1_epi32(kHalf);
    }
    for (int k = 0; k < count; ++k) {
        const __m256i share = _mm256_set1_epi32(weight[k]);
        for (std::size_t c = 0; c < C; ++c, tile += kRows) {
            low[c] = _mm256_add_epi32(low[c], _mm256_mullo_epi32(widened(tile), share));
            high[c] = _mm256_add_epi32(high[c], _mm256_mullo_epi32(widened(tile + 8), share));
        }
    }
    for (std::size_t c = 0; c < C; ++c) {
        store_rounded(low[c], high[c], out[c]);
    }
}

/// 16 lines at once, `C` interleaved channels: line r of channel c goes to out[c × plane + r × width].
template <std::size_t C>
RANKSCOPE_AVX2 void scale_lines(const std::uint8_t* in, std::size_t row_bytes, const ResampleLine& columns,
                                std::vector<std::uint8_t>& tile, std::uint8_t* out, std::size_t plane) {
    const std::size_t width = columns.first.size();
    const auto begin = static_cast<std::size_t>(columns.first.front());
    const auto end = static_cast<std::size_t>(columns.first.back() + columns.count.back());
    tile.resize((end - begin) * C * kRows);
    gather_rows(in + begin * C, row_bytes, (end - begin) * C, tile.data());
    std::uint8_t pixels[C][kRows * kRows];  // NOLINT(modernize-avoid-c-arrays)
    for (std::size_t x = 0; x < width; x += kRows) {
        const std::size_t here = std::min(kRows, width - x);
        for (std::size_t i = 0; i < here; ++i) {
            std::uint8_t* target[C];  // NOLINT(modernize-avoid-c-arrays)
            for (std::size_t c = 0; c < C; ++c) {
                target[c] = pixels[c] + i * kRows;
            }
            scale_pixel<C>(tile.data() + (static_cast<std::size_t>(columns.first[x + i]) - begin) * C * kRows,
                           columns.count[x + i],
                           columns.weight.data() + (x + i) * static_cast<std::size_t>(columns.taps), target);
        }
        for (std::size_t c = 0; c < C; ++c) {
            Bytes block[kRows];  // NOLINT(modernize-avoid-c-arrays)
            std::memcpy(block, pixels[c], sizeof(block));
            transpose(block);
            for (std::size_t row = 0; row < kRows; ++row) {
                std::memcpy(out + c * plane + row * width + x, &block[row], here);
            }
        }
    }
}

[[gnu::target("avx2")]] void scale_lines_grey(const std::uint8_t* in, std::size_t row_bytes,
                                              const ResampleLine& columns, std::vector<std::uint8_t>& tile,
                                              std::uint8_t* out, std::size_t plane) {
    scale_lines<1>(in, row_bytes, columns, tile, out, plane);
}
[[gnu::target("avx2")]] void scale_lines_rgb(const std::uint8_t* in, std::size_t row_bytes,
                                             const ResampleLine& columns, std::vector<std::uint8_t>& tile,
                                             std::uint8_t* out, std::size_t plane) {
    scale_lines<3>(in, row_bytes, columns, tile, out, plane);
}

[[gnu::target("avx2")]] void scale_row_avx2(const std::uint8_t* lines, std::size_t width, int count,
                                            const std::int32_t* weight, std::uint8_t* out) {
    if (width < kRows) {
        scale_row_portable(lines, width, count, weight, out);
        return;
    }
    // The last pixels are done twice rather than in another way.
    for (std::size_t x = 0;; x = std::min(x + kRows, width - kRows)) {
        __m256i low = _mm256_set1_epi32(kHalf);
        __m256i high = low;
        for (int k = 0; k < count; ++k) {
            const __m256i share = _mm256_set1_epi32(weight[k]);
            const std::uint8_t* line = lines + static_cast<std::size_t>(k) * width + x;
            low = _mm256_add_epi32(low, _mm256_mullo_epi32(widened(line), share));
            high = _mm256_add_epi32(high, _mm256_mullo_epi32(widened(line + 8), share));
        }
        store_rounded(low, high, out + x);
        if (x + kRows >= width) {
            return;
        }
    }
}

#endif

using ScaleLines = void (*)(const std::uint8_t* in, std::size_t row_bytes, const ResampleLine& columns,
                            std::vector<std::uint8_t>& tile, std::uint8_t* out, std::size_t plane);

struct Variant {
    std::size_t rows = 0;  ///< that the functions take at once; 0: there are none
    ScaleLines grey = nullptr;
    ScaleLines rgb = nullptr;
    void (*row)(const std::uint8_t*, std::size_t, int, const std::int32_t*,
                std::uint8_t*) = scale_row_portable;
};

const Variant& variant() {
    static const Variant chosen = [] {
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx2")) {
            return Variant{kRows, scale_lines_grey, scale_lines_rgb, scale_row_avx2};
        }
#endif
        return Variant{};
    }();
    return chosen;
}

/// The pass over the columns for one group of interleaved channels: `count` lines from `in` to `out`, channel
/// by channel, `plane` bytes from one to the next.
void scale_all_lines(const std::uint8_t* in, std::size_t row_bytes, std::size_t count, std::size_t channels,
                     const ResampleLine& columns, std::vector<std::uint8_t>& tile, std::uint8_t* out,
                     std::size_t plane) {
    const std::size_t width = columns.first.size();
    const ScaleLines scale = channels == 1 ? variant().grey : channels == 3 ? variant().rgb : nullptr;
    const std::size_t rows = variant().rows;
    const auto bytes =
        static_cast<std::size_t>(columns.first.back() + columns.count.back() - columns.first.front()) *
        channels;
    if (scale != nullptr && count >= rows && bytes >= rows) {
        // The last lines are done twice rather than in another way.
        for (std::size_t y = 0;; y = std::min(y + rows, count - rows)) {
            scale(in + y * row_bytes, row_bytes, columns, tile, out + y * width, plane);
            if (y + rows >= count) {
                return;
            }
        }
    }
    for (std::size_t y = 0; y < count; ++y) {
        for (std::size_t c = 0; c < channels; ++c) {
            scale_line(in + y * row_bytes + c, channels, columns, out + c * plane + y * width);
        }
    }
}

}  // namespace

void resample(const ImageView& image, const Box& box, const ImageSize& full, const Box& out,
              ResampleScratch& scratch, std::uint8_t* planes, std::size_t plane_stride,
              std::size_t row_stride) {
    make_resample_line(box.width, full.width, out.left, out.width, scratch.columns);
    make_resample_line(box.height, full.height, out.top, out.height, scratch.rows);
    for (int& column : scratch.columns.first) {
        column += box.left - image.part.left;
    }
    const ResampleLine& rows = scratch.rows;
    const int first_row = rows.first.front();
    const int row_count = rows.first.back() + rows.count.back() - first_row;
    const auto width = static_cast<std::size_t>(out.width);
    const std::size_t line_plane = width * static_cast<std::size_t>(row_count);
    const auto channels = static_cast<std::size_t>(image.channels);
    scratch.lines.resize(channels * line_plane);

    const auto image_width = static_cast<std::size_t>(image.part.width);
    const std::size_t group = image.interleaved ? channels : 1;  // channels beside one another
    const std::size_t row_bytes = image_width * group;
    const auto top = static_cast<std::size_t>(box.top + first_row - image.part.top);
    for (std::size_t c = 0; c < channels; c += group) {
        const std::uint8_t* plane =
            image.pixels + c * image_width * static_cast<std::size_t>(image.part.height);
        scale_all_lines(plane + top * row_bytes, row_bytes, static_cast<std::size_t>(row_count), group,
                        scratch.columns, scratch.tile, scratch.lines.data() + c * line_plane, line_plane);
    }
    for (std::size_t c = 0; c < channels; ++c) {
        for (std::size_t y = 0; y < rows.first.size(); ++y) {
            variant().row(scratch.lines.data() + c * line_plane +
                              static_cast<std::size_t>(rows.first[y] - first_row) * width,
                          width, rows.count[y], rows.weight.data() + y * static_cast<std::size_t>(rows.taps),
                          planes + c * plane_stride + y * row_stride);
        }
    }
}

}  // namespace rankscope::engine
