// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/sha256.h>
#include <engine/data/memory_images.h>

#include <algorithm>

namespace rankscope::engine {
namespace {

class MemoryReader final : public ImageReader {
public:
    explicit MemoryReader(const MemoryImages& images)
        : view_{nullptr, images.channels(), {0, 0, images.size().height, images.size().width}, false},
          pixels_(images.pixels().data()),
          image_bytes_(static_cast<std::size_t>(images.channels()) *
                       static_cast<std::size_t>(images.size().height) *
                       static_cast<std::size_t>(images.size().width)) {}

    ImageSize open(std::int64_t index) override {
        view_.pixels = pixels_ + static_cast<std::size_t>(index) * image_bytes_;
        return {view_.part.height, view_.part.width};
    }
    // A shuffled set is read from all over the memory: a picture of CIFAR-10 costs half as much again when it
    // must be waited for.
    void prefetch(std::int64_t index) override {
        constexpr std::size_t kLine = 64;
        constexpr std::size_t kMost = 8192;  // what comes after is fetched while this is used
        const std::uint8_t* from = pixels_ + static_cast<std::size_t>(index) * image_bytes_;
        for (std::size_t at = 0; at < std::min(image_bytes_, kMost); at += kLine) {
            __builtin_prefetch(from + at);
        }
    }
    ImageView read(const Box& /*needed*/) override { return view_; }

private:
    ImageView view_;
    const std::uint8_t* pixels_;
    std::size_t image_bytes_;
};

}  // namespace

MemoryImages::MemoryImages(int channels, ImageSize size, std::vector<std::uint8_t> pixels)
    : channels_(channels),
      size_(size),
      image_bytes_(static_cast<std::size_t>(channels) * static_cast<std::size_t>(size.height) *
                   static_cast<std::size_t>(size.width)),
      pixels_(std::move(pixels)) {}

std::unique_ptr<ImageReader> MemoryImages::reader() const {
    return std::make_unique<MemoryReader>(*this);
}

std::string MemoryImages::identity() const {
    // Every 61st picture: the whole of CIFAR-10 would take half a second.
    constexpr std::size_t kEvery = 61;
    std::vector<std::uint8_t> some;
    for (std::size_t at = 0; at < pixels_.size(); at += kEvery * image_bytes_) {
        some.insert(some.end(), pixels_.begin() + static_cast<std::ptrdiff_t>(at),
                    pixels_.begin() + static_cast<std::ptrdiff_t>(at + image_bytes_));
    }
    return sha256_hex(std::as_bytes(std::span(some)));
}

}  // namespace rankscope::engine
