// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/memory_images.h>
#include <engine/data/sample_random.h>
#include <engine/data/synthetic_digits.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace rankscope::engine {
namespace {

constexpr int kSize = 28;

struct Point {
    float x = 0;
    float y = 0;
};
using Stroke = std::vector<Point>;

/// Strokes of the ten digits in a box of [−0.5, 0.5] × [−0.5, 0.5], y downwards. Curves are short chords.
Stroke arc(Point centre, float rx, float ry, float from_degrees, float to_degrees) {
    Stroke stroke;
    constexpr int kChords = 10;
    for (int i = 0; i <= kChords; ++i) {
        const float t =
            (from_degrees + (to_degrees - from_degrees) * static_cast<float>(i) / kChords) * 0.0174532925F;
        stroke.push_back({centre.x + rx * std::cos(t), centre.y + ry * std::sin(t)});
    }
    return stroke;
}

const std::array<std::vector<Stroke>, 10>& glyphs() {
    static const std::array<std::vector<Stroke>, 10> table{{
        {arc({0, 0}, 0.30F, 0.48F, 0, 360)},
        {{{-0.16F, -0.30F}, {0.04F, -0.48F}, {0.04F, 0.48F}}},
        {arc({0, -0.22F}, 0.28F, 0.26F, 180, 380), {{0.26F, -0.12F}, {-0.30F, 0.48F}, {0.32F, 0.48F}}},
        {arc({-0.02F, -0.24F}, 0.26F, 0.24F, 200, 450), arc({-0.02F, 0.24F}, 0.30F, 0.24F, 270, 520)},
        {{{0.14F, 0.48F}, {0.14F, -0.48F}, {-0.32F, 0.18F}, {0.34F, 0.18F}}},
        {{{0.28F, -0.48F}, {-0.22F, -0.48F}, {-0.25F, -0.04F}}, arc({-0.02F, 0.18F}, 0.30F, 0.30F, 225, 510)},
        {arc({0, 0.20F}, 0.28F, 0.28F, 0, 360), {{-0.28F, 0.20F}, {-0.20F, -0.20F}, {0.14F, -0.48F}}},
        {{{-0.30F, -0.48F}, {0.30F, -0.48F}, {-0.06F, 0.48F}}},
        {arc({0, -0.24F}, 0.23F, 0.24F, 0, 360), arc({0, 0.24F}, 0.28F, 0.24F, 0, 360)},
        {arc({0, -0.20F}, 0.28F, 0.28F, 0, 360), {{0.28F, -0.20F}, {0.22F, 0.20F}, {0.02F, 0.48F}}},
    }};
    return table;
}

/// A random rotation, slant, size and place.
struct DigitPlacement {
    float xx, xy, yx, yy, dx, dy;
    Point operator()(Point p) const { return {xx * p.x + xy * p.y + dx, yx * p.x + yy * p.y + dy}; }
};

DigitPlacement random_placement(SampleRandom& random) {
    const float angle = random.between(-0.28F, 0.28F);
    const float slant = random.between(-0.25F, 0.25F);
    const float width = random.between(14.0F, 22.0F);
    const float height = random.between(16.0F, 22.0F);
    const float c = std::cos(angle);
    const float s = std::sin(angle);
    return {c * width,
            (c * slant - s) * height,
            s * width,
            (s * slant + c) * height,
            13.5F + random.between(-2.5F, 2.5F),
            13.5F + random.between(-2.5F, 2.5F)};
}

/// Draws a line with soft edges; a pixel keeps the brightest of what covers it.
void draw_line(std::array<float, kSize * kSize>& image, Point a, Point b, float radius) {
    const float reach = radius + 1.0F;
    const auto clamped = [](float v) { return std::clamp(static_cast<int>(v), 0, kSize - 1); };
    const int x0 = clamped(std::min(a.x, b.x) - reach);
    const int x1 = clamped(std::max(a.x, b.x) + reach + 1.0F);
    const int y0 = clamped(std::min(a.y, b.y) - reach);
    const int y1 = clamped(std::max(a.y, b.y) + reach + 1.0F);
    const float ex = b.x - a.x;
    const float ey = b.y - a.y;
    const float inverse = 1.0F / std::max(ex * ex + ey * ey, 1e-6F);
    for (int y = y0; y <= y1; ++y) {
        for (int x = x0; x <= x1; ++x) {
            const float px = static_cast<float>(x) - a.x;
            const float py = static_cast<float>(y) - a.y;
            const float t = std::clamp((px * ex + py * ey) * inverse, 0.0F, 1.0F);
            const float qx = px - t * ex;
            const float qy = py - t * ey;
            const float distance = std::sqrt(qx * qx + qy * qy);
            float& pixel = image[static_cast<std::size_t>(y * kSize + x)];
            pixel = std::max(pixel, std::clamp(radius + 0.5F - distance, 0.0F, 1.0F));
        }
    }
}

void draw_sample(std::uint8_t digit, SampleRandom& random, std::uint8_t* pixels) {
    std::array<float, kSize * kSize> image{};
    const DigitPlacement place = random_placement(random);
    const float radius = random.between(0.8F, 1.7F);
    for (const Stroke& stroke : glyphs().at(digit)) {
        for (std::size_t i = 1; i < stroke.size(); ++i) {
            draw_line(image, place(stroke[i - 1]), place(stroke[i]), radius);
        }
    }
    const float brightness = random.between(170.0F, 255.0F);
    for (std::size_t i = 0; i < image.size(); i += 8) {
        std::uint64_t noise = random.next();
        for (std::size_t j = 0; j < 8; ++j, noise >>= 8U) {
            const float speckle = static_cast<float>(noise & 0xFFU) * 0.12F;
            pixels[i + j] = static_cast<std::uint8_t>(std::min(image[i + j] * brightness + speckle, 255.0F));
        }
    }
}

}  // namespace

ImageSet draw_digits(std::int64_t count, std::uint64_t seed, std::uint64_t stream) {
    ImageSet set;
    set.classes = 10;
    set.labels.resize(static_cast<std::size_t>(count));
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(count) * kSize * kSize);
    SampleRandom mixer(seed * 2 + stream);
    const std::uint64_t base = mixer.next();
    for (std::size_t i = 0; i < set.labels.size(); ++i) {
        SampleRandom random(base + i * 0xD1342543DE82EF95ULL);
        const auto digit = static_cast<std::uint8_t>((i + random.next() % 10) % 10);
        set.labels[i] = digit;
        draw_sample(digit, random, pixels.data() + i * kSize * kSize);
    }
    set.images = std::make_shared<MemoryImages>(1, ImageSize{kSize, kSize}, std::move(pixels));
    return set;
}

}  // namespace rankscope::engine
