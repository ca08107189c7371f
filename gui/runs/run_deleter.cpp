// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <gui/pool_task.h>
#include <gui/runs/run_deleter.h>
#include <gui/strings.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/runs/store/run_trash.h>

#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kUndoMs = 20000;

}  // namespace

RunDeleter::RunDeleter(QThreadPool* pool, NoticeBar* notice, QObject* parent)
    : QObject(parent), pool_(pool), notice_(notice), job_(this, pool) {
    notice_->set_action(tr("&Undo"));
    timer_.setSingleShot(true);
    timer_.setInterval(kUndoMs);
    connect(&timer_, &QTimer::timeout, this, &RunDeleter::hide_notice);
    connect(notice_, &NoticeBar::actionTriggered, this, &RunDeleter::undo);
}

void RunDeleter::remove(const std::shared_ptr<RunStore>& store, const std::vector<RunRecord>& runs) {
    if (runs.empty() || job_.running()) {
        return;
    }
    hide_notice();
    std::vector<std::string> ids;
    for (const RunRecord& run : runs) {
        ids.push_back(run.run_id);
    }
    const QString what = runs.size() == 1 ? qs(runs.front().name) : tr("%1 runs").arg(runs.size());
    job_.start(
        [store, ids](const JobHandle&) {
            (void)rankscope::remove_expired(*store, now_us());  // what stays is removed next time
            return delete_runs(*store, ids, now_us());
        },
        [this, store, ids, what](const Result<void>& done) {
            if (!done) {
                emit failed(tr("%1 could not be deleted.").arg(what), done.failure());
                return;
            }
            store_ = store;
            last_ = ids;
            notice_->set_text(
                tr("%1 deleted.").arg(what),
                tr("Ctrl+Z restores; later, Deleted runs… in the Run menu. Files on the nodes stay."));
            timer_.start();
            for (const auto& id : ids) {
                emit deleted(qs(id));
            }
            emit changed();
        });
}

void RunDeleter::undo() {
    if (last_.empty() || job_.running()) {
        return;
    }
    timer_.stop();
    notice_->set_text({});
    const auto ids = std::exchange(last_, {});
    job_.start(
        [store = store_, ids](const JobHandle&) {
            Result<void> result;
            for (const auto& id : ids) {
                const auto restored = store->restore_run(id);
                result = result && !restored ? restored : result;
            }
            return result;
        },
        [this, ids](const Result<void>& done) {
            if (!done) {
                emit failed(tr("Not every run could be restored."), done.failure());
            }
            emit changed();
            emit restored(qs(ids.front()));
        });
}

void RunDeleter::hide_notice() {
    timer_.stop();
    notice_->set_text({});
    last_.clear();
}

void RunDeleter::remove_expired(const std::shared_ptr<RunStore>& store) {
    PoolTask::start(pool_, [store] { (void)rankscope::remove_expired(*store, now_us()); });
}

}  // namespace rankscope::gui
