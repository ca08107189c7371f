// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/image_limits.h>
#include <engine/data/jpeg_decoder.h>
#include <engine/error.h>

// jpeglib.h does not include what it needs.
// clang-format off
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <algorithm>
#include <array>
#include <csetjmp>
#include <vector>

namespace rankscope::engine {

struct JpegDecoder::State {
    jpeg_decompress_struct jpeg{};
    jpeg_error_mgr errors{};
    std::jmp_buf jump{};
    std::array<char, JMSG_LENGTH_MAX> message{};
    bool cut_short = false;
    std::string name;
    std::span<const std::uint8_t> bytes;
    Box part;
    std::vector<std::uint8_t> pixels;
    std::vector<std::uint8_t> cmyk;  ///< one row

    [[noreturn]] void fail(const std::string& what) const { throw Error(name + ": " + what); }
    /// The end that came too early explains everything that libjpeg then finds missing.
    [[noreturn]] void fail_damaged() const {
        fail(cut_short ? "is a JPEG that is cut short" : std::string("is a damaged JPEG: ") + message.data());
    }
};

namespace {

using State = JpegDecoder::State;

State& state_of(j_common_ptr jpeg) {
    return *static_cast<State*>(jpeg->client_data);
}

// libjpeg's way out: its functions must not be left by an exception, so they jump to guarded().
[[noreturn]] void on_error(j_common_ptr jpeg) {
    State& state = state_of(jpeg);
    (*jpeg->err->format_message)(jpeg, state.message.data());
    std::longjmp(state.jump, 1);  // NOLINT(cert-err52-cpp)
}

// Warnings are passed over as PIL does; only the end before the picture's end is an error there.
void on_message(j_common_ptr jpeg, int level) {
    if (level < 0 && jpeg->err->msg_code == JWRN_JPEG_EOF) {
        state_of(jpeg).cut_short = true;
    }
}

void no_output(j_common_ptr /*jpeg*/) {}

/// Runs `action`, which must own nothing with a destructor: false when libjpeg reported an error.
bool guarded(State& state, void (*action)(State&)) {
    if (setjmp(state.jump) != 0) {  // NOLINT(cert-err52-cpp)
        return false;
    }
    action(state);
    return true;
}

void read_header(State& state) {
    jpeg_abort_decompress(&state.jpeg);
    jpeg_mem_src(&state.jpeg, state.bytes.data(), state.bytes.size());
    jpeg_read_header(&state.jpeg, TRUE);
}

bool is_cmyk(const State& state) {
    return state.jpeg.jpeg_color_space == JCS_CMYK || state.jpeg.jpeg_color_space == JCS_YCCK;
}

/// Leaves out what lies left, right and above of the part as far as the library can.
void start(State& state) {
    jpeg_decompress_struct& jpeg = state.jpeg;
    jpeg.out_color_space = is_cmyk(state) ? JCS_CMYK : JCS_RGB;
    jpeg_start_decompress(&jpeg);
    // Chroma is interpolated from the neighbours: at the edge of what is decoded it would be another.
    constexpr int kMargin = 2;
    const auto all = static_cast<int>(jpeg.output_width);
    const int from = std::max(state.part.left - kMargin, 0);
    const int to = std::min(state.part.left + state.part.width + kMargin, all);
    if (from > 0 || to < all) {
        auto left = static_cast<JDIMENSION>(from);
        auto width = static_cast<JDIMENSION>(to - from);
        jpeg_crop_scanline(&jpeg, &left, &width);
        state.part.left = static_cast<int>(left);
        state.part.width = static_cast<int>(width);
    } else {
        state.part.left = 0;
        state.part.width = all;
    }
    if (state.part.top > 0) {
        jpeg_skip_scanlines(&jpeg, static_cast<JDIMENSION>(state.part.top));
    }
}

/// PIL's conversion of one row.
void cmyk_to_rgb(const std::uint8_t* in, std::size_t width, std::uint8_t* out) {
    for (std::size_t x = 0; x < width; ++x, in += 4, out += 3) {
        const int light = in[3];  // stored inverted: 255 − black
        for (std::size_t c = 0; c < 3; ++c) {
            const int product = (255 - in[c]) * light + 128;
            out[c] = static_cast<std::uint8_t>(std::clamp(light - ((product + (product >> 8)) >> 8), 0, 255));
        }
    }
}

void read_rows(State& state) {
    const auto width = static_cast<std::size_t>(state.part.width);
    const bool cmyk = is_cmyk(state);
    for (std::size_t y = 0; y < static_cast<std::size_t>(state.part.height); ++y) {
        std::uint8_t* target = state.pixels.data() + y * width * 3;
        JSAMPROW row = cmyk ? state.cmyk.data() : target;
        jpeg_read_scanlines(&state.jpeg, &row, 1);
        if (cmyk) {
            cmyk_to_rgb(row, width, target);
        }
    }
    jpeg_abort_decompress(&state.jpeg);  // what lies below is not wanted
}

void destroy(State& state) {
    jpeg_destroy_decompress(&state.jpeg);
}

}  // namespace

JpegDecoder::JpegDecoder() : state_(std::make_unique<State>()) {
    state_->jpeg.err = jpeg_std_error(&state_->errors);
    state_->errors.error_exit = on_error;
    state_->errors.emit_message = on_message;
    state_->errors.output_message = no_output;
    state_->jpeg.client_data = state_.get();
    if (!guarded(*state_, [](State& state) { jpeg_create_decompress(&state.jpeg); })) {
        throw Error("libjpeg cannot be started");
    }
}

JpegDecoder::~JpegDecoder() {
    guarded(*state_, destroy);
}

ImageSize JpegDecoder::open(std::span<const std::uint8_t> bytes, const std::string& name) {
    State& state = *state_;
    state.bytes = bytes;
    state.name = name;
    state.cut_short = false;
    if (!guarded(state, read_header) || state.cut_short) {
        state.fail_damaged();
    }
    const std::uint64_t pixels = std::uint64_t{state.jpeg.image_width} * state.jpeg.image_height;
    if (pixels > kMostPixels) {
        state.fail("is too large: " + std::to_string(pixels) + " pixels");
    }
    return {static_cast<int>(state.jpeg.image_height), static_cast<int>(state.jpeg.image_width)};
}

ImageView JpegDecoder::read(const Box& needed) {
    State& state = *state_;
    state.part = needed;
    if (!guarded(state, start)) {
        state.fail_damaged();
    }
    const auto width = static_cast<std::size_t>(state.part.width);
    state.pixels.resize(static_cast<std::size_t>(state.part.height) * width * 3);
    state.cmyk.resize(is_cmyk(state) ? width * 4 : 0);
    if (!guarded(state, read_rows) || state.cut_short) {
        state.fail_damaged();
    }
    return {state.pixels.data(), 3, state.part, true};
}

}  // namespace rankscope::engine
