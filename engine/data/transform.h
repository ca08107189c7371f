// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>
#include <engine/data/image.h>
#include <engine/data/pixel_table.h>
#include <engine/data/resample.h>
#include <engine/data/sample_random.h>
#include <engine/data/split.h>

#include <cstdint>
#include <optional>

namespace rankscope::engine {

/// Where the network's picture lies in the stored one: every transform we know is a part that is scaled, a
/// window in that, and perhaps a mirror.
struct Placement {
    Box box;         ///< the part of the stored picture that is scaled
    ImageSize full;  ///< the size it is scaled to; box's own: it is not scaled
    int top = 0;     ///< the window's corner in the scaled part; what lies outside is black
    int left = 0;
    bool flip = false;  ///< mirrored, left for right
    bool operator==(const Placement&) const = default;
};

/// What happens to each picture on its way to the network: torchvision's RandomCrop, RandomResizedCrop,
/// Resize, CenterCrop, RandomHorizontalFlip, ToTensor and Normalize, as the configuration combines them.
class Transform {
public:
    /// Precondition: `config` came through check_train_config().
    Transform(const config::DatasetConfig& config, Split split);

    int channels() const { return table_.channels(); }
    /// Of what comes out.
    ImageSize size() const { return size_; }
    const PixelTable& table() const { return table_; }

    /// Whether pictures of this size are only moved and mirrored, not scaled.
    bool only_moves(const ImageSize& stored) const {
        return !augment_.random_resized_crop && scaled(stored) == stored;
    }
    /// Draws what is random for a stored picture of this size.
    Placement place(const ImageSize& stored, SampleRandom random) const;

private:
    ImageSize scaled(const ImageSize& stored) const;
    Placement resized_crop(const ImageSize& stored, SampleRandom& random) const;

    ImageSize size_;
    std::optional<int> resize_;  ///< shorter side
    config::AugmentConfig augment_;
    PixelTable table_;
};

/// The part of the stored picture that must be read for it.
Box source_part(const Placement& placement, const ImageSize& size);

/// Cuts, scales and mirrors: size.height × size.width bytes per channel into `planes`, [channels, height,
/// width]. `image` holds at least source_part().
void render(const ImageView& image, const Placement& placement, const ImageSize& size,
            ResampleScratch& scratch, std::uint8_t* planes);

}  // namespace rankscope::engine
