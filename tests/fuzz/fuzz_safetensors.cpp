// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A safetensors file: weights from anywhere. The input is a whole file; its JSON alone is tried, too, so that
// mutations need not keep the length before it right.

#include "target.h"

#include <engine/checkpoint/safetensors.h>
#include <engine/error.h>

#include <cstring>

namespace {

using namespace rankscope;
using namespace rankscope::engine;

void check(const SafetensorsHeader& header, std::uint64_t data_size) {
    std::uint64_t at = 0;
    for (const SafetensorsEntry& tensor : header.tensors) {
        fuzz::require(tensor.begin == at && tensor.end >= at, "ranges tile the data");
        fuzz::require(byte_size(tensor.dtype, tensor.shape) == tensor.end - tensor.begin, "sizes fit shapes");
        at = tensor.end;
    }
    fuzz::require(at == data_size, "to its end");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span file(static_cast<const std::byte*>(static_cast<const void*>(data)), size);
    try {
        const SafetensorsViews views = parse_safetensors(file);
        const SafetensorsLayout layout = lay_out_safetensors(views.tensors);
        std::string again = layout.head;
        for (const std::size_t index : layout.order) {
            const auto bytes = views.tensors[index].bytes;
            again.append(static_cast<const char*>(static_cast<const void*>(bytes.data())), bytes.size());
        }
        const SafetensorsViews second = parse_safetensors(std::as_bytes(std::span(again)));
        fuzz::require(second.tensors.size() == views.tensors.size(), "what was read can be written and read");
        for (std::size_t i = 0; i < second.tensors.size(); ++i) {
            const TensorView& mine = views.tensors[layout.order[i]];
            const TensorView& other = second.tensors[i];
            fuzz::require(mine.shape == other.shape && mine.dtype == other.dtype, "with the same shapes");
        }
    } catch (const Error&) {
    }
    const std::uint64_t data_size = size > 8 ? (data[size - 1] % 64U) * 4U : 0;
    try {
        check(parse_safetensors_header(fuzz::as_text(data, size), data_size), data_size);
    } catch (const Error&) {
    }
    if (size > 8) {
        try {
            check(parse_safetensors_header(fuzz::as_text(data + 8, size - 8), data_size), data_size);
        } catch (const Error&) {
        }
    }
    return 0;
}
