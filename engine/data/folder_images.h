// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/data/image_set.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::engine {

/// Picture files below one folder, read and decoded on request. Only the names are in memory,
/// in one piece: ImageNet has 1.28 million.
class FolderImages final : public ImageStore {
public:
    explicit FolderImages(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// `name` is relative to the folder.
    void add(const std::string& name);
    std::int64_t count() const { return static_cast<std::int64_t>(ends_.size()); }
    std::string file(std::int64_t index) const;

    std::unique_ptr<ImageReader> reader() const override;
    std::string identity() const override;
    bool slow() const override { return true; }

private:
    std::filesystem::path folder_;
    std::string names_;
    std::vector<std::size_t> ends_;
};

}  // namespace rankscope::engine
