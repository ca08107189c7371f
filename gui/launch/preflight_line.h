// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/session/preflight_session.h>

#include <QWidget>
#include <optional>
#include <string>

class QLabel;
class QPushButton;

namespace rankscope::gui {

class ElidedLabel;

/// What the last preflight said about the job of the form, in one line, and the button that runs a quick one.
class PreflightLine : public QWidget {
    Q_OBJECT

public:
    PreflightLine(PreflightSession* preflight, QWidget* parent);

    /// `may_run`: the nodes of the job can be inspected.
    void set_job(const Job& job, bool may_run);

signals:
    /// The user wants to see the whole report.
    void doctorRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void show_report(const PreflightReport& report);
    void show_sign(std::optional<CheckStatus> status);

    PreflightSession* preflight_;
    Job job_;
    std::string job_text_;
    bool may_run_ = false;
    std::optional<CheckStatus> status_;  ///< nothing: no report about this job
    QLabel* sign_;
    ElidedLabel* text_;
    QPushButton* check_;
    QPushButton* cancel_;
    QPushButton* doctor_;
};

}  // namespace rankscope::gui
