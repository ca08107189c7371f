// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/resample.h>

#include <algorithm>
#include <cmath>

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
void scale_columns(const std::uint8_t* in, std::size_t step, const ResampleLine& columns, std::uint8_t* out) {
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

/// Three channels at once, as decoded pictures have them.
void scale_columns_rgb(const std::uint8_t* in, const ResampleLine& columns, std::uint8_t* out,
                       std::size_t plane) {
    const std::int32_t* weight = columns.weight.data();
    for (std::size_t x = 0; x < columns.first.size(); ++x, weight += columns.taps) {
        const std::uint8_t* from = in + static_cast<std::size_t>(columns.first[x]) * 3;
        std::int32_t red = kHalf;
        std::int32_t green = kHalf;
        std::int32_t blue = kHalf;
        for (int k = 0; k < columns.count[x]; ++k) {
            red += from[3 * k] * weight[k];
            green += from[3 * k + 1] * weight[k];
            blue += from[3 * k + 2] * weight[k];
        }
        out[x] = rounded(red);
        out[plane + x] = rounded(green);
        out[2 * plane + x] = rounded(blue);
    }
}

void scale_row(const std::uint8_t* lines, std::size_t width, int count, const std::int32_t* weight,
               std::uint8_t* out) {
    // A strip at a time, so that the sums stay in registers.
    constexpr std::size_t kStrip = 64;
    for (std::size_t begin = 0; begin < width; begin += kStrip) {
        const std::size_t length = std::min(kStrip, width - begin);
        std::int32_t sum[kStrip];  // NOLINT(modernize-avoid-c-arrays)
        for (std::size_t x = 0; x < length; ++x) {
            sum[x] = kHalf;
        }
        for (int k = 0; k < count; ++k) {
            const std::uint8_t* line = lines + static_cast<std::size_t>(k) * width + begin;
            const std::int32_t w = weight[k];
            for (std::size_t x = 0; x < length; ++x) {
                sum[x] += line[x] * w;
            }
        }
        for (std::size_t x = 0; x < length; ++x) {
            out[begin + x] = rounded(sum[x]);
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
    const std::size_t step = image.interleaved ? channels : 1;
    const std::size_t channel_stride =
        image.interleaved ? 1 : image_width * static_cast<std::size_t>(image.part.height);
    for (int y = 0; y < row_count; ++y) {
        const auto row = static_cast<std::size_t>(box.top + first_row + y - image.part.top);
        const std::uint8_t* in = image.pixels + row * image_width * step;
        std::uint8_t* line = scratch.lines.data() + static_cast<std::size_t>(y) * width;
        if (image.interleaved && channels == 3) {
            scale_columns_rgb(in, scratch.columns, line, line_plane);
            continue;
        }
        for (std::size_t c = 0; c < channels; ++c) {
            scale_columns(in + c * channel_stride, step, scratch.columns, line + c * line_plane);
        }
    }
    for (std::size_t c = 0; c < channels; ++c) {
        for (std::size_t y = 0; y < rows.first.size(); ++y) {
            scale_row(scratch.lines.data() + c * line_plane +
                          static_cast<std::size_t>(rows.first[y] - first_row) * width,
                      width, rows.count[y], rows.weight.data() + y * static_cast<std::size_t>(rows.taps),
                      planes + c * plane_stride + y * row_stride);
        }
    }
}

}  // namespace rankscope::engine
