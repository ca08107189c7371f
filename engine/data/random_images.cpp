// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/random_images.h>
#include <engine/data/sample_random.h>

#include <cmath>
#include <cstring>

namespace rankscope::engine {
namespace {

class RandomReader final : public ImageReader {
public:
    RandomReader(int channels, ImageSize size, std::uint64_t base)
        : channels_(channels),
          size_(size),
          base_(base),
          // Whole words are written.
          bytes_((static_cast<std::size_t>(channels) * static_cast<std::size_t>(size.height) *
                      static_cast<std::size_t>(size.width) +
                  7) /
                 8 * 8) {}

    ImageSize open(std::int64_t index) override {
        SampleRandom random(base_ + static_cast<std::uint64_t>(index) * 0xD1342543DE82EF95ULL);
        for (std::size_t at = 0; at < bytes_.size(); at += sizeof(std::uint64_t)) {
            const std::uint64_t word = random.next();
            std::memcpy(bytes_.data() + at, &word, sizeof(word));
        }
        return size_;
    }
    ImageView read(const Box& /*needed*/) override {
        return {bytes_.data(), channels_, {0, 0, size_.height, size_.width}, false};
    }

private:
    int channels_;
    ImageSize size_;
    std::uint64_t base_;
    std::vector<std::uint8_t> bytes_;
};

/// Inverse of the normal distribution function by bisection: 256 values, once.
double normal_quantile(double probability) {
    double low = -10;
    double high = 10;
    for (int i = 0; i < 100; ++i) {
        const double middle = (low + high) / 2;
        (0.5 * std::erfc(-middle / std::sqrt(2.0)) < probability ? low : high) = middle;
    }
    return (low + high) / 2;
}

}  // namespace

RandomImages::RandomImages(int channels, ImageSize size, std::uint64_t seed, std::uint64_t stream)
    : channels_(channels), size_(size), base_(SampleRandom(seed * 2 + stream).next()) {}

std::unique_ptr<ImageReader> RandomImages::reader() const {
    return std::make_unique<RandomReader>(channels_, size_, base_);
}

std::string RandomImages::identity() const {
    return "random " + std::to_string(channels_) + "x" + std::to_string(size_.height) + "x" +
           std::to_string(size_.width) + " " + std::to_string(base_);
}

std::vector<std::int32_t> random_labels(std::int64_t count, std::int64_t classes, std::uint64_t seed,
                                        std::uint64_t stream) {
    SampleRandom random(seed * 2 + stream + 0x4C6162656C730000ULL);
    std::vector<std::int32_t> labels(static_cast<std::size_t>(count));
    for (std::int32_t& label : labels) {
        label = static_cast<std::int32_t>(random.below(classes));
    }
    return labels;
}

std::vector<float> normal_table() {
    std::vector<double> exact(256);
    double variance = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        exact[i] = normal_quantile((static_cast<double>(i) + 0.5) / 256);
        variance += exact[i] * exact[i] / 256;
    }
    std::vector<float> table;
    table.reserve(exact.size());
    for (const double value : exact) {
        table.push_back(static_cast<float>(value / std::sqrt(variance)));
    }
    return table;
}

}  // namespace rankscope::engine
