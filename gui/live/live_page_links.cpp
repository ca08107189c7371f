// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What leads from one part of Live to another: the selected ranks, moments, lines, the chosen range.

#include <gui/actions/page_command.h>
#include <gui/live/events_pane.h>
#include <gui/live/failure_banner.h>
#include <gui/live/live_page.h>
#include <gui/live/live_panes.h>
#include <gui/live/log_pane.h>
#include <gui/live/metric_area.h>
#include <gui/live/notice_list.h>
#include <gui/live/rank_strip.h>
#include <gui/live/run_header.h>
#include <gui/live/start_waterfall.h>
#include <gui/live/telemetry_strip.h>
#include <gui/logview/log_view.h>
#include <gui/models/rank_table_model.h>
#include <gui/nccl/nccl_pane.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/empty_state.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>

#include <QCoreApplication>
#include <QItemSelectionModel>
#include <QMenu>
#include <QPushButton>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <functional>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::size_t kMostPlaces = 64;  ///< of runs that were shown

/// What the menu of a rank does, in addition to what it knows itself.
struct RankMenuActions {
    std::function<void(int rank)> select;
    std::function<void(int rank)> show_log;
    std::function<void(int rank)> select_node_of;
    std::function<std::vector<std::pair<QString, std::vector<int>>>(int rank)> groups_of;  ///< axis, ranks
    std::function<void(const std::vector<int>& ranks)> select_ranks;
};

struct Words {
    Q_DECLARE_TR_FUNCTIONS(RankMenu)
};

/// Its cells as one line that a spreadsheet takes.
QString row_text(const QModelIndex& row) {
    QStringList cells;
    for (int column = 0; column < row.model()->columnCount(); ++column) {
        cells += row.siblingAtColumn(column).data().toString();
    }
    return cells.join(u'\t');
}

std::vector<std::pair<QString, std::vector<int>>> groups_with(const RunMesh& mesh, int rank) {
    std::vector<std::pair<QString, std::vector<int>>> found;
    for (std::size_t axis = 0; !mesh.empty() && axis < mesh.mesh.axes.size(); ++axis) {
        for (std::vector<int>& ranks : groups_on(mesh, mesh.mesh.axes[axis].name)) {
            if (std::find(ranks.begin(), ranks.end(), rank) != ranks.end()) {
                found.emplace_back(qs(mesh.mesh.axes[axis].name), std::move(ranks));
                break;
            }
        }
    }
    return found;
}

void show_menu(QTableView* table, const QPoint& at, const RankMenuActions& actions) {
    const QModelIndex row = table->currentIndex();
    if (!row.isValid()) {
        return;
    }
    const int rank = row.data(RankTableModel::RankRole).toInt();
    const QString node = row.siblingAtColumn(RankTableModel::Node).data().toString();
    auto* menu = new QMenu(table);
    menu->setObjectName(u"rankMenu"_s);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(Words::tr("&Log of rank %1").arg(rank), table,
                    [actions, rank] { actions.show_log(rank); });
    menu->addAction(Words::tr("All ranks of &its node"), table,
                    [actions, rank] { actions.select_node_of(rank); });
    for (const auto& [axis, ranks] : actions.groups_of(rank)) {
        menu->addAction(Words::tr("All ranks of its %1 group").arg(axis), table,
                        [actions, ranks = ranks] { actions.select_ranks(ranks); });
    }
    QAction* clear = menu->addAction(Words::tr("&Clear the selection"), table, &QTableView::clearSelection);
    clear->setShortcut(Qt::Key_Escape);
    menu->addSeparator();
    menu->addAction(Words::tr("Copy the &row"), table, [text = row_text(row)] { copy_to_clipboard(text); });
    menu->addAction(Words::tr("Copy the name of the &node"), table, [node] { copy_to_clipboard(node); });
    menu->popup(at);
}

/// A context menu for the rows of the rank table, and for the squares of the strip.
void add_rank_menu(QTableView* table, RankSquares* squares, const RankMenuActions& actions) {
    table->setContextMenuPolicy(Qt::CustomContextMenu);
    QObject::connect(
        table, &QTableView::customContextMenuRequested, table, [table, actions](const QPoint& at) {
            // The menu key has no place: the current row is meant.
            const QPoint place =
                table->indexAt(at).isValid() ? at : table->visualRect(table->currentIndex()).bottomLeft();
            show_menu(table, table->viewport()->mapToGlobal(place), actions);
        });
    squares->setContextMenuPolicy(Qt::CustomContextMenu);
    QObject::connect(squares, &QWidget::customContextMenuRequested, table,
                     [table, squares, actions](const QPoint& at) {
                         if (const int rank = squares->rank_at(at); rank >= 0) {
                             actions.select(rank);
                             show_menu(table, squares->mapToGlobal(at), actions);
                         }
                     });
}

}  // namespace

void LivePage::connect_parts() {
    connect(empty_->button(), &QPushButton::clicked, this, &LivePage::launchRequested);
    connect_runs();
    connect(header_, &RunHeader::stopRequested, this, [this](bool force) {
        session_->stop(force);
        force_sent_ = force;
        refresh_head();
    });
    connect(header_, &RunHeader::verdictRequested, this, [this] {
        banner_->show_again();
        refresh_head();
    });
    connect(header_, &RunHeader::noticesRequested, this, [this](bool open) {
        notices_->set_open(open);
        refresh_head();
    });
    connect(notices_, &NoticeList::closed, this, &LivePage::refresh_head);
    connect(header_, &RunHeader::pauseRequested, this, [this](bool pause) { session_->pause(pause); });
    connect(header_, &RunHeader::againRequested, this, [this] {
        emit againRequested(qs(current_->state().name), current_->data().job_yaml, current_->state().run_id);
    });
    connect(header_, &RunHeader::bundleRequested, this,
            [this] { emit bundleRequested(qs(current_->state().run_id), qs(current_->state().name)); });
    connect(&ticker_, &QTimer::timeout, this, &LivePage::tick);
    connect(&range_, &RunRange::changed, this, &LivePage::show_range);
    connect(range_chip_, &QToolButton::clicked, &range_, &RunRange::clear);
    connect_banner();
    connect_curves();
    connect_log();
    connect_panes();
    connect_models();
}

void LivePage::connect_banner() {
    connect(banner_, &FailureBanner::dismissed, this, &LivePage::refresh_head);
    connect(banner_, &FailureBanner::portRequested, this, &LivePage::portRequested);
    connect(banner_, &FailureBanner::logRequested, this, [this](int rank) {
        select_rank(rank);
        open_log_of(rank);
    });
    connect(banner_, &FailureBanner::lineRequested, this, [this](int rank, std::uint64_t number) {
        log_->show_line(rank, number);
        go_to_log();
    });
    connect(banner_, &FailureBanner::nodeRequested, this, &LivePage::select_node);
    connect(banner_, &FailureBanner::pairsRequested, this, &LivePage::doctorRequested);
    connect(banner_, &FailureBanner::startRequested, this, &LivePage::startRequested);
    connect(banner_, &FailureBanner::jobRequested, this, &LivePage::jobRequested);
}

void LivePage::connect_curves() {
    connect(curves_, &MetricArea::metricsShown, this, [this](const std::vector<std::string>& names) {
        table_model_->set_metrics(names);
        if (range_.is_set() && table_model_->metric_ids() != means_of_) {
            request_means();
        }
    });
    connect(curves_, &MetricArea::rankClicked, this, &LivePage::select_rank);
    connect(curves_, &MetricArea::logRequested, this, [this](const RunMoment& moment) {
        log_->show_moment(moment.t_us, moment.rank);
        go_to_log();
    });
    connect(curves_, &MetricArea::logRangeRequested, this, [this](const TimeSpan& span) {
        range_.set(span);
        go_to_log();
    });
    connect(nccl_, &NcclPane::lineRequested, this, &LivePage::open_line);
    connect(nccl_, &NcclPane::jobRequested, this, &LivePage::jobRequested);
    connect(nccl_, &NcclPane::rankChosen, this, &LivePage::select_rank);
    connect(nccl_, &NcclPane::rangeChosen, &range_, &RunRange::set);
}

void LivePage::connect_log() {
    const auto show_on_curves = [this](qint64 t_us, int rank) {
        panes_->bring(LivePanes::Pane::Curves);
        curves_->show_moment(t_us, rank);
    };
    connect(log_, &LogPane::momentRequested, this, show_on_curves);
    connect(log_, &LogPane::rankChosen, this, &LivePage::select_rank);
    connect(log_, &LogPane::rangeRequested, &range_, &RunRange::set);
    connect(log_, &LogPane::rangeLeft, &range_, &RunRange::clear);
    connect(events_, &EventsPane::momentChosen, curves_, &MetricArea::show_moment);
    connect(events_, &EventsPane::momentRequested, this, show_on_curves);
    connect(events_, &EventsPane::lineRequested, this, [this](int rank, quint64 number) {
        log_->show_line(rank, number);
        go_to_log();
    });
    connect(events_, &EventsPane::logRequested, this, [this](qint64 t_us, int rank) {
        log_->show_moment(t_us, rank);
        go_to_log();
    });
    connect(events_, &EventsPane::rangeRequested, &range_, &RunRange::set);
    connect(events_, &EventsPane::rankChosen, this, &LivePage::select_rank);
    on_command(this, PageCommand::Find, [this] {
        panes_->bring(LivePanes::Pane::Log);
        log_->focus_search();
    });
}

void LivePage::connect_panes() {
    using Pane = LivePanes::Pane;
    connect(strip_->squares(), &RankSquares::clicked, this, &LivePage::select_rank);
    connect(telemetry_, &TelemetryStrip::ranksChosen, this, &LivePage::select_ranks);
    connect(telemetry_, &TelemetryStrip::hintChanged, panes_, &LivePanes::fit);
    connect(gpu_squares_, &QToolButton::clicked, this, [this](bool on) { telemetry_->set_squares(on); });
    connect(start_, &StartWaterfall::rankChosen, this, &LivePage::select_rank);
    connect(start_, &StartWaterfall::hintChanged, panes_, &LivePanes::fit);
    connect(show_start_, &QToolButton::clicked, this, [this](bool on) {
        start_wanted_ = on;
        refresh_start();
    });
    connect(show_nccl_, &QToolButton::toggled, this, &LivePage::show_nccl);
    connect(panes_, &LivePanes::chosen, this, [this](Pane pane, bool on) {
        if (pane == Pane::Start) {
            start_wanted_ = on;
            refresh_start();
        }
    });
    connect(panes_, &LivePanes::wasReset, this, [this] {
        start_wanted_.reset();
        refresh_start();
    });
    connect(panes_, &LivePanes::shownChanged, this, [this] {
        show_nccl_->setChecked(panes_->is_shown(Pane::Nccl));
        gpu_squares_->setVisible(telemetry_->can_be_squares() && panes_->is_shown(Pane::Telemetry));
        refresh_start();
    });
}

void LivePage::connect_models() {
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &LivePage::selection_changed);
    connect(table_, &QTableView::doubleClicked, this,
            [this](const QModelIndex& index) { open_log_of(index.data(RankTableModel::RankRole).toInt()); });
    add_rank_menu(table_, strip_->squares(),
                  {.select = [this](int rank) { select_rank(rank); },
                   .show_log = [this](int rank) { open_log_of(rank); },
                   .select_node_of =
                       [this](int rank) { select_node(qs(current_->state().ranks[std::size_t(rank)].node)); },
                   .groups_of = [this](int rank) { return groups_with(*current_->mesh(), rank); },
                   .select_ranks = [this](const std::vector<int>& ranks) { select_ranks(ranks); }});
    auto* deselect = new QShortcut(QKeySequence(Qt::Key_Escape), table_);
    deselect->setContext(Qt::WidgetShortcut);
    connect(deselect, &QShortcut::activated, table_, &QTableView::clearSelection);
}

void LivePage::connect_runs() {
    RunSessions* runs = workspace_->runs();
    const auto show_front = [this](const RunSession* session) {
        if (session == session_) {
            show_session();
        }
    };
    connect(runs, &RunSessions::started, this, show_front);
    connect(runs, &RunSessions::attached, this, show_front);
    connect(runs, &RunSessions::changed, this, [this](const RunSession* session) {
        if (session == session_) {
            refresh_head();
        }
    });
    connect(runs, &RunSessions::frontChanged, this, [this, runs] {
        session_ = runs->front();
        force_sent_ = false;
        show_session();
    });
    connect(runs, &RunSessions::added, this, [this](RunSession* session) { watch(session->model()); });
    for (const auto& session : runs->all()) {
        watch(session->model());
    }
    watch(&stored_);
}

// A run that is not shown costs nothing here.
void LivePage::watch(LiveModel* model) {
    connect(model, &LiveModel::wasReset, this, [this, model] {
        if (model == current_) {
            show_model(model);
        }
    });
    connect(model, &LiveModel::changed, this, [this, model](const LiveChanges& changes) {
        if (model == current_) {
            on_changed(changes);
        }
    });
}

// The same part of the run in all panes.
void LivePage::show_range() {
    const bool any = range_.is_set() && current_ && !current_->empty();
    if (any) {
        const QString text = range_text(current_->data(), range_.span());
        range_chip_->setText(tr("Only %1  ×").arg(text));
        range_chip_->setAccessibleName(tr("Only %1: show the whole run again").arg(text));
        range_chip_->setToolTip(wrapped_tip(tr("%1. Log, events, ranks, telemetry and NCCL's operations and "
                                               "lines are those of this part of the run. A click shows the "
                                               "whole run again.")
                                                .arg(span_text(range_.span()))));
    }
    range_chip_->setVisible(any);
    log_->set_range(range_.span());
    events_->set_range(range_.span());
    nccl_->set_range(range_.span());
    telemetry_->set_range(range_.span());
    curves_->set_range(range_.span());
    const bool had_means = table_model_->shows_means();
    request_means();
    if (table_model_->shows_means() != had_means) {
        size_columns();  // the headers say it
    }
}

void LivePage::request_means() {
    const auto steps = range_.is_set() && current_ && !current_->empty()
                           ? steps_in(current_->data(), range_.span())
                           : std::nullopt;
    if (!steps) {
        means_.cancel();
        table_model_->show_means(false);
        return;
    }
    if (!table_model_->shows_means()) {
        table_model_->show_means(true);
    }
    means_age_.start();
    means_of_ = table_model_->metric_ids();
    means_.request({current_->gate(), current_->gate()->generation(), &current_->data().series, means_of_,
                    steps->first, steps->last});
}

void LivePage::keep_place() {
    if (place_of_.empty()) {
        return;
    }
    if (places_.size() >= kMostPlaces) {
        places_.clear();
    }
    places_[place_of_] = {selected_ranks(), range_.span(), curves_->place(), log_->place()};
    place_of_.clear();
}

void LivePage::return_to_place() {
    place_of_ = current_->state().run_id;
    const auto kept = places_.find(place_of_);
    if (kept == places_.end()) {
        return;
    }
    const RunPlace place = kept->second;
    select_ranks(place.selected);
    range_.set(place.range);
    curves_->return_to(place.plot);
    log_->return_to(place.log);
}

std::vector<int> LivePage::selected_ranks() const {
    std::vector<int> ranks;
    for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
        ranks.push_back(index.data(RankTableModel::RankRole).toInt());
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

void LivePage::selection_changed() {
    const std::vector<int> ranks = selected_ranks();
    curves_->set_selected_ranks(ranks);
    strip_->squares()->set_selected(ranks);
    telemetry_->set_selected(ranks);
    nccl_->set_selected_ranks(ranks);
    start_->set_selected(ranks);
    log_->view()->set_selected_ranks(ranks);
}

void LivePage::select_rank(int rank) {
    select_ranks({rank});
}

void LivePage::select_ranks(const std::vector<int>& ranks) {
    QItemSelection rows;
    for (int row = 0; row < proxy_->rowCount(); ++row) {
        const QModelIndex index = proxy_->index(row, 0);
        if (std::find(ranks.begin(), ranks.end(), index.data(RankTableModel::RankRole).toInt()) !=
            ranks.end()) {
            rows.select(index, proxy_->index(row, proxy_->columnCount() - 1));
        }
    }
    if (rows.isEmpty()) {
        return;
    }
    const QModelIndex first = rows.front().topLeft();
    table_->selectionModel()->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
    table_->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
    table_->scrollTo(first);
}

void LivePage::select_node(const QString& node) {
    std::vector<int> ranks;
    for (const RankState& rank : current_->state().ranks) {
        if (qs(rank.node) == node) {
            ranks.push_back(rank.rank);
        }
    }
    select_ranks(ranks);
    panes_->bring(LivePanes::Pane::Ranks);
    table_->setFocus();
}

void LivePage::open_log_of(int rank) {
    log_->show_rank(rank);
    go_to_log();
}

void LivePage::go_to_log() {
    panes_->bring(LivePanes::Pane::Log);
    log_->view()->setFocus();
}

void LivePage::open_line(quint32 file, quint64 line) {
    const auto& ranks = nccl_data_.snapshot()->source_ranks;
    if (file >= ranks.size()) {
        return;
    }
    const int rank = ranks[file];
    if (const auto at = current_->data().log.find_output(rank, {}, line)) {
        log_->show_line(rank, at->number);
        go_to_log();
    } else {
        open_log_of(rank);
    }
}

void LivePage::show_nccl(bool on) {
    panes_->set_shown(LivePanes::Pane::Nccl, on);
    if (on) {
        nccl_->setFocus();
    }
}

}  // namespace rankscope::gui
