// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/models/runs_model.h>
#include <gui/session/run_session.h>

#include <QTimer>
#include <QWidget>

class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;

namespace rankscope::gui {

class EmptyState;
class NoticeBar;
class Workspace;

/// The stored runs: open one as it looked, attach to one that is still running, delete one.
class RunsPage : public QWidget {
    Q_OBJECT

public:
    explicit RunsPage(Workspace* workspace, QWidget* parent = nullptr);

    void refresh();
    bool opening() const { return open_job_.running(); }

signals:
    void launchRequested();
    void showSession();
    void opened(std::shared_ptr<rankscope::gui::LiveData> data);
    void againRequested(const QString& name, const std::string& job_yaml);
    void deleted(const QString& run_id);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* make_bar();
    void connect_parts();
    void take(Result<std::vector<RunRecord>> runs);
    void update_state();
    const RunRecord* selected() const;
    void open_selected();
    void open_stored(const RunRecord& record);
    void attach(const RunRecord& record);
    void ask_delete();
    void remove(const RunRecord& record);
    void show_progress(const QString& name, std::uint64_t events, std::uint64_t total);

    Workspace* workspace_;
    RunsModel* model_;
    QSortFilterProxyModel* proxy_;
    QTimer timer_;
    BackgroundJob list_job_;
    BackgroundJob open_job_;
    BackgroundJob remove_job_;
    QString attaching_name_;
    bool listed_ = false;
    NoticeBar* fault_;
    NoticeBar* progress_;
    QStackedWidget* stack_;
    EmptyState* empty_;
    QTableView* table_;
    QLabel* summary_;
    QPushButton* open_;
    QPushButton* again_;
    QPushButton* delete_;
};

}  // namespace rankscope::gui
