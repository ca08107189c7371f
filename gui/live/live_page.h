// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_model.h>
#include <gui/data/rank_means.h>
#include <gui/data/run_place.h>
#include <gui/latest_job.h>
#include <gui/live/run_range.h>
#include <gui/models/rank_table_model.h>
#include <gui/nccl/nccl_data.h>
#include <gui/session/fix_runner.h>
#include <gui/session/run_session.h>
#include <remote/desk/runs/preflight/preflight.h>

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <map>
#include <optional>
#include <string>
#include <vector>

class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace rankscope::gui {

class EmptyState;
class EventsPane;
class FailureBanner;
class LivePanes;
class LogPane;
class MetricArea;
class MetricChooser;
class MetricPlot;
class NcclPane;
class NoticeBar;
class NoticeList;
class RankStrip;
class RunHeader;
class StageStrip;
class StartWaterfall;
class TelemetryStrip;
class Workspace;

/// A run, live or from the store: both are a LiveModel, and look the same.
class LivePage : public QWidget {
    Q_OBJECT

public:
    explicit LivePage(Workspace* workspace, QWidget* parent = nullptr);
    ~LivePage() override;

    /// The run of the session in front.
    void show_session();
    void show_stored(LiveData run);
    bool showing_session() const { return current_ == session_->model(); }
    const LiveModel* shown() const { return current_; }
    /// Which run is shown, and how it ended; nothing where none is shown.
    std::optional<RunRecord> shown_record() const;
    /// A stored run was deleted: stop showing it.
    void forget(const std::string& run_id);

    MetricPlot* plot() const;
    /// Updates ages, waits and silences. Called by a timer.
    void tick();
    MetricChooser* chooser() const;
    LogPane* log() const { return log_; }
    FailureBanner* banner() const { return banner_; }
    NcclPane* nccl() const { return nccl_; }
    /// A run that is opened shows its NCCL at once.
    bool shows_nccl() const;
    LivePanes* panes() const { return panes_; }
    EventsPane* events() const { return events_; }
    /// The part of the run that the panes show.
    RunRange* range() { return &range_; }

signals:
    void launchRequested();
    void portRequested(const QString& node, int port);
    /// The user wants to see what is kept of the shown run's nodes and paths.
    void doctorRequested();
    /// The user wants the shown run's job in Launch, with these keys.
    void jobRequested(const std::map<std::string, std::string>& keys);
    /// The user wants the shown run to start again, with these keys.
    void startRequested(const std::map<std::string, std::string>& keys);
    /// The user wants the shown run's job in Launch.
    void againRequested(const QString& name, const std::string& job_yaml, const std::string& run_id);
    /// The user wants the shown run as a file for others.
    void bundleRequested(const QString& run_id, const QString& name);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* make_content();
    QWidget* make_rank_table();
    void make_switches(QWidget* parent);
    void connect_parts();
    void connect_banner();
    void connect_curves();
    void connect_log();
    void connect_panes();
    void connect_models();
    void connect_runs();
    void watch(LiveModel* model);
    void show_model(LiveModel* model);
    void keep_place();
    void return_to_place();
    void on_changed(const LiveChanges& changes);
    void set_tight(bool on);
    void refresh_head();
    void refresh_ranks();
    void refresh_start();
    void refresh_telemetry();
    void size_columns();
    void age_figures();
    void show_range();
    void request_means();
    void selection_changed();
    std::vector<int> selected_ranks() const;
    void select_rank(int rank);
    void select_ranks(const std::vector<int>& ranks);
    void open_log_of(int rank);
    void go_to_log();
    void open_line(quint32 file, quint64 line);
    void show_nccl(bool on);
    void select_node(const QString& node);
    std::int64_t now_us() const;

    Workspace* workspace_;
    RunSession* session_;  ///< in front
    FixRunner* fixes_;
    LiveModel stored_;
    LiveModel* current_ = nullptr;
    std::string place_of_;                    ///< the run whose place the panes show; empty: none
    std::map<std::string, RunPlace> places_;  ///< by run, of those that were shown
    NcclData nccl_data_;
    RunRange range_;
    LatestJob<RankMeansRequest, std::optional<RankMeans>> means_;
    QElapsedTimer means_age_;
    std::vector<MetricId> means_of_;  ///< asked for last
    QTimer ticker_;
    bool ranks_dirty_ = false;
    bool samples_dirty_ = false;
    bool metrics_dirty_ = false;
    bool force_sent_ = false;
    std::int64_t aged_s_ = 0;  ///< when age_figures() last ran

    QStackedWidget* stack_;
    EmptyState* empty_;
    NoticeBar* link_;  ///< nodes that do not answer
    RunHeader* header_;
    FailureBanner* banner_;
    NoticeList* notices_;
    StageStrip* stages_;
    RankStrip* strip_;
    StartWaterfall* start_;
    QToolButton* range_chip_;
    QToolButton* show_start_;
    QToolButton* show_nccl_;
    QToolButton* gpu_squares_;  ///< telemetry as squares or as a table
    NcclPane* nccl_;
    std::optional<bool> start_wanted_;  ///< by the user; nothing: while the run starts
    TelemetryStrip* telemetry_;
    MetricArea* curves_;
    QTableView* table_;
    RankTableModel* table_model_;
    QSortFilterProxyModel* proxy_;
    LogPane* log_;
    EventsPane* events_;
    LivePanes* panes_;
};

}  // namespace rankscope::gui
