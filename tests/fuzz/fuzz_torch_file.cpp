// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A whole file of torch.save: the ZIP archive, the pickle and the tensors that it describes.

#include "target.h"

#include <engine/checkpoint/torch_archive.h>
#include <engine/error.h>

#include <functional>

namespace {

using namespace rankscope;
using namespace rankscope::engine;

void try_tensors(const TorchArchive& archive) {
    const PickleTree& values = archive.values();
    for (PickleId id = 0; id < values.nodes.size(); ++id) {
        if (values.object<PickleTensor>(id) == nullptr) {
            continue;
        }
        try {
            const TensorRecord tensor = archive.tensor(id, "t");
            fuzz::require(byte_size(tensor.dtype, tensor.shape) == tensor.bytes.size(), "sizes fit shapes");
        } catch (const Error&) {
        }
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span bytes(static_cast<const std::byte*>(static_cast<const void*>(data)), size);
    try {
        for (const ZipEntry& entry : read_zip(bytes)) {
            fuzz::require(entry.bytes.size() <= size, "entries lie within the archive");
        }
        try_tensors(TorchArchive({bytes.begin(), bytes.end()}));
    } catch (const Error&) {
    }
    return 0;
}
