// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/image_limits.h>
#include <engine/data/png_decoder.h>
#include <engine/error.h>

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <vector>

namespace rankscope::engine {

struct PngDecoder::State {
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::jmp_buf jump{};
    std::string message;
    std::string name;
    std::span<const std::uint8_t> bytes;
    std::size_t at = 0;
    ImageSize size;
    bool wide = false;  ///< 16 bits of grey come out
    Box part;
    std::vector<std::uint8_t> pixels;
    std::vector<std::uint8_t> whole;  ///< rows as libpng gives them
    std::vector<png_bytep> rows;

    void release() { png_destroy_read_struct(&png, &info, nullptr); }
    [[noreturn]] void fail(const std::string& what) const { throw Error(name + ": " + what); }
    [[noreturn]] void fail_damaged() const { fail("is a damaged PNG: " + message); }
};

namespace {

using State = PngDecoder::State;

// libpng must not be left by an exception, so it jumps to guarded().
[[noreturn]] void on_error(png_structp png, png_const_charp text) {
    State& state = *static_cast<State*>(png_get_error_ptr(png));
    state.message = text;
    std::longjmp(state.jump, 1);  // NOLINT(cert-err52-cpp)
}
void on_warning(png_structp /*png*/, png_const_charp /*text*/) {}

void take_bytes(png_structp png, png_bytep target, std::size_t size) {
    State& state = *static_cast<State*>(png_get_io_ptr(png));
    if (size > state.bytes.size() - state.at) {
        png_error(png, "the file is cut short");
    }
    std::memcpy(target, state.bytes.data() + state.at, size);
    state.at += size;
}

/// Runs `action`, which must own nothing with a destructor: false when libpng reported an error.
bool guarded(State& state, void (*action)(State&)) {
    if (setjmp(state.jump) != 0) {  // NOLINT(cert-err52-cpp)
        return false;
    }
    action(state);
    return true;
}

void read_header(State& state) {
    png_set_read_fn(state.png, &state, take_bytes);
    png_read_info(state.png, state.info);
}

void start(State& state) {
    const int depth = png_get_bit_depth(state.png, state.info);
    const int colour = png_get_color_type(state.png, state.info);
    state.wide = depth == 16 && colour == PNG_COLOR_TYPE_GRAY;
    if (colour == PNG_COLOR_TYPE_PALETTE) {
        png_set_palette_to_rgb(state.png);
    }
    if (colour == PNG_COLOR_TYPE_GRAY && depth < 8) {
        png_set_expand_gray_1_2_4_to_8(state.png);
    }
    if (depth == 16 && !state.wide) {
        png_set_strip_16(state.png);
    }
    png_set_strip_alpha(state.png);
    if ((colour & PNG_COLOR_MASK_COLOR) == 0) {
        png_set_gray_to_rgb(state.png);
    }
    png_set_interlace_handling(state.png);
    png_read_update_info(state.png, state.info);
}

void read_rows(State& state) {
    if (png_get_interlace_type(state.png, state.info) != PNG_INTERLACE_NONE) {
        png_read_image(state.png, state.rows.data());
        return;
    }
    const auto end = static_cast<std::size_t>(state.part.top + state.part.height);
    for (std::size_t y = 0; y < end; ++y) {
        png_read_row(state.png, state.rows[y], nullptr);
    }
}

}  // namespace

PngDecoder::PngDecoder() : state_(std::make_unique<State>()) {}

PngDecoder::~PngDecoder() {
    state_->release();
}

ImageSize PngDecoder::open(std::span<const std::uint8_t> bytes, const std::string& name) {
    State& state = *state_;
    state.release();
    state.bytes = bytes;
    state.name = name;
    state.at = 0;
    state.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &state, on_error, on_warning);
    state.info = state.png == nullptr ? nullptr : png_create_info_struct(state.png);
    if (state.info == nullptr) {
        state.fail("libpng cannot be started");
    }
    if (!guarded(state, read_header)) {
        state.fail_damaged();
    }
    const std::uint64_t height = png_get_image_height(state.png, state.info);
    const std::uint64_t width = png_get_image_width(state.png, state.info);
    if (height * width > kMostPixels) {
        state.fail("is too large: " + std::to_string(height * width) + " pixels");
    }
    state.size = {static_cast<int>(height), static_cast<int>(width)};
    return state.size;
}

ImageView PngDecoder::read(const Box& needed) {
    State& state = *state_;
    if (!guarded(state, start)) {
        state.fail_damaged();
    }
    const bool interlaced = png_get_interlace_type(state.png, state.info) != PNG_INTERLACE_NONE;
    state.part = {interlaced ? 0 : needed.top, 0, interlaced ? state.size.height : needed.height,
                  state.size.width};
    const std::size_t row_bytes = png_get_rowbytes(state.png, state.info);
    const auto samples = static_cast<std::size_t>(state.size.width) * 3;
    if (row_bytes != samples * (state.wide ? 2 : 1)) {
        state.fail("is a PNG of an unknown kind");
    }
    // Rows above the part go into one that is written again and again.
    const auto count = static_cast<std::size_t>(state.part.height);
    state.whole.resize((count + 1) * row_bytes);
    state.rows.assign(static_cast<std::size_t>(state.part.top) + count,
                      state.whole.data() + count * row_bytes);
    for (std::size_t y = 0; y < count; ++y) {
        state.rows[static_cast<std::size_t>(state.part.top) + y] = state.whole.data() + y * row_bytes;
    }
    if (!guarded(state, read_rows)) {
        state.fail_damaged();
    }
    if (!state.wide) {
        return {state.whole.data(), 3, state.part, true};
    }
    state.pixels.resize(count * samples);
    for (std::size_t i = 0; i < state.pixels.size(); ++i) {
        state.pixels[i] = state.whole[2 * i] != 0 ? 255 : state.whole[2 * i + 1];
    }
    return {state.pixels.data(), 3, state.part, true};
}

}  // namespace rankscope::engine
