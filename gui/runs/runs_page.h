// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/bundle/bundle_opener.h>
#include <gui/models/runs_model.h>
#include <gui/runs/run_exporter.h>
#include <gui/session/run_session.h>

#include <QTimer>
#include <QWidget>
#include <map>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace rankscope::gui {

class EmptyState;
class NoticeBar;
class RunsFilter;
class Workspace;

/// The stored runs: find one by its labels, open it as it looked, attach to one that is still running, delete one,
/// export one, exchange one with others as a failure bundle.
class RunsPage : public QWidget {
    Q_OBJECT

public:
    explicit RunsPage(Workspace* workspace, QWidget* parent = nullptr);

    void refresh();
    bool opening() const { return open_job_.running(); }
    /// Null: none.
    const RunRecord* selected() const;
    /// Adds the runs of failure bundles, logs and folders to the store and selects them; once the store is open.
    void open_bundles(const QStringList& files);
    void choose_bundle();
    /// Attaches to a run that has not ended; any other opens as it looked.
    void open_record(const RunRecord& run);
    /// Selects a run, once it is listed.
    void select(const std::string& run_id);
    void choose_folder();

signals:
    void launchRequested();
    void showSession();
    void opened(std::shared_ptr<rankscope::gui::LiveData> data);
    void againRequested(const QString& name, const std::string& job_yaml);
    void deleted(const QString& run_id);
    /// The user wants the run as a file for others.
    void bundleRequested(const QString& run_id, const QString& name);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* make_bar();
    void connect_parts();
    void connect_export();
    /// What a refresh reads.
    struct Listed {
        Result<std::vector<RunRecord>> runs;
        std::map<std::string, RunLabels> labels;
    };
    void take(Listed listed);
    void edit_labels();
    void toggle_star(const RunRecord& run);
    void set_labels(const RunRecord& run, const RunLabels& labels);
    void export_selected(ExportFormat format);
    void update_state();
    void show_menu(const QPoint& at);
    void save_bundle();
    void open_selected();
    void open_stored(const RunRecord& record);
    void attach(const RunRecord& record);
    void ask_delete();
    void remove(const RunRecord& record);
    void show_progress(const QString& name, std::uint64_t events, std::uint64_t total);

    Workspace* workspace_;
    RunsModel* model_;
    RunsFilter* proxy_;
    QTimer timer_;
    BackgroundJob list_job_;
    BackgroundJob open_job_;
    BackgroundJob remove_job_;
    BackgroundJob label_job_;
    RunExporter* exporter_;
    BundleOpener bundles_;
    QStringList waiting_bundles_;  ///< until the store is open
    std::string wanted_;           ///< id of the run to select when it is listed
    QString attaching_name_;
    QString exported_;  ///< the file of the last export, until another run is selected
    bool listed_ = false;
    NoticeBar* fault_;
    NoticeBar* progress_;
    QStackedWidget* stack_;
    EmptyState* empty_;
    QTableView* table_;
    QLabel* summary_;
    QLineEdit* search_;
    QPushButton* open_;
    QPushButton* again_;
    QPushButton* labels_;
    QPushButton* export_;
    QPushButton* save_;
    QPushButton* delete_;
};

}  // namespace rankscope::gui
