// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/logs/merged_lines.h>
#include <gui/on_thread.h>
#include <remote/logs/story/merge_times.h>

#include <functional>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::uint32_t kLook = 4096;  ///< lines between two looks at the job

/// Says how far the work is, once a percent.
class Steps {
public:
    Steps(std::uint64_t all, const JobHandle& job, const std::function<void(int)>& progress)
        : all_(all), job_(job), progress_(progress) {}

    /// False: the work is not wanted any more.
    bool step() {
        if (++done_ % kLook != 0) {
            return true;
        }
        if (const int percent = int(done_ * 100 / all_); percent != percent_) {
            percent_ = percent;
            progress_(percent);
        }
        return !job_.cancelled();
    }

private:
    std::uint64_t all_;
    std::uint64_t done_ = 0;
    int percent_ = 0;
    const JobHandle& job_;
    const std::function<void(int)>& progress_;
};

}  // namespace

MergedLines::MergedLines(QThreadPool* pool, QObject* parent) : QObject(parent), job_(this, pool) {}

void MergedLines::clear() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    job_.cancel();
    result_ = {};
    percent_ = 0;
}

MergedLines::Result MergedLines::merged(const std::shared_ptr<const FileStore>& store,
                                        const std::vector<LogFile>& files, const logs::HostClocks& clocks,
                                        const JobHandle& job, const std::function<void(int)>& progress) {
    const std::uint32_t count = store->size();
    const auto end_of = [&](std::size_t file) {
        return file + 1 < files.size() ? files[file + 1].first : count;
    };
    Steps steps(2 * std::uint64_t(count), job, progress);
    std::vector<std::int64_t> times;
    times.reserve(count);
    logs::MergeTimes reader(clocks);
    for (std::size_t file = 0; file < files.size(); ++file) {
        reader.begin(files[file].name, files[file].modified_s);
        FileStore::Cursor cursor;
        for (std::uint32_t line = files[file].first; line < end_of(file); ++line) {
            reader.add({{std::uint32_t(file), line - files[file].first + 1}, cursor.text(*store, line)});
            if (!steps.step()) {
                return {};
            }
        }
        const std::vector<std::int64_t> of_file = reader.take();
        times.insert(times.end(), of_file.begin(), of_file.end());
    }
    Result result;
    result.without_time = reader.without_time();
    std::vector<std::size_t> begins;
    std::vector<std::uint32_t> first_lines;
    for (const LogFile& file : files) {
        begins.push_back(file.first);
        first_lines.push_back(file.first);
    }
    auto lines = std::make_shared<MergedStore>(store, std::move(first_lines));
    logs::merge_by_time(times, begins, [&](std::size_t file, std::size_t at) {
        lines->push_back(std::uint32_t(file), times[at]);
        return steps.step();
    });
    if (job.cancelled()) {
        return {};
    }
    result.lines = std::move(lines);
    return result;
}

void MergedLines::merge(std::shared_ptr<const FileStore> store, std::vector<LogFile> files,
                        const logs::HostClocks& clocks) {
    clear();
    job_.start(
        [this, store = std::move(store), files = std::move(files), clocks](const JobHandle& job) {
            return merged(store, files, clocks, job, [this, &job](int percent) {
                job.post([this, percent] {
                    percent_ = percent;
                    emit changed();
                });
            });
        },
        [this](Result result) {
            result_ = std::move(result);
            emit changed();
        });
}

std::uint32_t MergedLines::of_files(std::uint32_t merged) const {
    return result_.lines && merged < result_.lines->size() ? result_.lines->of_files(merged) : merged;
}

std::uint32_t MergedLines::of_merged(std::uint32_t line) const {
    return result_.lines && line < result_.lines->size() ? result_.lines->of_merged(line) : line;
}

}  // namespace rankscope::gui
