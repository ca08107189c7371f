// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/data/image_set.h>

#include <span>
#include <vector>

namespace rankscope::engine {

/// Pictures of one size, all in memory: [count, channels, height, width] bytes.
class MemoryImages final : public ImageStore {
public:
    MemoryImages(int channels, ImageSize size, std::vector<std::uint8_t> pixels);

    std::unique_ptr<ImageReader> reader() const override;
    std::string identity() const override;

    int channels() const { return channels_; }
    ImageSize size() const { return size_; }
    std::int64_t count() const { return static_cast<std::int64_t>(pixels_.size() / image_bytes_); }
    /// For a backend that keeps the whole set on its device.
    std::span<const std::uint8_t> pixels() const { return pixels_; }

private:
    int channels_;
    ImageSize size_;
    std::size_t image_bytes_;
    std::vector<std::uint8_t> pixels_;
};

}  // namespace rankscope::engine
