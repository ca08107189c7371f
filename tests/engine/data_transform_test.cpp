// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Cutting, scaling and normalising, against values recorded from torchvision (data/make_image_values.py).

#include <base/config/train_config.h>
#include <base/sha256.h>
#include <engine/data/transform.h>

#include <gtest/gtest.h>
#include <tests/engine/test_pictures.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace rankscope::engine::test {
namespace {

using config::DatasetConfig;

std::vector<std::uint8_t> rendered(const ImageView& view, const Placement& placement, const ImageSize& size) {
    ResampleScratch scratch;
    std::vector<std::uint8_t> planes(3 * static_cast<std::size_t>(size.height) *
                                     static_cast<std::size_t>(size.width));
    render(view, placement, size, scratch, planes.data());
    return planes;
}

Picture part_of(const Picture& picture, const Box& part) {
    Picture cut{{part.height, part.width}, {}};
    for (int y = part.top; y < part.top + part.height; ++y) {
        const auto begin = picture.pixels.begin() + (y * picture.size.width + part.left) * 3;
        cut.pixels.insert(cut.pixels.end(), begin, begin + part.width * 3);
    }
    return cut;
}

std::vector<std::uint8_t> planar(const Picture& picture) {
    std::vector<std::uint8_t> planes;
    for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t i = c; i < picture.pixels.size(); i += 3) {
            planes.push_back(picture.pixels[i]);
        }
    }
    return planes;
}

/// From the whole picture, from only the part that is needed, and from planes: always the same.
void expect_rendered(const Picture& picture, const Placement& placement, const ImageSize& size,
                     const std::vector<std::uint8_t>& expected) {
    EXPECT_EQ(rendered(picture.view(), placement, size), expected);
    const Box part = source_part(placement, size);
    ImageView view = picture.view();
    const Picture cut = part_of(picture, part);
    view.pixels = cut.pixels.data();
    view.part = part;
    EXPECT_EQ(rendered(view, placement, size), expected) << "from the needed part";
    const std::vector<std::uint8_t> planes = planar(picture);
    view = picture.view();
    view.pixels = planes.data();
    view.interleaved = false;
    EXPECT_EQ(rendered(view, placement, size), expected) << "from planes";
}

TEST(Transform, CutsAndScalesAsTorchvisionDoes) {
    std::map<std::string, int> kinds;
    for (const auto& expected : image_values()["pipelines"]) {
        const Picture picture = pattern(expected["height"], expected["width"]);
        const int side = expected["size"];
        const ImageSize size{side, side};
        Placement placement;
        const std::string kind = expected["kind"];
        ++kinds[kind];
        if (kind == "resized_crop") {
            const std::vector<int> box = expected["box"];
            placement = {{box[0], box[1], box[2], box[3]}, size};
        } else if (kind == "resize_centre") {
            const DatasetConfig config{
                .name = "image-folder", .image_size = side, .resize = expected["resize"]};
            placement = Transform(config, Split::test).place(picture.size, SampleRandom(0));
        } else {
            const int padding = expected["padding"];
            placement = {{0, 0, side, side},
                         picture.size,
                         expected["top"].get<int>() - padding,
                         expected["left"].get<int>() - padding,
                         expected["flip"]};
        }
        nlohmann::json about = expected;
        about.erase("planes");
        SCOPED_TRACE(about.dump());
        expect_rendered(picture, placement, size, from_base64(expected["planes"]));
    }
    EXPECT_EQ(kinds.size(), 3U);
}

/// The filter as its definition has it, pixel by pixel.
int scaled_pixel(const std::vector<int>& line, int out, int pixel) {
    const double scale = static_cast<double>(line.size()) / out;
    const double support = std::max(scale, 1.0);
    const double centre = (pixel + 0.5) * scale;
    const int first = std::max(static_cast<int>(centre - support + 0.5), 0);
    const int end = std::min(static_cast<int>(centre + support + 0.5), static_cast<int>(line.size()));
    std::vector<double> weights;
    double sum = 0;
    for (int i = first; i < end; ++i) {
        const double distance = std::abs((i - first + first - centre + 0.5) * (1.0 / support));
        weights.push_back(distance < 1.0 ? 1.0 - distance : 0.0);
        sum += weights.back();
    }
    std::int64_t total = 1 << 21;
    for (int i = first; i < end; ++i) {
        total +=
            line[static_cast<std::size_t>(i)] *
            static_cast<std::int64_t>(0.5 + weights[static_cast<std::size_t>(i - first)] / sum * (1 << 22));
    }
    return static_cast<int>(std::clamp<std::int64_t>(total >> 22, 0, 255));
}

TEST(Resample, EverySizeAsTheSlowWay) {
    std::mt19937 random(3);
    const auto below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
    for (int round = 0; round < 150; ++round) {
        const int channels = std::array{1, 3, 4}[static_cast<std::size_t>(round % 3)];
        const bool interleaved = below(2) == 0;
        const ImageSize in{1 + below(60), 1 + below(60)};
        const ImageSize full{1 + below(50), 1 + below(50)};
        Box window{below(full.height), below(full.width), 0, 0};
        window.height = 1 + below(full.height - window.top);
        window.width = 1 + below(full.width - window.left);
        std::vector<std::uint8_t> pixels(static_cast<std::size_t>(channels * in.height * in.width));
        for (std::uint8_t& pixel : pixels) {
            pixel = static_cast<std::uint8_t>(below(4) == 0 ? 255 * below(2) : below(256));
        }
        const auto at = [&](int c, int y, int x) -> int {
            return pixels[static_cast<std::size_t>(interleaved ? (y * in.width + x) * channels + c
                                                               : (c * in.height + y) * in.width + x)];
        };
        const Box all{0, 0, in.height, in.width};
        ResampleScratch scratch;
        std::vector<std::uint8_t> out(static_cast<std::size_t>(channels * window.height * window.width));
        resample({pixels.data(), channels, all, interleaved}, all, full, window, scratch, out.data(),
                 static_cast<std::size_t>(window.height * window.width),
                 static_cast<std::size_t>(window.width));
        for (int c = 0; c < channels; ++c) {
            for (int x = 0; x < window.width; ++x) {
                std::vector<int> column;
                for (int y = 0; y < in.height; ++y) {
                    std::vector<int> row;
                    for (int i = 0; i < in.width; ++i) {
                        row.push_back(at(c, y, i));
                    }
                    column.push_back(scaled_pixel(row, full.width, window.left + x));
                }
                for (int y = 0; y < window.height; ++y) {
                    ASSERT_EQ(out[static_cast<std::size_t>((c * window.height + y) * window.width + x)],
                              scaled_pixel(column, full.height, window.top + y))
                        << "round " << round << ", channel " << c << ", row " << y << ", column " << x;
                }
            }
        }
    }
}

std::optional<config::NormalizeConfig> named_normalize(const std::string& name) {
    if (name == "none") {
        return std::nullopt;
    }
    const bool grey = name == "mnist" || name == "fashion-mnist";
    const nlohmann::json section = {{"name", grey ? "mnist" : "cifar10"}, {"normalize", name}};
    return config::parse_train_config({{"model", grey ? "convnet" : "resnet18"}, {"dataset", section}})
        .dataset.normalize;
}

TEST(PixelTable, NormalisesAsTorchvisionDoes) {
    for (const auto& expected : image_values()["tables"]) {
        const std::string name = expected["name"];
        const auto normalize = named_normalize(name);
        const int channels = normalize ? static_cast<int>(normalize->mean.size()) : 1;
        const PixelTable table(channels, normalize);
        std::vector<float> values;
        std::vector<std::uint8_t> planes;
        for (int c = 0; c < channels; ++c) {
            const auto of_channel = table.channel(c);
            values.insert(values.end(), of_channel.begin(), of_channel.end());
            for (int v = 0; v < 256; ++v) {
                planes.push_back(static_cast<std::uint8_t>(v));
            }
        }
        EXPECT_EQ(sha256_hex(std::as_bytes(std::span(values))), expected["sha256"]) << name;
        // The fast way of converting has the same bits.
        std::vector<float> converted(values.size());
        table.convert(planes.data(), 256, converted.data());
        EXPECT_EQ(converted, values) << name;
        EXPECT_EQ(table.values(), values) << name;
    }
}

TEST(PixelTable, EveryLengthAndAwkwardDeviations) {
    for (const double deviation : {0.2023, 1e-3, 3.0, 1.0 / 3.0, 1e-20}) {
        const PixelTable table(2, config::NormalizeConfig{{0.1, 0.7}, {deviation}});
        for (std::size_t size = 1; size < 200; size += 13) {
            std::vector<std::uint8_t> planes(2 * size);
            for (std::size_t i = 0; i < planes.size(); ++i) {
                planes[i] = static_cast<std::uint8_t>(i * 37);
            }
            std::vector<float> out(planes.size() + 1, -7.0F);
            table.convert(planes.data(), size, out.data());
            for (std::size_t i = 0; i < planes.size(); ++i) {
                ASSERT_EQ(out[i], table.channel(i < size ? 0 : 1)[planes[i]]);
            }
            EXPECT_EQ(out.back(), -7.0F);
        }
    }
}

DatasetConfig cifar_with_standard() {
    DatasetConfig config{.name = "cifar10"};
    config.augment.random_crop.emplace();
    config.augment.horizontal_flip = 0.5;
    return config;
}

TEST(Transform, RandomCropAndFlipReachEveryPlaceEquallyOften) {
    const Transform transform(cifar_with_standard(), Split::train);
    std::map<int, int> tops;
    std::map<int, int> lefts;
    int flips = 0;
    constexpr int kDraws = 9000;
    for (int i = 0; i < kDraws; ++i) {
        const Placement placement = transform.place({32, 32}, SampleRandom(1, 0, i));
        EXPECT_EQ(placement.box, (Box{0, 0, 32, 32}));
        ++tops[placement.top];
        ++lefts[placement.left];
        flips += placement.flip ? 1 : 0;
    }
    ASSERT_EQ(tops.size(), 9U);
    ASSERT_EQ(lefts.size(), 9U);
    EXPECT_EQ(tops.begin()->first, -4);
    EXPECT_EQ(tops.rbegin()->first, 4);
    for (const auto& places : {tops, lefts}) {
        for (const auto& [place, count] : places) {
            EXPECT_NEAR(count, kDraws / 9, 150) << place;  // five deviations
        }
    }
    EXPECT_NEAR(flips, kDraws / 2, 240);
    // Validation neither moves nor mirrors.
    const Placement still = Transform(cifar_with_standard(), Split::test).place({32, 32}, SampleRandom(1));
    EXPECT_EQ(still, (Placement{{0, 0, 32, 32}, {32, 32}}));
}

TEST(Transform, RandomResizedCropStaysInsideAndCoversItsRanges) {
    DatasetConfig config{.name = "image-folder"};
    config.augment.random_resized_crop.emplace();
    const Transform transform(config, Split::train);
    double least = 1;
    double most = 0;
    for (int i = 0; i < 4000; ++i) {
        const Placement placement = transform.place({300, 400}, SampleRandom(3, 1, i));
        const Box& box = placement.box;
        ASSERT_GE(box.top, 0);
        ASSERT_GE(box.left, 0);
        ASSERT_LE(box.top + box.height, 300);
        ASSERT_LE(box.left + box.width, 400);
        EXPECT_EQ(placement.full, (ImageSize{224, 224}));
        const double area = static_cast<double>(box.height) * box.width / (300.0 * 400.0);
        least = std::min(least, area);
        most = std::max(most, area);
        const double ratio = static_cast<double>(box.width) / box.height;
        EXPECT_GT(ratio, 0.75 - 0.02);
        EXPECT_LT(ratio, 4.0 / 3.0 + 0.02);
    }
    EXPECT_LT(least, 0.09);
    EXPECT_GT(least, 0.075);
    EXPECT_GT(most, 0.9);
    // Too narrow for any try: the middle, cut to the nearest allowed ratio.
    EXPECT_EQ(transform.place({1000, 10}, SampleRandom(1)).box, (Box{493, 0, 13, 10}));
    EXPECT_EQ(transform.place({10, 1000}, SampleRandom(1)).box, (Box{0, 493, 10, 13}));
}

TEST(Transform, SizesOfTheNetworksPictures) {
    EXPECT_EQ(Transform({.name = "mnist"}, Split::train).size(), (ImageSize{28, 28}));
    EXPECT_EQ(Transform({.name = "mnist"}, Split::train).channels(), 1);
    EXPECT_EQ(Transform({.name = "random", .shape = {5}}, Split::train).size(), (ImageSize{1, 5}));
    // Another size than stored is scaled to, in training and validation.
    const Transform larger({.name = "cifar10", .image_size = 40}, Split::train);
    EXPECT_EQ(larger.place({32, 32}, SampleRandom(1)), (Placement{{0, 0, 32, 32}, {40, 40}}));
    // ImageNet's usual validation: 256, then the middle 224.
    const Placement centre =
        Transform({.name = "image-folder"}, Split::test).place({375, 500}, SampleRandom(1));
    EXPECT_EQ(centre, (Placement{{0, 0, 375, 500}, {256, 341}, 16, 58}));
}

}  // namespace
}  // namespace rankscope::engine::test
