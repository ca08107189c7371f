// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Decoding, against values recorded from PIL (data/make_image_values.py).

#include <engine/data/image_decoder.h>
#include <engine/error.h>

#include <gtest/gtest.h>
#include <tests/engine/temporary_folder.h>
#include <tests/engine/test_pictures.h>

#include <cstdlib>
#include <random>
#include <span>
#include <string>

namespace rankscope::engine::test {
namespace {

std::span<const std::uint8_t> bytes_of(const std::string& file) {
    return {static_cast<const std::uint8_t*>(static_cast<const void*>(file.data())), file.size()};
}

Picture decode(std::span<const std::uint8_t> file, ImageDecoder& decoder) {
    Picture picture;
    picture.size = decoder.open(file, "test");
    const ImageView view = decoder.read({0, 0, picture.size.height, picture.size.width});
    EXPECT_TRUE(view.interleaved);
    EXPECT_EQ(view.part, (Box{0, 0, picture.size.height, picture.size.width}));
    picture.pixels.assign(view.pixels, view.pixels + static_cast<std::size_t>(picture.size.height) *
                                                         static_cast<std::size_t>(picture.size.width) * 3);
    return picture;
}

TEST(ImageDecoder, GivesTheBytesThatPilGives) {
    ImageDecoder decoder;
    EXPECT_GE(image_values()["files"].size(), 20U);
    for (const auto& expected : image_values()["files"]) {
        SCOPED_TRACE(expected["name"].get<std::string>());
        const std::vector<std::uint8_t> file = from_base64(expected["file"]);
        const Picture picture = decode(file, decoder);
        EXPECT_EQ(picture.size, (ImageSize{expected["height"], expected["width"]}));
        EXPECT_EQ(picture.pixels, from_base64(expected["rgb"]));
    }
}

TEST(ImageDecoder, InterlacedPngIsTheSamePicture) {
    ImageDecoder decoder;
    const Picture picture = pattern(21, 34);
    for (const bool interlaced : {false, true}) {
        const std::string file = encode_png(picture, interlaced);
        EXPECT_EQ(decode(bytes_of(file), decoder).pixels, picture.pixels);
    }
}

/// Compares the part of a decoding that was requested with the same part of the whole picture.
void expect_part(const ImageView& view, const Picture& whole, const Box& wanted) {
    const Box& part = view.part;
    ASSERT_LE(part.top, wanted.top);
    ASSERT_LE(part.left, wanted.left);
    ASSERT_GE(part.top + part.height, wanted.top + wanted.height);
    ASSERT_GE(part.left + part.width, wanted.left + wanted.width);
    for (int y = wanted.top; y < wanted.top + wanted.height; ++y) {
        for (int i = wanted.left * 3; i < (wanted.left + wanted.width) * 3; ++i) {
            const auto at = static_cast<std::size_t>((y - part.top) * part.width * 3 + i - part.left * 3);
            const auto in_whole = static_cast<std::size_t>(y * whole.size.width * 3 + i);
            ASSERT_EQ(view.pixels[at], whole.pixels[in_whole]) << "row " << y << ", byte " << i;
        }
    }
}

TEST(ImageDecoder, APartIsWhatTheWholePictureHasThere) {
    ImageDecoder decoder;
    std::mt19937 random(7);
    for (const auto& [horizontal, vertical] : {std::pair(1, 1), {2, 1}, {2, 2}, {1, 2}, {4, 1}, {4, 2}}) {
        for (const bool progressive : {false, true}) {
            const Picture original = smooth(83, 117);
            const std::string file = encode_jpeg(
                original,
                {.quality = 70, .horizontal = horizontal, .vertical = vertical, .progressive = progressive});
            const Picture whole = decode(bytes_of(file), decoder);
            for (int i = 0; i < 60; ++i) {
                const auto below = [&](int count) {
                    return static_cast<int>(random() % static_cast<unsigned>(count));
                };
                Box wanted{below(83), below(117), 0, 0};
                wanted.height = 1 + below(83 - wanted.top);
                wanted.width = 1 + below(117 - wanted.left);
                SCOPED_TRACE("sampling " + std::to_string(horizontal) + "x" + std::to_string(vertical) +
                             ", box " + std::to_string(wanted.top) + " " + std::to_string(wanted.left) + " " +
                             std::to_string(wanted.height) + " " + std::to_string(wanted.width));
                decoder.open(bytes_of(file), "test");
                expect_part(decoder.read(wanted), whole, wanted);
                if (HasFatalFailure()) {
                    return;
                }
            }
        }
    }
    const Picture original = pattern(40, 50);
    const std::string file = encode_png(original);
    decoder.open(bytes_of(file), "test");
    expect_part(decoder.read({13, 7, 9, 20}), original, {13, 7, 9, 20});
}

TEST(ImageDecoder, EveryFaultNamesTheFileAndTheNextPictureIsRead) {
    const TemporaryFolder folder;
    ImageDecoder decoder;
    const std::string jpeg = encode_jpeg(smooth(60, 60));
    const std::string png = encode_png(pattern(60, 60));
    std::string flipped = png;
    flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x40);
    std::string huge = png;
    huge[16] = huge[20] = '\x00';
    huge[17] = huge[21] = '\x0F';  // nearly a million pixels each way
    struct Fault {
        std::string content;
        const char* says;
    };
    const std::vector<Fault> faults{{"", "is empty"},
                                    {"GIF89a", "neither a JPEG nor a PNG"},
                                    {jpeg.substr(0, 2), "neither a JPEG nor a PNG"},
                                    {jpeg.substr(0, 20), "JPEG"},
                                    {jpeg.substr(0, jpeg.size() / 2), "cut short"},
                                    {png.substr(0, 20), "cut short"},
                                    {png.substr(0, png.size() / 2), "cut short"},
                                    {flipped, "damaged PNG"},
                                    {huge, "damaged PNG"}};  // its check sum is wrong, too
    for (const Fault& fault : faults) {
        write_file(folder / "picture.jpg", fault.content);
        std::string message;
        try {
            const ImageSize size = decoder.open((folder / "picture.jpg").string());
            decoder.read({0, 0, size.height, size.width});
        } catch (const Error& error) {
            message = error.what();
        }
        EXPECT_NE(message.find(fault.says), std::string::npos) << "got: " << message << " for " << fault.says;
        EXPECT_NE(message.find((folder / "picture.jpg").string()), std::string::npos) << message;
        EXPECT_EQ(decode(bytes_of(png), decoder).pixels, pattern(60, 60).pixels);
        EXPECT_EQ(decode(bytes_of(jpeg), decoder).size, (ImageSize{60, 60}));
    }
    EXPECT_THROW(decoder.open((folder / "absent.jpg").string()), Error);
}

}  // namespace
}  // namespace rankscope::engine::test
