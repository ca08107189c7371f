// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/data/line_list.h>
#include <gui/data/line_store.h>
#include <gui/logs/file_lines.h>
#include <remote/logs/story/host_clocks.h>

#include <QObject>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace rankscope::gui {

/// The lines of several files in the order of their times (logs::MergeTimes), made on a thread of the pool. A store of its
/// own has them, with times; files without any come first. Costs the text once more on the disk, and while it works 12
/// bytes of memory a line.
class MergedLines : public QObject {
    Q_OBJECT

public:
    explicit MergedLines(QThreadPool* pool, QObject* parent = nullptr);

    /// Instead of what was merged before. All lines of `store` are there; the rank of a line is its file.
    void merge(std::shared_ptr<const LineStore> store, std::vector<LogFile> files,
               const logs::HostClocks& clocks);
    void clear();
    bool merging() const { return job_.running(); }
    int percent() const { return percent_; }

    /// Null: nothing is merged (yet).
    const std::shared_ptr<const LineStore>& lines() const { return result_.lines; }
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
        std::shared_ptr<const LineStore> lines;
        LineList order;   ///< merged → line of the files
        LineList places;  ///< line of the files → merged
        std::uint64_t without_time = 0;
    };

    static Result merged(const LineStore& store, const std::vector<LogFile>& files,
                         const logs::HostClocks& clocks, const JobHandle& job,
                         const std::function<void(int)>& progress);

    Result result_;
    int percent_ = 0;
    BackgroundJob job_;
};

}  // namespace rankscope::gui
