// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/session/options.h>
#include <gui/style/glyphs.h>
#include <remote/desk/run/run_controller.h>

#include <QMainWindow>
#include <array>
#include <memory>

class QActionGroup;
class QStackedWidget;
class QToolButton;

namespace rankscope::gui {

class DoctorPage;
class FleetPage;
class LaunchPage;
class LivePage;
class LogsPage;
class RunsPage;
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
    LaunchPage* launch_page() const { return launch_; }
    DoctorPage* doctor_page() const { return doctor_; }
    LivePage* live_page() const { return live_; }
    RunsPage* runs_page() const { return runs_; }
    LogsPage* logs_page() const { return logs_; }

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    QWidget* make_nav_bar();
    void make_menus();
    void make_file_menu();
    void connect_pages();
    void icon_nav_bar();
    void set_theme(ThemeChoice choice);
    void restore_geometry();
    void fit_screen();
    void open_first_job();
    void ask_before_closing();
    void run_again(const QString& name, const std::string& job_yaml, const std::string& run_id);
    void open_bundles(const QStringList& files);
    void save_bundle(const QString& run_id, const QString& name);
    void start_run(const RunRequest& request);
    void update_title();

    Options options_;
    bool system_is_dark_;
    bool may_close_ = false;
    bool close_when_over_ = false;
    QStackedWidget* pages_;
    std::array<QToolButton*, 6> nav_{};
    QActionGroup* themes_ = nullptr;
    FleetPage* fleet_ = nullptr;
    LaunchPage* launch_ = nullptr;
    DoctorPage* doctor_ = nullptr;
    LivePage* live_ = nullptr;
    RunsPage* runs_ = nullptr;
    LogsPage* logs_ = nullptr;
    std::unique_ptr<Workspace> workspace_;
};

}  // namespace rankscope::gui
