// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/checkpoint/file_io.h>
#include <engine/checkpoint/pickle.h>
#include <engine/checkpoint/stored_zip.h>
#include <engine/checkpoint/tensor_record.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

/// Files of torch.save (since PyTorch 1.6): a ZIP archive with the values as a pickle, and one entry for each
/// storage.
namespace rankscope::engine {

/// One such file in memory.
class TorchArchive {
public:
    /// Throws Error that says what is wrong with it.
    explicit TorchArchive(std::vector<std::byte> bytes);
    static TorchArchive read(const std::filesystem::path& path);

    const PickleTree& values() const { return values_; }
    /// The tensor at this place of the tree, row-major whatever its strides were; its bytes are checked
    /// against the archive's CRC-32. Throws Error: no tensor, or one that goes beyond its storage.
    TensorRecord tensor(PickleId id, const std::string& name) const;
    /// All tensors at text keys of a dict, in order; other values in it are left out.
    std::vector<TensorRecord> tensors(PickleId dict) const;

private:
    std::vector<std::byte> bytes_;
    std::map<std::string, ZipEntry, std::less<>> storages_;  ///< by key
    PickleTree values_;
    std::uint64_t budget_ = 0;  ///< what all tensors together may take
    mutable std::uint64_t spent_ = 0;
    mutable std::map<std::string, bool, std::less<>> checked_;
};

/// Collects values and tensors, then writes them as one file.
class TorchArchiveWriter {
public:
    PickleWriter& values() { return pickle_; }
    /// Puts the tensor into the values; its bytes must stay until write().
    void tensor(const TensorView& tensor);
    void write(OutputFile& file);

private:
    PickleWriter pickle_;
    std::vector<std::span<const std::byte>> storages_;
};

}  // namespace rankscope::engine
