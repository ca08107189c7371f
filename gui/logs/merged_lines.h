// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/logs/file_lines.h>
#include <gui/logs/merged_store.h>
#include <remote/logs/story/host_clocks.h>

#include <QObject>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace rankscope::gui {

/// The lines of several files in the order of their times (logs::MergeTimes), made on a thread of the pool; files without
/// any come first. While it works it costs 8 bytes of memory a line.
class MergedLines : public QObject {
    Q_OBJECT

public:
    explicit MergedLines(QThreadPool* pool, QObject* parent = nullptr);

    /// Replaces what was merged before. All lines of `store` are there.
    void merge(std::shared_ptr<const FileStore> store, std::vector<LogFile> files,
               const logs::HostClocks& clocks);
    void clear();
    bool merging() const { return job_.running(); }
    int percent() const { return percent_; }

    /// Null: nothing is merged (yet).
    const std::shared_ptr<const MergedStore>& lines() const { return result_.lines; }
    /// Which line of the files a merged one is.
    std::uint32_t of_files(std::uint32_t merged) const;
    /// Which merged line a line of the files is.
    std::uint32_t of_merged(std::uint32_t line) const;
    /// Lines that have the time of another line, or none.
    std::uint64_t without_time() const { return result_.without_time; }

signals:
    /// Merged, or more of it is done.
    void changed();

private:
    struct Result {
        std::shared_ptr<const MergedStore> lines;
        std::uint64_t without_time = 0;
    };

    static Result merged(const std::shared_ptr<const FileStore>& store, const std::vector<LogFile>& files,
                         const logs::HostClocks& clocks, const JobHandle& job,
                         const std::function<void(int)>& progress);

    Result result_;
    int percent_ = 0;
    BackgroundJob job_;
};

}  // namespace rankscope::gui
