// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <filesystem>
#include <memory>
#include <mutex>

class QLockFile;

namespace rankscope::gui {

/// The file in which one window keeps its job: launch-draft.json, or launch-draft-2.json and so on where other windows
/// of this or another rankscope use those before it. Any thread.
class DraftFile {
public:
    explicit DraftFile(std::filesystem::path folder);
    DraftFile(const DraftFile&) = delete;
    DraftFile& operator=(const DraftFile&) = delete;
    /// The file stays; the next window may use it.
    ~DraftFile();

    /// Chosen at the first call, which makes the folder. Reads and writes the disk.
    const std::filesystem::path& path();

private:
    std::filesystem::path choose();

    const std::filesystem::path folder_;
    std::mutex mutex_;
    std::unique_ptr<QLockFile> lock_;
    std::filesystem::path path_;
};

}  // namespace rankscope::gui
