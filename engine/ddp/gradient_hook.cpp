// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/reduce.h>
#include <engine/ddp/gradient_hook.h>

#include <stdexcept>

namespace rankscope::engine {
namespace {

std::uint16_t* as_halves(const std::shared_ptr<float>& memory) {
    return static_cast<std::uint16_t*>(static_cast<void*>(memory.get()));
}

std::span<float> as_floats(const Piece& piece) {
    return {static_cast<float*>(piece.data), piece.count};
}

}  // namespace

CompressionHook::CompressionHook(ElementType type) : type_(type) {
    if (type != ElementType::bf16 && type != ElementType::f16) {
        throw std::logic_error("gradients are compressed to bf16 or f16");
    }
}

std::string CompressionHook::name() const {
    return std::string("compression to ") + name_of(type_);
}

Work CompressionHook::start(ProcessGroup& group, std::size_t bucket, std::span<const Piece> gradients,
                            float scale, When when) {
    std::size_t count = 0;
    for (const Piece& piece : gradients) {
        count += piece.count;
    }
    Buffer& buffer = buffers_[bucket];
    if (buffer.capacity < count) {
        buffer.memory = group.allocate((count + 1) / 2);
        buffer.capacity = count;
    }
    std::uint16_t* out = as_halves(buffer.memory);
    for (const Piece& piece : gradients) {
        encode(type_, scale, as_floats(piece), out);
        out += piece.count;
    }
    const Piece all{buffer.memory.get(), count};
    return group.all_reduce({.pieces = {&all, 1}, .type = type_}, when);
}

void CompressionHook::finish(std::size_t bucket, std::span<const Piece> gradients) {
    const std::uint16_t* in = as_halves(buffers_.at(bucket).memory);
    for (const Piece& piece : gradients) {
        decode(type_, in, as_floats(piece));
        in += piece.count;
    }
}

}  // namespace rankscope::engine
