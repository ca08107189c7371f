// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/away_bar.h>
#include <gui/on_thread.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QStringList>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr double kAskWithin = 3;
constexpr double kSettleWithin = 60;  // each
constexpr std::size_t kNamed = 3;
constexpr qsizetype kLongestAwayName = 40;
constexpr qsizetype kLongestReason = 120;

}  // namespace

AwayBar::AwayBar(Workspace* workspace, QWidget* parent)
    : NoticeBar(Kind::News, "awayBar", parent), workspace_(workspace), job_(this, workspace->pool()) {
    set_dismissable(true);
    set_action(tr("S&how"));
    connect(workspace->fleet(), &Fleet::changed, this, &AwayBar::begin);
    connect(this, &NoticeBar::dismissed, this, [this] { set_text({}); });
    connect(this, &NoticeBar::actionTriggered, this, [this] {
        const std::vector<RunRecord> ended = std::exchange(ended_, {});
        set_text({});
        if (ended.size() == 1) {
            emit showRequested(ended.front());
        } else if (!ended.empty()) {
            emit listRequested();
        }
    });
}

void AwayBar::ask(std::vector<RunRecord> unfinished) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (begun_) {
        return;
    }
    begun_ = true;
    asking_ = !unfinished.empty();
    unfinished_ = std::move(unfinished);
    begin();
}

// Where the nodes are is known once the inventory is read.
void AwayBar::begin() {
    if (unfinished_.empty() || !workspace_->store() || !workspace_->fleet()->loaded()) {
        return;
    }
    job_.start(
        [unfinished = std::exchange(unfinished_, {}), inventory = workspace_->fleet()->inventory(),
         sessions = workspace_->fleet()->sessions()](const JobHandle& handle) {
            return ask_nodes(unfinished, inventory, sessions.get(), kAskWithin, handle.stop());
        },
        [this](const std::vector<AskedRun>& asked_runs) {
            asking_ = false;
            settle(asked_runs);
            emit asked();
        });
}

void AwayBar::settle(const std::vector<AskedRun>& asked_runs) {
    std::vector<std::string> ended;
    for (const AskedRun& run : asked_runs) {
        if (run.say.state == NodesSay::State::Ended) {
            ended.push_back(run.record.run_id);
        }
    }
    if (ended.empty()) {
        return;
    }
    job_.start(
        [ended, store = workspace_->store(),
         inventory = workspace_->fleet()->inventory()](const JobHandle& handle) {
            std::vector<RunRecord> settled_runs;
            for (const auto& run_id : ended) {
                auto record = settle_run(store, run_id, inventory, kSettleWithin, handle.stop());
                if (record && record->outcome != Outcome::Running) {
                    settled_runs.push_back(std::move(*record));
                }
            }
            return settled_runs;
        },
        [this](std::vector<RunRecord> settled_runs) { show_ended(std::move(settled_runs)); });
}

QString AwayBar::run_text(const RunRecord& run) {
    const QString name = qs(run.name).simplified().left(kLongestAwayName);
    if (run.outcome == Outcome::Done) {
        return tr("%1 done in %2").arg(name, duration_us_text(run.started_us, run.ended_us));
    }
    const QString reason = qs(run.summary).simplified().left(kLongestReason);
    return reason.isEmpty() ? QString(name % u' ' % outcome_text(run.outcome))
                            : tr("%1 %2: %3").arg(name, outcome_text(run.outcome), reason);
}

void AwayBar::show_ended(std::vector<RunRecord> ended) {
    if (ended.empty()) {
        return;
    }
    ended_ = std::move(ended);
    QStringList texts;
    for (std::size_t i = 0; i < std::min(ended_.size(), kNamed); ++i) {
        texts += run_text(ended_[i]);
    }
    if (ended_.size() > kNamed) {
        texts += tr("and %1 more").arg(ended_.size() - kNamed);
    }
    set_text(ended_.size() == 1 ? tr("A run ended while you were away: %1").arg(texts.front())
                                : tr("%1 runs ended while you were away: %2")
                                      .arg(ended_.size())
                                      .arg(texts.join(tr(", ", "between runs"))));
    emit settled();
}

}  // namespace rankscope::gui
