// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/safetensors.h>
#include <engine/checkpoint/state_dict_file.h>
#include <engine/checkpoint/torch_checkpoint.h>
#include <engine/error.h>

#include <algorithm>
#include <array>
#include <set>

namespace rankscope::engine {
namespace {

/// A ZIP archive, or a pickle (which torch_archive explains).
bool is_torch_file(const std::filesystem::path& path) {
    InputFile file(path);
    std::array<std::byte, 2> first{};
    file.read(std::span(first).first(std::min<std::size_t>(first.size(), file.size())));
    return (first[0] == std::byte{'P'} && first[1] == std::byte{'K'}) || first[0] == std::byte{0x80};
}

}  // namespace

std::vector<TensorRecord> read_state_dict(const std::filesystem::path& path) {
    // A safetensors file begins with its header's length: no less than 2, and seldom these bytes with its
    // last six zero. Its own reader is tried first where the name says so.
    const bool torch = path.extension() != ".safetensors" && is_torch_file(path);
    std::vector<TensorRecord> tensors =
        torch ? read_torch_checkpoint(path, {}).model : read_safetensors(path).tensors;
    std::set<std::string> names;
    for (TensorRecord& tensor : tensors) {
        tensor.name = unwrapped_name(tensor.name);
        if (!names.insert(tensor.name).second) {
            throw Error(path.string() + " has two tensors for " + tensor.name + " (with and without prefix)");
        }
    }
    return tensors;
}

void write_state_dict(const std::filesystem::path& path, std::span<const TensorRecord> tensors) {
    const std::string end = path.extension().string();
    if (end == ".safetensors") {
        write_safetensors(path, views_of(tensors));
    } else if (end == ".pt" || end == ".pth" || end == ".tar" || end == ".bin") {
        write_torch_state_dict(path, tensors);
    } else {
        throw ConfigError(path.string() +
                          ": the end of the name says the format: .safetensors, or .pt, .pth, .pth.tar, "
                          ".bin for PyTorch's");
    }
}

}  // namespace rankscope::engine
