// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Pictures: what the libraries are asked, and that every way out of them is safe.

#include "target.h"

#include <engine/data/image_decoder.h>
#include <engine/error.h>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    static engine::ImageDecoder decoder;  // goes from picture to picture, as the loader's does
    try {
        const engine::ImageSize whole = decoder.open({data, size}, "f");
        fuzz::require(whole.height > 0 && whole.width > 0, "a picture has pixels");
        if (static_cast<std::int64_t>(whole.height) * whole.width > 1 << 18) {
            return 0;  // a small file may claim a large picture; that costs time only
        }
        const engine::Box part{whole.height / 3, whole.width / 4, whole.height - whole.height / 3,
                               whole.width / 2 + 1};
        const engine::ImageView view = decoder.read(part);
        fuzz::require(view.part.top <= part.top && view.part.left <= part.left &&
                          view.part.top + view.part.height >= part.top + part.height &&
                          view.part.left + view.part.width >= part.left + part.width,
                      "the requested part is there");
        std::uint64_t sum = 0;
        for (int i = 0; i < view.part.height * view.part.width * 3; ++i) {
            sum += view.pixels[i];
        }
        fuzz::require(sum < UINT64_MAX, "every pixel can be read");
    } catch (const engine::Error& error) {
        fuzz::require(std::string(error.what()).starts_with("f: "), "the fault names the file");
    }
    return 0;
}
