// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace rankscope::engine::cuda {

/// What was measured once need not be measured again: choices of kernels by what they compute, as small files
/// in the user's cache folder, below a folder that names GPU and library version. Several ranks may use it at
/// once: files come by renaming. Without a place to write, everything is simply not found.
class PlanCache {
public:
    /// $XDG_CACHE_HOME/rankscope/cuda/`machine`, else ~/.cache/…; RANKSCOPE_CUDA_CACHE names another folder,
    /// empty: none.
    static PlanCache for_machine(const std::string& machine);
    explicit PlanCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

    std::optional<std::string> find(const std::string& key) const;
    /// Never throws: a cache that cannot be written costs time, not the run.
    void put(const std::string& key, const std::string& value) const;

private:
    std::filesystem::path file_of(const std::string& key) const;
    std::filesystem::path folder_;
};

}  // namespace rankscope::engine::cuda
