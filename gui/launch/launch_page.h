// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/launch/launch_check.h>
#include <remote/desk/config/job.h>
#include <remote/desk/run/run_controller.h>

#include <QTimer>
#include <QWidget>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

class QLabel;
class QPushButton;

namespace rankscope::gui {

class JobForm;
class NoticeBar;
class PlanView;
class PreflightLine;
class Workspace;

/// Where and what on the left, what will happen on the right, Start below.
class LaunchPage : public QWidget {
    Q_OBJECT

public:
    explicit LaunchPage(Workspace* workspace, QWidget* parent = nullptr);

    void open_job(const std::filesystem::path& file);
    /// A job that comes as text: a built-in recipe.
    void set_job_text(const std::string& yaml, const std::filesystem::path& file);
    /// The job of a run that was.
    void set_job_again(const QString& name, const std::string& yaml);
    /// As the form has it now.
    Job job() const;
    /// The same as a job file: the one that was opened with its comments, order and unknown keys, and the
    /// values of the form.
    std::string job_text() const;
    const LaunchState& state() const { return state_; }
    /// "mnist-convnet, job.yaml".
    QString job_title() const;
    /// The nodes that the job runs on; where the launcher chooses them: none.
    std::vector<std::string> chosen_nodes() const;
    /// Puts values into the job, as its file has them. Nothing changes on a failure.
    std::optional<Failure> set_job_keys(const std::map<std::string, std::string>& keys);

signals:
    /// The job or what is wrong with it may be different now.
    void jobChanged();
    void startRequested(const rankscope::RunRequest& request);
    /// The user wants to see the last preflight.
    void doctorRequested();

private:
    QWidget* make_left();
    QWidget* make_bottom();
    void connect_parts();
    void take_job(JobRead read);
    void form_changed();
    void make_plan_now();
    void update_state();
    void start();
    void choose_job_file();
    void paste_command_line();
    void choose_save_file();
    void save_job(const std::filesystem::path& file);
    void show_file_faults();
    void field_edited(const QString& key);

    struct Planned {
        Job job;
        std::optional<LaunchPlan> plan;
        std::optional<Failure> failure;
        std::vector<Failure> problems;
    };

    Workspace* workspace_;
    LaunchState state_;
    BackgroundJob read_job_;
    BackgroundJob plan_job_;
    BackgroundJob save_job_;
    QTimer plan_timer_;
    QLabel* file_;
    std::string document_;                ///< text of the job file that was opened; empty: none
    config::ConfigProblems file_faults_;  ///< of that file; each until its field is edited
    NoticeBar* problems_;
    NoticeBar* unknown_;  ///< names the keys that are kept although they mean nothing
    JobForm* form_;
    PlanView* plan_;
    PreflightLine* preflight_;
    QLabel* reason_;
    QPushButton* start_;
};

}  // namespace rankscope::gui
