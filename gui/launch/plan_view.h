// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/models/plan_model.h>
#include <remote/desk/jobs/launch_lines/launch_line.h>

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTableView;

namespace rankscope::gui {

class ElidedLabel;
class NoticeBar;

/// What Start would do, rank by rank, before it does it.
class PlanView : public QWidget {
    Q_OBJECT

public:
    explicit PlanView(QWidget* parent = nullptr);

    void set_plan(const LaunchPlan& plan, const Job& job);
    void set_failure(const Failure& failure);
    /// Nothing to plan yet, and why.
    void set_empty(const QString& why);
    const LaunchPlan& plan() const { return model_->plan(); }

private:
    void show_rank();
    void copy_as(LauncherTool tool);

    PlanModel* model_;
    Job job_;
    NoticeBar* fault_;
    ElidedLabel* summary_;
    QLabel* notes_;
    QTableView* table_;
    QLabel* rank_title_;
    QPlainTextEdit* rank_text_;
    QPushButton* copy_;
    QPushButton* copy_as_;
};

/// "4 ranks on 2 nodes · gloo · 10.0.0.11:29500".
QString plan_summary(const LaunchPlan& plan);

}  // namespace rankscope::gui
