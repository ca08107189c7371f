// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/bundle/bundle_opener.h>
#include <gui/models/runs_model.h>
#include <gui/runs/run_exporter.h>
#include <gui/runs/summary_loader.h>
#include <gui/session/run_session.h>

#include <QTimer>
#include <QWidget>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QComboBox;

namespace rankscope::gui {

class CompareView;
class EmptyState;
class LabelEditor;
class NcclLevel;
class NoticeBar;
class RunDeleter;
class RunOpener;
class RunsFilter;
class RunsTable;
class StoreBar;
class Workspace;

/// The stored runs: find one by its labels, open it as it looked, attach to one that is still running, compare some,
/// delete some, export one, exchange one with others as a failure bundle.
class RunsPage : public QWidget {
    Q_OBJECT

public:
    explicit RunsPage(Workspace* workspace, QWidget* parent = nullptr);

    void refresh();
    bool opening() const;
    /// Null: none, or several.
    const RunRecord* selected() const;
    RunsTable* runs_table() const { return table_; }
    CompareView* compare_view() const { return compare_view_; }
    /// Compares these instead of the list, until the user goes back to it.
    void compare(const std::vector<std::string>& run_ids);
    RunDeleter* deleter() const { return deleter_; }
    /// Adds the runs of failure bundles, logs and folders to the store and selects them; once the store is open.
    void open_bundles(const QStringList& files);
    void choose_bundle();
    /// See RunOpener::set_reads_lines().
    void set_reads_lines(std::function<bool()> reads_lines);
    /// Attaches to a run that has not ended; any other opens as it looked.
    void open_record(const RunRecord& run);
    /// Selects a run and opens it, once it is listed.
    void open_run(const QString& run_id);
    /// Selects a run, once it is listed.
    void select(const std::string& run_id);
    void choose_folder();
    /// The deleted runs that can be restored; once the store is open.
    void open_trash();
    void show_code();

signals:
    void launchRequested();
    void showSession();
    void opened(std::shared_ptr<rankscope::gui::LiveData> data);
    void againRequested(const QString& name, const std::string& job_yaml, const std::string& run_id);
    void deleted(const QString& run_id);
    /// The user wants this run in another window.
    void windowRequested(const rankscope::RunRecord& run);
    /// The user wants the run for another program.
    void exportRequested(const rankscope::RunRecord& run, rankscope::ExportFormat format);
    /// The user wants the run as a file for others.
    void bundleRequested(const QString& run_id, const QString& name);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* make_bar();
    QWidget* make_actions();
    void make_list();
    void connect_parts();
    void connect_table();
    void connect_bundles();
    void connect_opener();
    void connect_session();
    void connect_deleter();
    /// What a refresh reads.
    struct Listed {
        Result<std::vector<RunRecord>> runs;
        std::map<std::string, RunLabels> labels;
        std::map<std::string, std::int64_t> heard_us;  ///< of runs without an end
        std::pair<std::int64_t, std::int64_t> mark;
        bool same = false;  ///< nothing has changed since the last time, and nothing was read
    };
    static Listed read_list(const std::shared_ptr<RunStore>& store, const std::filesystem::path& path,
                            const std::optional<std::pair<std::int64_t, std::int64_t>>& before);
    void take(Listed listed);
    void export_selected(ExportFormat format);
    void show_fault(const QString& what, const Failure& failure);
    void update_state();
    void show_menu(const QPoint& at);
    void save_bundle();
    void open_selected();
    void attach(const RunRecord& record);
    void open_scaling_run();
    void compare_selected();
    void show_list();
    void delete_selected();
    QString count_line() const;

    Workspace* workspace_;
    RunsModel* model_;
    RunsFilter* proxy_;
    QTimer timer_;
    BackgroundJob list_job_;
    SummaryLoader* summaries_;
    RunOpener* opener_;
    LabelEditor* label_editor_;
    RunDeleter* deleter_;
    NcclLevel* nccl_level_;
    std::vector<RunRecord> listed_runs_;  ///< newest first
    std::map<std::string, std::int64_t>
        heard_us_;  ///< of those without an end: when the store last heard of them
    std::optional<std::pair<std::int64_t, std::int64_t>> mark_;
    BundleOpener bundles_;
    QStringList waiting_bundles_;  ///< until the store is open
    std::string wanted_;           ///< id of the run to select when it is listed
    bool open_wanted_ = false;     ///< and to open
    QString attaching_name_;
    RunSession* attaching_ = nullptr;  ///< the session that attached last
    bool listed_ = false;
    StoreBar* store_bar_;
    NoticeBar* fault_;
    NoticeBar* progress_;
    NoticeBar* undo_;
    NoticeBar* there_;  ///< a file whose run is in the list already
    QStackedWidget* stack_;
    EmptyState* empty_;
    RunsTable* table_;
    QLabel* summary_;
    QLineEdit* search_;
    QComboBox* grouping_;
    QPushButton* columns_;
    QWidget* bar_;
    QWidget* actions_;
    CompareView* compare_view_;
    QPushButton* open_;
    QPushButton* compare_;
    QPushButton* scaling_;
    QPushButton* again_;
    QPushButton* labels_;
    QPushButton* export_;
    QPushButton* save_;
    QPushButton* delete_;
};

}  // namespace rankscope::gui
