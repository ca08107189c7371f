// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/random_images.h>
#include <engine/data/transform.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace rankscope::engine {
namespace {

bool is_random(const config::DatasetConfig& config) {
    return config.name == "random" || config.name == "dummy";
}

/// {channels, height, width}; features are one line of grey.
std::vector<int> image_shape(const config::DatasetConfig& config) {
    const std::vector<std::int64_t> shape = config::sample_kind(config).shape;
    if (shape.size() == 3) {
        return {static_cast<int>(shape[0]), static_cast<int>(shape[1]), static_cast<int>(shape[2])};
    }
    return {1, 1, static_cast<int>(shape[0])};
}

PixelTable table_for(const config::DatasetConfig& config) {
    const int channels = image_shape(config)[0];
    return is_random(config) ? PixelTable(channels, normal_table()) : PixelTable(channels, config.normalize);
}

/// Rounds as Python's round() does: halves to the even neighbour.
int python_round(double value) {
    return static_cast<int>(std::nearbyint(value));
}

/// torchvision's CenterCrop: where a side is too short, black is added, the odd pixel at the far end.
int centre(int side, int wanted) {
    return side < wanted ? -((wanted - side) / 2) : python_round((side - wanted) / 2.0);
}

}  // namespace

Transform::Transform(const config::DatasetConfig& config, Split split)
    : size_{image_shape(config)[1], image_shape(config)[2]}, table_(table_for(config)) {
    if (split == Split::train) {
        augment_ = config.augment;
    }
    if (config.resize) {
        resize_ = static_cast<int>(*config.resize);
    } else if (config.name == "image-folder") {
        resize_ = static_cast<int>(size_.height * 256LL / 224);
    } else if (config.image_size && !is_random(config)) {
        resize_ = size_.height;
    }
}

ImageSize Transform::scaled(const ImageSize& stored) const {
    if (!resize_) {
        return stored;
    }
    // As torchvision's Resize: the longer side is cut off, not rounded.
    const auto longer = [this](int side, int shorter) {
        return static_cast<int>(static_cast<double>(*resize_) * side / shorter);
    };
    if (stored.width <= stored.height) {
        return {longer(stored.height, stored.width), *resize_};
    }
    return {*resize_, longer(stored.width, stored.height)};
}

// torchvision's RandomResizedCrop.get_params: ten tries, then the middle.
Placement Transform::resized_crop(const ImageSize& stored, SampleRandom& random) const {
    const config::AugmentConfig::RandomResizedCrop& crop = *augment_.random_resized_crop;
    const double area = static_cast<double>(stored.height) * stored.width;
    const double log_min = std::log(crop.ratio_min);
    const double log_max = std::log(crop.ratio_max);
    for (int attempt = 0; attempt < 10; ++attempt) {
        const double target = area * (crop.scale_min + (crop.scale_max - crop.scale_min) * random.uniform());
        const double ratio = std::exp(log_min + (log_max - log_min) * random.uniform());
        const int width = python_round(std::sqrt(target * ratio));
        const int height = python_round(std::sqrt(target / ratio));
        if (width > 0 && width <= stored.width && height > 0 && height <= stored.height) {
            const auto top = static_cast<int>(random.below(stored.height - height + 1));
            const auto left = static_cast<int>(random.below(stored.width - width + 1));
            return {{top, left, height, width}, size_};
        }
    }
    int width = stored.width;
    int height = stored.height;
    const double ratio = static_cast<double>(width) / height;
    if (ratio < crop.ratio_min) {
        height = std::clamp(python_round(width / crop.ratio_min), 1, stored.height);
    } else if (ratio > crop.ratio_max) {
        width = std::clamp(python_round(height * crop.ratio_max), 1, stored.width);
    }
    return {{(stored.height - height) / 2, (stored.width - width) / 2, height, width}, size_};
}

Placement Transform::place(const ImageSize& stored, SampleRandom random) const {
    Placement placement;
    if (augment_.random_resized_crop) {
        placement = resized_crop(stored, random);
    } else {
        placement.box = {0, 0, stored.height, stored.width};
        placement.full = scaled(stored);
        placement.top = centre(placement.full.height, size_.height);
        placement.left = centre(placement.full.width, size_.width);
        if (augment_.random_crop) {
            const auto padding = static_cast<int>(augment_.random_crop->padding);
            const auto draw = [&](int side, int wanted, int middle) {
                const int places = side + 2 * padding - wanted + 1;
                return places < 1 ? middle : static_cast<int>(random.below(places)) - padding;
            };
            placement.top = draw(placement.full.height, size_.height, placement.top);
            placement.left = draw(placement.full.width, size_.width, placement.left);
        }
    }
    placement.flip = augment_.horizontal_flip && random.uniform() < *augment_.horizontal_flip;
    return placement;
}

namespace {

/// The part of the window that is not black, in the window's own coordinates.
Box filled_part(const Placement& placement, const ImageSize& size) {
    const int top = std::clamp(-placement.top, 0, size.height);
    const int left = std::clamp(-placement.left, 0, size.width);
    const int bottom = std::clamp(placement.full.height - placement.top, top, size.height);
    const int right = std::clamp(placement.full.width - placement.left, left, size.width);
    return {top, left, bottom - top, right - left};
}

bool is_scaled(const Placement& placement) {
    return placement.full.height != placement.box.height || placement.full.width != placement.box.width;
}

void mirror_row(std::uint8_t* row, std::size_t width) {
    if (width % 16 != 0) {
        std::reverse(row, row + width);
        return;
    }
    // Eight bytes at a time from both ends.
    for (std::size_t i = 0, j = width - 8; i < j; i += 8, j -= 8) {
        std::uint64_t low = 0;
        std::uint64_t high = 0;
        std::memcpy(&low, row + i, 8);
        std::memcpy(&high, row + j, 8);
        low = __builtin_bswap64(low);
        high = __builtin_bswap64(high);
        std::memcpy(row + i, &high, 8);
        std::memcpy(row + j, &low, 8);
    }
}

/// Sets the first `left` and the last `right` pixels of each row to black.
void blacken_columns(std::uint8_t* rows, std::ptrdiff_t count, std::ptrdiff_t width, std::ptrdiff_t left,
                     std::ptrdiff_t right) {
    constexpr std::ptrdiff_t kWord = 8;
    if (std::endian::native == std::endian::little && std::max(left, right) <= kWord && width >= kWord) {
        // One word at the edge of each row: a loop over a few pixels costs several times as much.
        const auto keep_above = [](std::ptrdiff_t bytes) {
            return bytes == kWord ? 0 : ~std::uint64_t{0} << (8 * static_cast<unsigned>(bytes));
        };
        const auto apply = [](std::uint8_t* at, std::uint64_t mask) {
            std::uint64_t word = 0;
            std::memcpy(&word, at, sizeof(word));
            word &= mask;
            std::memcpy(at, &word, sizeof(word));
        };
        if (left > 0) {
            for (std::ptrdiff_t y = 0; y < count; ++y) {
                apply(rows + y * width, keep_above(left));
            }
        }
        if (right > 0) {
            const std::uint64_t mask =
                right == kWord ? 0 : ~std::uint64_t{0} >> (8 * static_cast<unsigned>(right));
            for (std::ptrdiff_t y = 0; y < count; ++y) {
                apply(rows + (y + 1) * width - kWord, mask);
            }
        }
        return;
    }
    for (std::ptrdiff_t y = 0; y < count; ++y) {
        std::memset(rows + y * width, 0, static_cast<std::size_t>(left));
        std::memset(rows + (y + 1) * width - right, 0, static_cast<std::size_t>(right));
    }
}

/// The window has the picture's own size and is only moved: one copy per plane, then the pixels that came
/// round the edge are made black.
void copy_shifted(const ImageView& image, const Placement& placement, const ImageSize& size,
                  std::uint8_t* planes) {
    const std::ptrdiff_t width = size.width;
    const std::ptrdiff_t plane = width * size.height;
    const std::ptrdiff_t shift = placement.top * width + placement.left;
    const std::ptrdiff_t begin = std::clamp<std::ptrdiff_t>(-shift, 0, plane);
    const std::ptrdiff_t end = std::clamp<std::ptrdiff_t>(plane - shift, begin, plane);
    const Box filled = filled_part(placement, size);
    for (int c = 0; c < image.channels; ++c) {
        const std::uint8_t* in = image.pixels + c * plane;
        std::uint8_t* out = planes + c * plane;
        std::memcpy(out + begin, in + begin + shift, static_cast<std::size_t>(end - begin));
        std::memset(out, 0, static_cast<std::size_t>(filled.top * width));
        std::memset(out + (filled.top + filled.height) * width, 0,
                    static_cast<std::size_t>((size.height - filled.top - filled.height) * width));
        blacken_columns(out + filled.top * width, filled.height, width, filled.left,
                        width - filled.left - filled.width);
    }
}

void copy_window(const ImageView& image, const Placement& placement, const ImageSize& size,
                 std::uint8_t* planes) {
    const Box filled = filled_part(placement, size);
    const auto width = static_cast<std::size_t>(size.width);
    const std::size_t plane = width * static_cast<std::size_t>(size.height);
    const auto image_width = static_cast<std::size_t>(image.part.width);
    const auto channels = static_cast<std::size_t>(image.channels);
    if (filled.height != size.height || filled.width != size.width) {
        std::memset(planes, 0, channels * plane);
    }
    for (int y = 0; y < filled.height; ++y) {
        const auto row =
            static_cast<std::size_t>(placement.box.top + placement.top + filled.top + y - image.part.top);
        const auto column =
            static_cast<std::size_t>(placement.box.left + placement.left + filled.left - image.part.left);
        for (std::size_t c = 0; c < channels; ++c) {
            std::uint8_t* out = planes + c * plane + static_cast<std::size_t>(filled.top + y) * width +
                                static_cast<std::size_t>(filled.left);
            if (!image.interleaved) {
                const std::size_t in_plane = image_width * static_cast<std::size_t>(image.part.height);
                std::memcpy(out, image.pixels + c * in_plane + row * image_width + column,
                            static_cast<std::size_t>(filled.width));
                continue;
            }
            const std::uint8_t* in = image.pixels + (row * image_width + column) * channels + c;
            for (std::size_t x = 0; x < static_cast<std::size_t>(filled.width); ++x) {
                out[x] = in[x * channels];
            }
        }
    }
}

void scale_window(const ImageView& image, const Placement& placement, const ImageSize& size,
                  ResampleScratch& scratch, std::uint8_t* planes) {
    const Box filled = filled_part(placement, size);
    const auto width = static_cast<std::size_t>(size.width);
    const std::size_t plane = width * static_cast<std::size_t>(size.height);
    if (filled.height != size.height || filled.width != size.width) {
        std::memset(planes, 0, static_cast<std::size_t>(image.channels) * plane);
    }
    if (filled.height > 0 && filled.width > 0) {
        const Box window{placement.top + filled.top, placement.left + filled.left, filled.height,
                         filled.width};
        resample(
            image, placement.box, placement.full, window, scratch,
            planes + static_cast<std::size_t>(filled.top) * width + static_cast<std::size_t>(filled.left),
            plane, width);
    }
}

}  // namespace

Box source_part(const Placement& placement, const ImageSize& size) {
    const Box filled = filled_part(placement, size);
    const Box window{placement.top + filled.top, placement.left + filled.left, filled.height, filled.width};
    if (filled.height == 0 || filled.width == 0) {
        return {placement.box.top, placement.box.left, 1, 1};
    }
    if (is_scaled(placement)) {
        return resample_source(placement.box, placement.full, window);
    }
    return {placement.box.top + window.top, placement.box.left + window.left, window.height, window.width};
}

void render(const ImageView& image, const Placement& placement, const ImageSize& size,
            ResampleScratch& scratch, std::uint8_t* planes) {
    const Box& part = image.part;
    if (is_scaled(placement)) {
        scale_window(image, placement, size, scratch, planes);
    } else if (!image.interleaved && part == placement.box && part.height == size.height &&
               part.width == size.width) {
        copy_shifted(image, placement, size, planes);
    } else {
        copy_window(image, placement, size, planes);
    }
    if (placement.flip) {
        const auto width = static_cast<std::size_t>(size.width);
        const auto rows = static_cast<std::size_t>(image.channels) * static_cast<std::size_t>(size.height);
        for (std::size_t row = 0; row < rows; ++row) {
            mirror_row(planes + row * width, width);
        }
    }
}

}  // namespace rankscope::engine
