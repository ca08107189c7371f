// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/session/options.h>
#include <gui/settings/settings.h>
#include <remote/desk/archive/export/run_export.h>
#include <remote/desk/runs/run/run_controller.h>

#include <QMainWindow>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <vector>

class QStackedWidget;

namespace rankscope::gui {

class DoctorPage;
class ExportBar;
class FleetPage;
class LaunchPage;
class LivePage;
class LogsPage;
class NavBar;
class Notifier;
class RunSession;
class RunTabs;
class RunsPage;
class WindowActions;
class WindowNews;
class Workspace;

/// Size of the first window on a screen with this room, frame excluded.
QSize first_window_size(QSize room);

/// The six pages and the bar that switches between them.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    enum class Page { Fleet, Launch, Doctor, Live, Runs, Logs };

    explicit MainWindow(const Options& options, bool system_is_dark = false);
    ~MainWindow() override;

    Workspace* workspace() const { return workspace_.get(); }
    Page page() const;
    void show_page(Page page);
    QWidget* page_widget(Page page) const;
    FleetPage* fleet_page() const { return fleet_; }
    LaunchPage* launch_page() const { return launch_; }
    DoctorPage* doctor_page() const { return doctor_; }
    LivePage* live_page() const { return live_; }
    RunsPage* runs_page() const { return runs_; }
    LogsPage* logs_page() const { return logs_; }
    RunTabs* tabs() const { return tabs_; }
    bool system_is_dark() const { return system_is_dark_; }

    // What actions and commands do.
    void choose_bundle();
    void choose_folder();
    /// What a file can be made of: the run selected in Runs, on that page; on others the one that Live shows.
    std::optional<RunRecord> run_at_hand() const;
    void save_shown_bundle();
    /// Asks for the file; of a run that has not ended, with what is stored so far.
    void export_shown(ExportFormat format);
    bool can_start_scaling() const;
    /// The job in Launch on 1, 2, 4 … ranks.
    void open_scaling_run();
    bool can_attach() const;
    void attach_found();
    const std::vector<RunRecord>& known_runs() const;
    void open_run(const RunRecord& run);
    void open_job(const std::filesystem::path& file);
    void open_quick_start();
    LookTheme theme() const { return theme_; }
    void set_theme(LookTheme theme);
    /// Page, sizes and run of the last start; keeps them from now on.
    void restore_state();
    /// Sizes and panes of another window.
    void take_layout(const MainWindow& from);
    void show_settings(SettingsPart part);
    void show_palette();

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void make_pages();
    void connect_pages();
    void connect_news();
    void connect_notifier(RunSession* session);
    void connect_session();
    void update_look();
    void restore_geometry();
    void save_state();
    void fit_screen();
    void open_first_job();
    void load_quick_start();
    void open_first_training(const std::vector<std::string>& nodes);
    void run_quick_start();
    void ask_before_closing(const std::vector<RunSession*>& runs);
    void run_again(const QString& name, const std::string& job_yaml, const std::string& run_id);
    void open_bundles(const QStringList& files);
    void save_bundle(const QString& run_id, const QString& name);
    void export_run(const RunRecord& run, ExportFormat format);
    void start_run(const RunRequest& request);
    void note_end(RunSession* session);
    void mark_live();
    void review_store();
    void update_title();

    Options options_;
    bool system_is_dark_;
    LookTheme theme_ = LookTheme::System;
    bool keeps_state_ = false;
    bool may_close_ = false;
    bool close_when_over_ = false;
    QStackedWidget* pages_;
    NavBar* nav_;
    WindowNews* news_ = nullptr;
    ExportBar* export_ = nullptr;
    Notifier* notifier_ = nullptr;  ///< of the first session; each has one
    std::set<RunSession*> unseen_;  ///< have ended while Live was not on view
    RunTabs* tabs_ = nullptr;
    FleetPage* fleet_ = nullptr;
    LaunchPage* launch_ = nullptr;
    DoctorPage* doctor_ = nullptr;
    LivePage* live_ = nullptr;
    RunsPage* runs_ = nullptr;
    LogsPage* logs_ = nullptr;
    std::unique_ptr<Workspace> workspace_;
    std::unique_ptr<WindowActions> actions_;
};

}  // namespace rankscope::gui
