// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/runs/summary_loader.h>
#include <remote/desk/archive/compare/run_summary.h>

#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr qint64 kRunningAgainMs = 10000;
constexpr int kShareOfTime = 10;  ///< reading takes a tenth of the time at most
constexpr qint64 kBatchMs = 250;

}  // namespace

SummaryLoader::SummaryLoader(QThreadPool* pool, QObject* parent) : QObject(parent), job_(this, pool) {
    clock_.start();
}

bool SummaryLoader::wanted(const RunRecord& run) const {
    const auto found = known_.find(run.run_id);
    if (found == known_.end() || found->second.ended_us != run.ended_us) {
        return true;
    }
    return run.outcome == Outcome::Running &&
           clock_.elapsed() - found->second.at_ms > std::max(kRunningAgainMs, pause_ms_);
}

void SummaryLoader::update(const std::shared_ptr<RunStore>& store, const std::vector<RunRecord>& runs) {
    if (job_.running()) {
        return;
    }
    std::vector<RunRecord> missing;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(missing),
                 [this](const RunRecord& run) { return wanted(run); });
    if (missing.empty()) {
        return;
    }
    done_ = 0;
    total_ = int(missing.size());
    began_ms_ = clock_.elapsed();
    for (const RunRecord& run : missing) {
        known_[run.run_id] = {run.ended_us, began_ms_};
    }
    job_.start(
        [this, store, missing](const JobHandle& handle) {
            RunSummaries batch;
            QElapsedTimer since;
            since.start();
            const auto flush = [&] {
                handle.post([this, ready = std::exchange(batch, {})] {
                    done_ += int(ready.size());
                    emit loaded(ready);
                });
                since.restart();
            };
            // One that cannot be read stays without values; opening it says why.
            (void)load_summaries(
                *store, missing,
                [&](const std::string& run_id, std::shared_ptr<const RunSummary> summary) {
                    batch[run_id] = std::move(summary);
                    if (since.elapsed() > kBatchMs) {
                        flush();
                    }
                },
                handle.stop());
            flush();
            return true;
        },
        [this](bool) {
            pause_ms_ = (clock_.elapsed() - began_ms_) * kShareOfTime;
            emit finished();
        });
}

}  // namespace rankscope::gui
