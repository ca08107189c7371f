// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/runs/store/retention.h>

#include <QWidget>

namespace rankscope::gui {

class AttachBar;
class AwayBar;
class NoticeBar;
class Workspace;

/// The bars above every page: runs that have not ended, runs that have ended unwatched, stored runs beyond the limits, and why something that was asked
/// for cannot be done.
class WindowNews : public QWidget {
    Q_OBJECT

public:
    WindowNews(Workspace* workspace, QWidget* parent);

    AttachBar* attach_bar() const { return attach_; }
    AwayBar* away_bar() const { return away_; }
    /// Shows a message until the page changes.
    void say(const QString& title, const QString& text);
    void forget_message();

signals:
    void settingsRequested();
    void retentionRequested();

private:
    void look_at_store();
    void show_plan(const RetentionPlan& plan);

    Workspace* workspace_;
    BackgroundJob plan_job_;
    AttachBar* attach_;
    AwayBar* away_;
    NoticeBar* message_;
    NoticeBar* settings_;
    NoticeBar* store_;
};

}  // namespace rankscope::gui
