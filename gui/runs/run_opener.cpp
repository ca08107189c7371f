// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/runs/run_opener.h>
#include <gui/session/run_session.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/runs/run/log_diagnosis.h>

namespace rankscope::gui {

QString RunOpener::progress_text(const QString& name, std::uint64_t events, std::uint64_t total) {
    if (events == 0) {
        return tr("Opening %1…").arg(name);
    }
    return total > 0
               ? tr("Opening %1: %2 of its events").arg(name, percent_text(double(events) / double(total), 0))
               : tr("Opening %1: %2 events").arg(name, count_text(std::int64_t(events)));
}

// Its thread is joined on the pool: it may be in the middle of a batch of lines.
std::shared_ptr<LogDiagnosis> RunOpener::new_reading(const std::string& run_id) const {
    if (!reads_lines_ || !reads_lines_()) {
        return {};
    }
    auto owned = std::make_unique<LogDiagnosis>(
        run_id, [](const Event&) {}, ReadingDepth::All);
    owned->ignore_further();  // its cause was said when it ended
    return {owned.release(), [pool = pool_](LogDiagnosis* reading) {
                PoolTask::start(pool, [reading] { const std::unique_ptr<LogDiagnosis> ends(reading); });
            }};
}

void RunOpener::open(const std::shared_ptr<RunStore>& store, const RunRecord& run) {
    const QString name = qs(run.name);
    emit progress(progress_text(name, 0, 0));
    using Opened = Result<std::shared_ptr<LiveData>>;
    job_.start(
        [this, name, store, id = run.run_id,
         reading = new_reading(run.run_id)](const JobHandle& handle) -> Opened {
            const auto record = store->run(id);  // with its plan, which lists do not have
            if (!record) {
                return record.failure();
            }
            // Numbers have no gaps, so the last ones together are how many events there are.
            std::uint64_t total = 0;
            if (const auto last = store->last_seqs(id)) {
                for (const auto& [node, seq] : *last) {
                    total += seq;
                }
            }
            const auto count_up = [&](std::uint64_t count) {
                handle.post([this, name, count, total] { emit progress(progress_text(name, count, total)); });
                return !handle.cancelled();
            };
            Result<LiveData> read = read_stored_run(*store, *record, count_up, reading);
            if (!read) {
                return read.failure();
            }
            return std::make_shared<LiveData>(std::move(*read));
        },
        [this, name](Opened read) {
            emit progress({});
            if (read) {
                emit opened(*read);
            } else {
                emit failed(tr("%1 could not be opened.").arg(name), read.failure());
            }
        });
}

}  // namespace rankscope::gui
