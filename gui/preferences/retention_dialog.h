// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/runs/store/retention.h>

#include <QDialog>
#include <filesystem>
#include <memory>

class QLabel;
class QProgressBar;
class QPushButton;
class QTableWidget;

namespace rankscope::gui {

/// The runs that a rule would remove; removes them when the user confirms, with progress.
class RetentionDialog : public QDialog {
    Q_OBJECT

public:
    RetentionDialog(std::shared_ptr<RunStore> store, std::filesystem::path path, const RetentionRule& rule,
                    QThreadPool* pool, QWidget* parent);
    ~RetentionDialog() override;

private:
    void show_plan(Result<RetentionPlan> plan);
    void remove_runs();
    void show_removed(const Result<int>& removed);

    std::shared_ptr<RunStore> store_;
    std::filesystem::path path_;
    RetentionPlan plan_;
    BackgroundJob job_;
    QLabel* what_;
    QLabel* kept_;
    QTableWidget* table_;
    QProgressBar* progress_;
    QPushButton* remove_;
    QPushButton* close_;
};

}  // namespace rankscope::gui
