// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/checkpoint/file_io.h>
#include <engine/checkpoint/tensor_record.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// safetensors: 8 bytes with the header's length, the header as JSON, then the tensors' bytes
/// (https://github.com/huggingface/safetensors, "Format"). Read strictly: a file that is not exactly as it
/// should be is refused with an Error that says what is wrong, before memory is taken for it.
namespace rankscope::engine {

struct SafetensorsEntry {
    std::string name;
    StoredType dtype = StoredType::f32;
    Shape shape;
    std::uint64_t begin = 0;  ///< first byte, counted from the first byte after the header
    std::uint64_t end = 0;
};

struct SafetensorsHeader {
    std::map<std::string, std::string> metadata;
    std::vector<SafetensorsEntry> tensors;  ///< in the order of their data
};

inline constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;  ///< as the reference reader

/// The header's text, for `data_size` bytes behind it. Ranges must tile the data without gap or overlap,
/// sizes must fit the shapes, names must be unique, types known, and there is nothing else in it.
SafetensorsHeader parse_safetensors_header(std::string_view text, std::uint64_t data_size);

struct SafetensorsViews {
    std::map<std::string, std::string> metadata;
    std::vector<TensorView> tensors;  ///< into the bytes that were given
};
/// A whole file in memory; nothing is copied.
SafetensorsViews parse_safetensors(std::span<const std::byte> file);

struct SafetensorsContent {
    std::map<std::string, std::string> metadata;
    std::vector<TensorRecord> tensors;
};
/// Reads an open file to its end, each tensor straight into its memory.
SafetensorsContent read_safetensors(InputFile& file);
SafetensorsContent read_safetensors(const std::filesystem::path& path);

/// Length and header for these tensors, padded with spaces so that the data behind it starts at a multiple of
/// 64 bytes, with metadata {"format": "pt"}. Also gives the order in which their bytes must follow: larger
/// elements first, so that each is aligned (as the reference writer), otherwise as given.
struct SafetensorsLayout {
    std::string head;
    std::vector<std::size_t> order;
    std::uint64_t data_size = 0;
};
SafetensorsLayout lay_out_safetensors(std::span<const TensorView> tensors);

void write_safetensors(OutputFile& file, std::span<const TensorView> tensors);
/// As a whole or not at all.
void write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors);

}  // namespace rankscope::engine
