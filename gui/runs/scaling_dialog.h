// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/archive/scaling/scaling_run.h>

#include <QDialog>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableWidget;

namespace rankscope::gui {

class NoticeBar;
class ScalingPlot;

/// One job on several numbers of ranks: choose, run with progress, and what came of it; or a stored result again.
class ScalingDialog : public QDialog {
    Q_OBJECT

public:
    /// What the dialog works with.
    struct Setting {
        std::shared_ptr<RunStore> store;
        std::filesystem::path store_file;
        QThreadPool* pool = nullptr;
        Prompter prompter;
    };
    ScalingDialog(Setting setting, const QString& name, QWidget* parent);
    ~ScalingDialog() override;

    /// The job to run; Start begins.
    void set_request(ScalingRequest request);
    void show_stored(const std::string& tag);
    bool running() const { return running_; }
    const ScalingResult& result() const { return result_; }
    /// Ids of the runs that it has started.
    const std::set<std::string>& runs() const { return runs_; }

signals:
    /// A run was stored.
    void changed();

protected:
    void reject() override;

private:
    QWidget* make_choices();
    void start();
    void stop();
    void show_result(const ScalingResult& result);
    void take(const Result<ScalingResult>& result);
    bool read_ranks(std::vector<int>& ranks);
    void update_state();

    Setting setting_;
    ScalingRequest request_;
    ScalingResult result_;
    std::set<std::string> runs_;
    BackgroundJob job_;
    std::stop_source stop_;
    bool running_ = false;
    bool can_start_ = false;
    bool closing_ = false;
    QWidget* choices_;
    QLineEdit* ranks_;
    QDoubleSpinBox* seconds_;
    QComboBox* mode_;
    NoticeBar* fault_;
    QLabel* state_;
    ScalingPlot* plot_;
    QTableWidget* table_;
    QPushButton* export_;
    QPushButton* start_;
    QPushButton* close_;
};

}  // namespace rankscope::gui
