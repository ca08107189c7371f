// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// jpeglib.h does not include what it needs.
// clang-format off
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
// clang-format on
#include <png.h>
#include <tests/engine/test_pictures.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace rankscope::engine::test {

const nlohmann::json& image_values() {
    static const nlohmann::json values =
        nlohmann::json::parse(std::ifstream(RANKSCOPE_TEST_DATA "/image_values.json"));
    return values;
}

std::vector<std::uint8_t> from_base64(const std::string& text) {
    static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<std::uint8_t> bytes;
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char c : text) {
        if (c == '=') {
            break;
        }
        bits = (bits << 6U) | static_cast<std::uint32_t>(digits.find(c));
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes.push_back(static_cast<std::uint8_t>(bits >> held));
        }
    }
    return bytes;
}

Picture pattern(int height, int width) {
    Picture picture{{height, width}, {}};
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            for (int c = 0; c < 3; ++c) {
                picture.pixels.push_back(static_cast<std::uint8_t>((x * 7 + y * 13 + c * 29) ^ (x * y / 3)));
            }
        }
    }
    return picture;
}

Picture smooth(int height, int width) {
    Picture picture{{height, width}, {}};
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            for (int c = 0; c < 3; ++c) {
                const int value =
                    40 + 200 * x / width + 20 * y * (c + 1) / height + ((x + y) % 16 > 8 ? 60 : 0);
                picture.pixels.push_back(static_cast<std::uint8_t>(std::min(value, 255)));
            }
        }
    }
    return picture;
}

// An error in writing ends the program, with the library's message: good enough for a test.
std::string encode_jpeg(const Picture& picture, const JpegOptions& options) {
    jpeg_compress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    unsigned char* memory = nullptr;
    unsigned long size = 0;  // NOLINT(google-runtime-int): libjpeg's type
    jpeg_mem_dest(&jpeg, &memory, &size);
    jpeg.image_width = static_cast<JDIMENSION>(picture.size.width);
    jpeg.image_height = static_cast<JDIMENSION>(picture.size.height);
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, options.quality, TRUE);
    jpeg.comp_info[0].h_samp_factor = options.horizontal;
    jpeg.comp_info[0].v_samp_factor = options.vertical;
    if (options.progressive) {
        jpeg_simple_progression(&jpeg);
    }
    jpeg_start_compress(&jpeg, TRUE);
    std::vector<std::uint8_t> row(static_cast<std::size_t>(picture.size.width) * 3);
    for (std::size_t y = 0; y < static_cast<std::size_t>(picture.size.height); ++y) {
        std::copy_n(picture.pixels.begin() + static_cast<std::ptrdiff_t>(y * row.size()), row.size(),
                    row.begin());
        JSAMPROW line = row.data();
        jpeg_write_scanlines(&jpeg, &line, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    std::string file(static_cast<const char*>(static_cast<const void*>(memory)), size);
    std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc): libjpeg's own
    return file;
}

std::string encode_png(const Picture& picture, bool interlaced) {
    std::string file;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    png_set_write_fn(
        png, &file,
        [](png_structp self, png_bytep data, std::size_t size) {
            static_cast<std::string*>(png_get_io_ptr(self))
                ->append(static_cast<const char*>(static_cast<const void*>(data)), size);
        },
        nullptr);
    png_set_IHDR(png, info, static_cast<png_uint_32>(picture.size.width),
                 static_cast<png_uint_32>(picture.size.height), 8, PNG_COLOR_TYPE_RGB,
                 interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    std::vector<std::uint8_t> pixels = picture.pixels;
    std::vector<png_bytep> rows;
    for (std::size_t y = 0; y < static_cast<std::size_t>(picture.size.height); ++y) {
        rows.push_back(pixels.data() + y * static_cast<std::size_t>(picture.size.width) * 3);
    }
    png_set_interlace_handling(png);
    png_write_image(png, rows.data());
    png_write_end(png, nullptr);
    png_destroy_write_struct(&png, &info);
    return file;
}

}  // namespace rankscope::engine::test
