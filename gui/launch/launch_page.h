// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/launch/job_document.h>
#include <gui/launch/launch_check.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/config/recipes.h>
#include <remote/desk/jobs/plan/memory_need.h>
#include <remote/desk/runs/run/run_controller.h>

#include <QTimer>
#include <QWidget>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <vector>

class QLabel;
class QPushButton;
class QTabWidget;
class QToolButton;

namespace rankscope::gui {

class DraftFile;
class EpochTimeCache;
class JobForm;
class JobTextPane;
class NoticeBar;
class OverrideBar;
class PlanView;
class PreflightLine;
class Workspace;

/// Where and what on the left, the text of the job file and what will happen on the right, Start below. Form and text
/// show the same job: what changes in one changes in the other.
class LaunchPage : public QWidget {
    Q_OBJECT

public:
    explicit LaunchPage(Workspace* workspace, QWidget* parent = nullptr);
    ~LaunchPage() override;

    void open_job(const std::filesystem::path& file);
    /// A job that comes as text: a built-in recipe.
    void set_job_text(const std::string& yaml, const std::filesystem::path& file);
    /// A copy of a recipe: saving it asks for a file.
    void open_recipe(const QString& name, const std::string& yaml);
    RecipeBook recipe_book() const;
    /// The job as it was when the window closed last, if nothing else is open.
    void restore_draft();
    /// The job of a run that was.
    /// The run that starts next is kept as run again from `run_id`, unless another job is opened.
    void set_job_again(const QString& name, const std::string& yaml, const std::string& run_id = {});
    /// Starts the job once it is planned; where it cannot start, startRefused.
    void start_when_ready();
    /// As the form has it now.
    Job job() const;
    /// The same as a job file: the one that was opened with its comments, order and unknown keys, and the
    /// values of the form.
    const std::string& job_text() const { return document_.text(); }
    const LaunchState& state() const { return state_; }
    /// Starts the job, or leads to what is wrong with it.
    void start_or_show_why();
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
    /// Something is in the way of start_when_ready(): this page says what.
    void startRefused();
    /// The user wants to see the last preflight.
    void doctorRequested();

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    QWidget* make_head();
    QWidget* make_left();
    QWidget* make_right();
    QWidget* make_bottom();
    void connect_parts();
    void connect_workspace();
    void form_changed();
    /// Reads the form and plans; `again`: only what is known of the nodes has changed.
    void read_form(bool again);
    void make_plan_now();
    void look_for_last_run(const Job& job, const LaunchPlan& plan);
    void update_state();
    void update_conflicts();
    void start();
    void start_or_refuse();
    void choose_job_file();
    void paste_command_line();
    void choose_recipe();
    void choose_save_file();

    // launch_page_job.cpp
    void open(JobSource source, JobReading reading);
    void replace(JobSource source, JobReading reading);
    /// A job that a configuration of Distribuuuu makes.
    void open_translated(const std::string& yaml, const std::filesystem::path& config, JobReading reading);
    void show_document(bool typed = false);
    void load_form();
    void put_form_into_text(const CheckedJob& checked);
    void text_typed();
    void read_text();
    void show_faults(bool typed);
    void show_banners();
    void show_source();
    void remove_wrong_keys();
    void go_to_first_fault();
    void undo();
    void redo();
    void save();
    void save_job(const std::filesystem::path& file);
    void document_changed();
    void save_draft();

    struct Planned {
        Job job;
        std::optional<LaunchPlan> plan;
        std::optional<Failure> failure;
        std::vector<Failure> problems;
        std::optional<MemoryNeed> memory;
    };

    Workspace* workspace_;
    LaunchState state_;
    BackgroundJob read_job_;
    BackgroundJob plan_job_;
    BackgroundJob save_job_;
    BackgroundJob text_job_;
    BackgroundJob draft_job_;
    BackgroundJob last_run_job_;
    std::shared_ptr<EpochTimeCache> epoch_times_;
    QTimer plan_timer_;
    QTimer text_timer_;
    QTimer draft_timer_;
    JobDocument document_;
    JobSource kept_;  ///< as the draft's file has it
    std::shared_ptr<DraftFile> draft_file_;
    std::optional<LaunchPlan> planned_;   ///< the plan of the job as it is; nothing: there is none
    config::ConfigProblems file_faults_;  ///< of the text; those that the form made stand at their fields
    Job shown_;                           ///< as the form had it last
    QString field_;                       ///< that the user edits
    bool starts_when_ready_ = false;
    bool filling_ = false;  ///< the form gets values
    QLabel* file_;
    NoticeBar* problems_;
    NoticeBar* file_fault_;  ///< a file that could not be read or written
    OverrideBar* overrides_;
    JobForm* form_;
    QTabWidget* tabs_;
    JobTextPane* text_;
    QToolButton* undo_;
    QToolButton* redo_;
    QToolButton* discard_;
    PlanView* plan_;
    PreflightLine* preflight_;
    QLabel* reason_;
    QPushButton* start_;
};

}  // namespace rankscope::gui
