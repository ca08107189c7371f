// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/attach_bar.h>
#include <gui/app/run_window.h>
#include <gui/on_thread.h>
#include <gui/runs/scaling_dialog.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QApplication>
#include <QDateTime>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kRefreshMs = 30000;  ///< runs of other windows and of rankscopectl
constexpr qsizetype kLongestName = 60;

/// "03:36" of today, else with the date.
QString begin_text(std::int64_t t_us) {
    const QDateTime begin = QDateTime::fromMSecsSinceEpoch(t_us / 1000);
    return begin.date() == QDate::currentDate() ? begin.toString(u"HH:mm"_s) : date_time_text(t_us);
}

}  // namespace

AttachBar::AttachBar(Workspace* workspace, QWidget* parent)
    : NoticeBar(Kind::News, "attachBar", parent), workspace_(workspace), read_job_(this, workspace->pool()) {
    set_dismissable(true);
    auto* clock = new QTimer(this);
    clock->setInterval(kRefreshMs);
    clock->start();
    connect(clock, &QTimer::timeout, this, &AttachBar::refresh);
    connect(workspace, &Workspace::storeSettled, this, &AttachBar::refresh);
    RunSessions* runs = workspace->runs();
    connect(runs, &RunSessions::changed, this, &AttachBar::update_bar);
    connect(runs, &RunSessions::ended, this, &AttachBar::refresh);
    connect(runs, &RunSessions::started, this, &AttachBar::refresh);
    connect(this, &NoticeBar::actionTriggered, this, [this] {
        if (continuing_.size() == 1) {
            emit attachRequested(continuing_.front());
        } else {
            emit listRequested();
        }
    });
    connect(this, &NoticeBar::dismissed, this, [this] {
        for (const RunRecord& run : continuing_) {
            dismissed_.push_back(run.run_id);
        }
        update_bar();
    });
}

void AttachBar::refresh() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (!workspace_->store()) {
        return;
    }
    read_job_.start([store = workspace_->store()](const JobHandle&) { return store->runs(); },
                    [this](Result<std::vector<RunRecord>> runs) {
                        if (runs) {  // Runs reports a store that cannot be read
                            runs_ = std::move(*runs);
                            update_bar();
                            emit refreshed();
                        }
                    });
}

void AttachBar::dismiss(const QString& run_id) {
    dismissed_.push_back(ss(run_id));
    update_bar();
}

void AttachBar::set_waiting(bool waiting) {
    waiting_ = waiting;
    update_bar();
}

void AttachBar::update_bar() {
    // What was read of the own runs is older than their end.
    const auto is_own = [runs = workspace_->runs()](const std::string& run_id) {
        const RunSession* session = runs->find(run_id);
        return session != nullptr && (session->live() || session->model()->state().end);
    };
    for (QWidget* each : QApplication::topLevelWidgets()) {
        if (const auto* scaling = qobject_cast<ScalingDialog*>(each)) {
            measured_.insert(scaling->runs().begin(), scaling->runs().end());
        }
    }
    continuing_.clear();
    for (const RunRecord& run : runs_) {
        if (run.outcome == Outcome::Running && !is_own(run.run_id) && !measured_.contains(run.run_id) &&
            !follower_of(run.run_id)) {
            continuing_.push_back(run);
        }
    }
    const bool news = std::any_of(continuing_.begin(), continuing_.end(), [this](const RunRecord& run) {
        return std::find(dismissed_.begin(), dismissed_.end(), run.run_id) == dismissed_.end();
    });
    if (!news || waiting_ || workspace_->runs()->attaching()) {
        set_text({});
    } else if (continuing_.size() == 1) {
        const RunRecord& run = continuing_.front();
        set_action(tr("A&ttach"));
        set_text(tr("The run %1 of %2 has not ended.")
                     .arg(qs(run.name).left(kLongestName), begin_text(run.started_us)));
    } else {
        set_action(tr("Show in R&uns"));
        set_text(tr("%1 runs have not ended, the last of %2.")
                     .arg(continuing_.size())
                     .arg(begin_text(continuing_.front().started_us)));
    }
}

}  // namespace rankscope::gui
