// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/process_group.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace rankscope::engine {

/// Averages a bucket in another way than by a plain all-reduce: DDP's communication hook. One object per
/// reducer; the same on every rank.
class GradientHook {
public:
    virtual ~GradientHook() = default;
    /// For messages, and compared across the ranks.
    virtual std::string name() const = 0;
    /// Begins to replace the bucket's gradients by the sum over the ranks of `scale` times them. They must
    /// not be touched until finish().
    virtual Work start(ProcessGroup& group, std::size_t bucket, std::span<const Piece> gradients, float scale,
                       When when) = 0;
    /// Called once the work is done.
    virtual void finish(std::size_t bucket, std::span<const Piece> gradients) = 0;
    /// What start() sends for this many gradients.
    virtual std::uint64_t bytes(std::size_t gradients) const = 0;
};

/// Sends gradients in half the bytes, as bf16 or f16 (PyTorch's bf16_compress_hook and fp16_compress_hook);
/// for host memory. Every gradient is scaled and rounded to nearest even, added in f32, and the sum rounded
/// once more; several hosts round once more each. So a result is off by at most u · (Σ |scale · g| + |sum|),
/// with u = 2⁻⁸ for bf16 and 2⁻¹¹ for f16 (there for terms from 6.1e-5 to 65504; smaller ones are off by at
/// most 3e-8, larger ones become infinite).
class CompressionHook final : public GradientHook {
public:
    /// bf16 or f16; otherwise std::logic_error.
    explicit CompressionHook(ElementType type);

    ElementType type() const { return type_; }
    std::string name() const override;
    Work start(ProcessGroup& group, std::size_t bucket, std::span<const Piece> gradients, float scale,
               When when) override;
    void finish(std::size_t bucket, std::span<const Piece> gradients) override;
    std::uint64_t bytes(std::size_t gradients) const override { return gradients * size_of(type_); }

private:
    struct Buffer {
        std::shared_ptr<float> memory;  ///< of the group, as 16-bit elements
        std::size_t capacity = 0;       ///< elements
    };
    ElementType type_;
    std::map<std::size_t, Buffer> buffers_;  ///< by bucket
};

}  // namespace rankscope::engine
