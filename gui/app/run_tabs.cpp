// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <gui/app/leave_runs.h>
#include <gui/app/run_tab_bar.h>
#include <gui/app/run_tabs.h>
#include <gui/live/live_page.h>
#include <gui/live/run_standing.h>
#include <gui/on_thread.h>
#include <gui/runs/run_opener.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/style/glyphs.h>
#include <gui/texts.h>
#include <gui/widgets/notice_bar.h>

#include <QMenu>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kSilentMs = 300;       ///< until it is said that a run is being read
constexpr int kSignsEveryMs = 1000;  ///< silences and hangs come without an event
constexpr qsizetype kMostRestored = 32;

}  // namespace

RunTabs::RunTabs(Workspace* workspace, LivePage* live, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      live_(live),
      bar_(new RunTabBar(this)),
      progress_(new NoticeBar(NoticeBar::Kind::News, "tabProgress", this)),
      fault_(new NoticeBar(NoticeBar::Kind::Fault, "tabFault", this)),
      opener_(new RunOpener(workspace->pool(), this)),
      records_job_(this, workspace->pool()) {
    setObjectName(u"runTabs"_s);
    bar_->setObjectName(u"runTabBar"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 0, 10, 0);  // as in Live
    layout->setSpacing(0);
    layout->addWidget(bar_);
    layout->addWidget(progress_);
    layout->addWidget(fault_);
    progress_->set_action(tr("&Cancel"));
    fault_->set_dismissable(true);
    bar_->hide();
    clock_.setInterval(kSignsEveryMs);
    connect_parts();
}

void RunTabs::connect_parts() {
    RunSessions* runs = workspace_->runs();
    connect(bar_, &QTabBar::currentChanged, this, &RunTabs::choose);
    connect(bar_, &QTabBar::tabCloseRequested, this, &RunTabs::close);
    connect(bar_, &RunTabBar::menuRequested, this, &RunTabs::show_menu);
    connect(bar_, &QTabBar::tabMoved, this, [this](int from, int to) {
        Tab moved = std::move(tabs_[std::size_t(from)]);
        tabs_.erase(tabs_.begin() + from);
        tabs_.insert(tabs_.begin() + to, std::move(moved));
    });
    connect(runs, &RunSessions::added, this, &RunTabs::watch);
    connect(runs, &RunSessions::changed, this, &RunTabs::sync);
    connect(runs, &RunSessions::started, this, &RunTabs::begin_showing);
    connect(runs, &RunSessions::attached, this, &RunTabs::begin_showing);
    connect(runs, &RunSessions::frontChanged, this, &RunTabs::begin_showing);
    connect(runs, &RunSessions::ended, this, [this](RunSession* session) {
        const int index = index_of(session);
        if (stopping_.erase(session) > 0 && index >= 0) {
            remove(index);
        } else {
            sync();
        }
    });
    for (const auto& session : runs->all()) {
        watch(session.get());
    }
    connect(progress_, &NoticeBar::actionTriggered, this, &RunTabs::begin_showing);
    // What opens at once must not move the page.
    connect(opener_, &RunOpener::progress, this, [this](const QString& text) {
        progress_->set_text(reading_since_.elapsed() >= kSilentMs ? text : QString());
    });
    opener_->set_reads_lines([this] { return live_->shows_nccl(); });
    connect(opener_, &RunOpener::opened, this,
            [this](const std::shared_ptr<LiveData>& run) { show_stored(std::move(*run)); });
    connect(opener_, &RunOpener::failed, this, [this](const QString& what, const Failure& failure) {
        begin_showing();
        fault_->set_text(what, failure_text(failure));
    });
    connect(&clock_, &QTimer::timeout, this, &RunTabs::refresh_signs);
}

void RunTabs::watch(RunSession* session) {
    connect(session->model(), &LiveModel::wasReset, this, &RunTabs::sync);
    connect(session->model(), &LiveModel::changed, this, [this, session](const LiveChanges& changes) {
        if (const int index = index_of(session); index >= 0 && (changes.stages || changes.end)) {
            refresh_sign(index);
        }
    });
}

int RunTabs::index_of(const RunSession* session) const {
    const auto found = std::find_if(tabs_.begin(), tabs_.end(),
                                    [session](const Tab& tab) { return tab.session == session; });
    return found == tabs_.end() ? -1 : int(found - tabs_.begin());
}

int RunTabs::index_of(const std::string& run_id) const {
    const auto found =
        std::find_if(tabs_.begin(), tabs_.end(), [&run_id](const Tab& tab) { return tab.run_id == run_id; });
    return found == tabs_.end() ? -1 : int(found - tabs_.begin());
}

int RunTabs::shown_index() const {
    const LiveModel* shown = live_->shown();
    if (shown == nullptr || shown->empty()) {
        return -1;
    }
    if (live_->showing_session()) {
        return index_of(workspace_->session());
    }
    const int index = index_of(shown->state().run_id);
    return index >= 0 && tabs_[std::size_t(index)].session == nullptr ? index : -1;
}

// A tab for each run; one that was stored here and is followed now keeps its place.
void RunTabs::adopt(RunSession* session) {
    const std::string run_id = run_id_of(*session);
    int index = index_of(session);
    if (index < 0) {
        index = index_of(run_id);
        if (index >= 0 && tabs_[std::size_t(index)].session != nullptr) {
            index = -1;  // another session follows it, too
        }
    }
    if (index < 0) {
        index = bar_->add(qs(session->model()->state().name));
        tabs_.emplace_back();
    }
    Tab& tab = tabs_[std::size_t(index)];
    tab.session = session;
    tab.run_id = run_id;
    tab.name = qs(session->model()->state().name);
    bar_->set_name(index, tab.name);
}

void RunTabs::sync() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    const QSignalBlocker quiet(bar_);
    for (int i = count() - 1; i >= 0; --i) {
        const Tab& tab = tabs_[std::size_t(i)];
        if (tab.session != nullptr && tab.session->model()->empty()) {
            tabs_.erase(tabs_.begin() + i);
            bar_->removeTab(i);
        }
    }
    for (const auto& session : workspace_->runs()->all()) {
        if (!session->model()->empty()) {
            adopt(session.get());
        }
    }
    bar_->setVisible(count() > 1);
    if (count() > 1) {
        clock_.start();
    } else {
        clock_.stop();
    }
    show_current();
    refresh_signs();
}

void RunTabs::show_current() {
    const QSignalBlocker quiet(bar_);
    const int index = wanted_.empty() ? shown_index() : index_of(wanted_);
    if (index >= 0) {
        bar_->setCurrentIndex(index);
    }
}

void RunTabs::refresh_signs() {
    for (int i = 0; i < count(); ++i) {
        refresh_sign(i);
    }
}

void RunTabs::refresh_sign(int index) {
    Tab& tab = tabs_[std::size_t(index)];
    QString state;
    StandingSign sign = StandingSign::Outcome;
    if (tab.session != nullptr) {
        const LiveData& run = tab.session->model()->data();
        RunControl control;
        control.live = tab.session->live();
        control.stopping = control.live && tab.session->stopping();
        const RunStanding standing = run_standing(run, control, control.live ? now_us() : run.state.last_us);
        tab.outcome = run.state.outcome;
        state = standing.text;
        sign = tab.outcome == Outcome::Running ? standing.sign : StandingSign::Outcome;
    } else {
        state = outcome_text(tab.outcome);
    }
    bar_->set_tip(index, {tab.name, tr("Run %1").arg(qs(tab.run_id)), state});
    const ThemeColors colors = theme_colors(palette());
    const int wanted = (int(tab.outcome) * 4 + int(sign)) * 2 + int(colors.dark);
    if (std::exchange(tab.sign, wanted) != wanted) {
        bar_->setTabIcon(index, sign == StandingSign::Warning ? check_icon(CheckStatus::Warn, colors)
                                : sign == StandingSign::Error ? check_icon(CheckStatus::Fail, colors)
                                                              : outcome_icon(tab.outcome, colors));
    }
}

void RunTabs::choose(int index) {
    if (index < 0 || index >= count()) {
        return;
    }
    const Tab tab = tabs_[std::size_t(index)];
    fault_->set_text({});
    if (tab.session != nullptr) {
        if (workspace_->session() != tab.session) {
            workspace_->runs()->bring_to_front(tab.session);
        } else if (!live_->showing_session()) {
            live_->show_session();
        }
        begin_showing();
        return;
    }
    opener_->cancel();
    progress_->set_text({});
    wanted_.clear();
    if (index != shown_index() && workspace_->store()) {
        wanted_ = tab.run_id;
        RunRecord record;
        record.run_id = tab.run_id;
        record.name = ss(tab.name);
        reading_since_.start();
        opener_->open(workspace_->store(), record);
    }
    show_current();
}

/// What is shown is decided: nothing that is still being read comes in between.
void RunTabs::begin_showing() {
    opener_->cancel();
    wanted_.clear();
    progress_->set_text({});
    sync();
    emit shownChanged();
}

void RunTabs::show_stored(LiveData run) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    const std::string run_id = run.state.run_id;
    int index = index_of(run_id);
    if (index < 0) {
        const QSignalBlocker quiet(bar_);
        index = bar_->add(qs(run.state.name));
        tabs_.emplace_back();
    }
    Tab& tab = tabs_[std::size_t(index)];
    tab.run_id = run_id;
    tab.name = qs(run.state.name);
    tab.outcome = run.state.outcome;
    fault_->set_text({});
    live_->show_stored(std::move(run));
    begin_showing();
}

void RunTabs::forget(const std::string& run_id) {
    if (const int index = index_of(run_id); index >= 0 && tabs_[std::size_t(index)].session == nullptr) {
        remove(index);
    } else {
        live_->forget(run_id);
    }
}

void RunTabs::step(int by) {
    if (count() > 0) {
        bar_->setCurrentIndex((bar_->currentIndex() + by + count()) % count());
    }
}

void RunTabs::close_shown() {
    if (const int index = shown_index(); index >= 0) {
        close(index);
    }
}

void RunTabs::close(int index) {
    RunSession* session = tabs_[std::size_t(index)].session;
    if (session == nullptr || !session->live()) {
        remove(index);
        return;
    }
    ask_before_leaving(window(), u"closeTabDialog"_s, {session}, [this, session](Leaving choice) {
        const int now = index_of(session);
        if (now < 0) {
            return;
        }
        if (choice == Leaving::Leave || !session->live()) {
            remove(now);
        } else {
            stopping_.insert(session);
            session->stop(false);
            bar_->setCurrentIndex(now);
        }
    });
}

void RunTabs::remove(int index) {
    const Tab tab = tabs_[std::size_t(index)];
    const bool was_shown = bar_->currentIndex() == index;
    {
        const QSignalBlocker quiet(bar_);
        tabs_.erase(tabs_.begin() + index);
        bar_->removeTab(index);
    }
    const int next = std::min(index, count() - 1);
    if (was_shown && next >= 0) {  // before the run goes: the page must not show nothing in between
        const QSignalBlocker quiet(bar_);
        bar_->setCurrentIndex(next);
        choose(next);
    }
    if (tab.session != nullptr) {
        stopping_.erase(tab.session);
        if (tab.session->live()) {
            emit left(qs(tab.run_id));
        }
        workspace_->runs()->close(tab.session);
    } else if (wanted_.empty()) {  // else on view until the next one is read
        live_->forget(tab.run_id);
    }
    sync();
    emit shownChanged();
}

QString RunTabs::why_not_moved(int index) const {
    if (index < 0) {
        return tr("Show a run in Live first.");
    }
    if (count() < 2) {
        return tr("It is the only run in this window.");
    }
    if (!workspace_->store()) {
        return tr("The run store is not open.");
    }
    const RunSession* session = tabs_[std::size_t(index)].session;
    return session != nullptr && session->live() && !session->runs_on_nodes()
               ? tr("Its ranks are not started yet.")
               : QString();
}

QString RunTabs::why_not_moved() const {
    return why_not_moved(shown_index());
}

void RunTabs::move_shown() {
    move(shown_index());
}

// The other window attaches: between the two the run continues on its nodes.
void RunTabs::move(int index) {
    if (!why_not_moved(index).isEmpty()) {
        return;
    }
    const Tab& tab = tabs_[std::size_t(index)];
    RunRecord record;
    record.run_id = tab.run_id;
    record.name = ss(tab.name);
    record.outcome = tab.session != nullptr && tab.session->live() ? Outcome::Running : tab.outcome;
    remove(index);
    emit windowRequested(record);
}

void RunTabs::show_menu(int index, const QPoint& at) {
    if (index < 0) {
        return;
    }
    const std::string run_id = tabs_[std::size_t(index)].run_id;
    auto* menu = new QMenu(this);
    menu->setObjectName(u"tabMenu"_s);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    const QString reason = why_not_moved(index);
    QAction* own =
        menu->addAction(tr("&Move to a window of its own"), this, [this, run_id] { move(index_of(run_id)); });
    own->setObjectName(u"tabWindow"_s);
    own->setEnabled(reason.isEmpty());
    own->setToolTip(reason);
    QAction* others = menu->addAction(tr("Close &others that are over"), this, [this, run_id] {
        for (int i = count() - 1; i >= 0; --i) {
            const Tab& tab = tabs_[std::size_t(i)];
            if (tab.run_id != run_id && (tab.session == nullptr || !tab.session->live())) {
                remove(i);
            }
        }
    });
    others->setObjectName(u"tabCloseOthers"_s);
    QAction* close_it = menu->addAction(tr("&Close"), this, [this, run_id] {
        if (const int now = index_of(run_id); now >= 0) {
            close(now);
        }
    });
    close_it->setObjectName(u"tabClose"_s);
    menu->popup(at);
}

QStringList RunTabs::run_ids() const {
    QStringList ids;
    for (const Tab& tab : tabs_) {
        ids += qs(tab.run_id);
    }
    return ids;
}

QString RunTabs::shown_run_id() const {
    const int index = shown_index();
    return index < 0 ? QString() : qs(tabs_[std::size_t(index)].run_id);
}

void RunTabs::restore(const QStringList& run_ids, const QString& shown) {
    if (run_ids.isEmpty()) {
        return;
    }
    if (workspace_->store_settled()) {
        read_records(run_ids, shown);
    } else {
        connect(
            workspace_, &Workspace::storeSettled, this,
            [this, run_ids, shown] { read_records(run_ids, shown); }, Qt::SingleShotConnection);
    }
}

// Those in progress are offered by AttachBar.
void RunTabs::read_records(const QStringList& run_ids, const QString& shown) {
    if (!workspace_->store()) {
        return;
    }
    records_job_.start(
        [store = workspace_->store()](const JobHandle&) { return store->runs(); },
        [this, run_ids, shown](const Result<std::vector<RunRecord>>& runs) {
            if (!runs) {
                return;  // Runs reports a store that cannot be read
            }
            const QSignalBlocker quiet(bar_);
            for (const QString& id : run_ids.first(std::min(run_ids.size(), kMostRestored))) {
                const auto run = std::find_if(runs->begin(), runs->end(),
                                              [&id](const RunRecord& each) { return each.run_id == ss(id); });
                if (run == runs->end() || run->outcome == Outcome::Running || index_of(run->run_id) >= 0) {
                    continue;
                }
                bar_->add(qs(run->name));
                tabs_.push_back({.run_id = run->run_id, .name = qs(run->name), .outcome = run->outcome});
            }
            sync();
            const bool empty = live_->shown() == nullptr || live_->shown()->empty();
            if (empty && count() > 0) {
                choose(std::max(index_of(ss(shown)), 0));
            }
        });
}

}  // namespace rankscope::gui
