// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/doctor/doctor_subject.h>
#include <gui/session/workspace.h>
#include <remote/desk/jobs/config/job.h>

#include <QWidget>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QFrame;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;
class QTabWidget;
class QMenu;
class QTableView;
class QVBoxLayout;

namespace rankscope::gui {

class CheckDetails;
class CheckedNodesModel;
class ChecksModel;
class ElidedLabel;
class ExaminedRanksModel;
class EmptyState;
class FittedTable;
class NodesButton;
class NoticeBar;
class PairMatrix;

/// The job that Launch shows.
struct JobInHand {
    Job job;
    QString title;                   ///< "mnist-convnet, job.yaml"
    std::vector<std::string> nodes;  ///< that it runs on; none: the launcher chooses them
    QString reason;                  ///< why it cannot be checked; empty: it can
};

/// Inspects the nodes of the job of Launch, of a run, or others, and the paths between them: node × node on the left,
/// checks with their fixes on the right.
class DoctorPage : public QWidget {
    Q_OBJECT

public:
    explicit DoctorPage(Workspace* workspace, QWidget* parent = nullptr);

    /// Asked whenever the job is shown or checked.
    void set_job_source(std::function<JobInHand()> source);
    void job_changed();
    /// Puts values into the job; a failure changes nothing.
    using JobEditor = std::function<std::optional<Failure>(const std::map<std::string, std::string>& keys)>;
    void set_job_editor(JobEditor editor) { set_job_keys_ = std::move(editor); }

    /// Shows what is kept of the run, at the first direction that fails.
    void show_run(const DoctorRun& run);
    /// The job of Launch again.
    void show_job();
    /// Inspects these nodes of the inventory, for no job in particular.
    void show_nodes(const std::vector<std::string>& nodes);
    /// The runs that the user can choose here.
    void set_runs(std::function<std::vector<DoctorRun>()> runs) { runs_ = std::move(runs); }
    DoctorSubject* subject() const { return subject_; }
    /// Selects the first check, the most serious one.
    void show_first_fault();
    PairMatrix* matrix() const { return matrix_; }

signals:
    /// The user wants to change the job.
    void launchRequested();
    /// The user wants to start the job.
    void startRequested();
    void jobFileChosen(const std::filesystem::path& file);
    /// The user wants the job of a run in Launch, with these keys; or to start it again at once.
    void runJobRequested(const rankscope::gui::DoctorRun& run, const std::map<std::string, std::string>& keys,
                         bool start);

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* make_head();
    QWidget* make_progress();
    QWidget* make_content();
    QWidget* make_summary();
    QWidget* make_connections();
    QWidget* make_checks();
    void connect_parts();
    void run(PreflightDepth depth);
    PreflightDepth preflight_depth() const;
    void choose_job_file();
    void fill_subjects(QMenu* menu);
    void subject_changed();
    void start();
    void apply_to_job(const std::map<std::string, std::string>& keys);
    void refresh();
    void show_report();
    void show_first_pair();
    void show_summary();
    void show_applied();
    void check_again();
    void compare_with_before();
    void undo_fixes();
    void forget_fixes();
    void show_problem();
    void filter_node(const std::string& node);
    void filter_pair(int from, int to);
    void show_all_checks();
    void check_selected();
    void pair_moved(int from, int to);
    void fit_checks();

    Workspace* workspace_;
    DoctorSubject* subject_;
    std::function<std::vector<DoctorRun>()> runs_;
    std::function<JobInHand()> job_source_;
    JobInHand job_;
    JobEditor set_job_keys_;
    std::shared_ptr<const PreflightReport> shown_;
    ElidedLabel* subject_text_;
    QPushButton* choose_;
    QPushButton* open_;
    NodesButton* nodes_;
    QPushButton* quick_;
    QPushButton* full_;
    QPushButton* cancel_;
    NoticeBar* problem_;
    NoticeBar* news_;   ///< the job was changed from here
    NoticeBar* worse_;  ///< the report after a fix is worse than the one before
    std::shared_ptr<const PreflightReport> before_fix_;  ///< until the one after it is there
    std::vector<Fix> fixes_made_;                        ///< between the two
    std::vector<Fix> applied_before_;                    ///< at the last check after a fix
    QWidget* progress_;
    ElidedLabel* progress_text_;
    QStackedWidget* stack_;
    EmptyState* empty_;
    QLabel* sign_;
    QLabel* title_;
    QLabel* about_;
    QPushButton* start_;
    QFrame* applied_;
    QVBoxLayout* applied_rows_;
    QTabWidget* tabs_;
    PairMatrix* matrix_;
    QWidget* legend_;
    QLabel* single_;
    QPlainTextEdit* pair_text_;
    FittedTable* node_table_;
    CheckedNodesModel* node_model_;
    FittedTable* rank_table_;
    ExaminedRanksModel* rank_model_;
    ElidedLabel* filter_;
    QPushButton* show_all_;
    QTableView* check_table_;
    ChecksModel* check_model_;
    CheckDetails* details_;
};

}  // namespace rankscope::gui
