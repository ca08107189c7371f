// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>

#include <QObject>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace rankscope::gui {

class SettingsFile;
class Workspace;

/// Bytes of a run's output that are kept where the user has set no limit: a tenth of what is free on the store's disk,
/// from LogShare::kDefaultLimit to 2 GB. `free`: negative where it is not known.
std::uint64_t default_output_limit(std::int64_t free);
/// Of the disk of a file that need not exist yet; negative: not known. Not for the window's thread.
std::int64_t disk_free(const std::filesystem::path& file);

/// How much of the ranks' output each run keeps. One per workspace, made at first use; the disk is looked at on another
/// thread. The window's thread only.
class OutputLimit : public QObject {
    Q_OBJECT

public:
    static OutputLimit* of(Workspace* workspace);

    /// In bytes: as the user set it, else by the disk as it was looked at last. Looks again for the next time.
    std::uint64_t bytes();

private:
    explicit OutputLimit(Workspace* workspace);
    void look();

    Workspace* workspace_;
    BackgroundJob job_;
    std::int64_t free_ = -1;
};

}  // namespace rankscope::gui
