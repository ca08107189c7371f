// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/session/fix_runner.h>
#include <gui/session/fleet.h>
#include <gui/session/options.h>
#include <gui/session/preflight_session.h>
#include <gui/session/prompter_bridge.h>
#include <gui/session/run_sessions.h>
#include <gui/settings/settings_file.h>
#include <remote/desk/runs/store/run_store.h>

#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace rankscope::gui {

/// Shared by the pages of a window: the fleet, the runs it follows, the store, and their threads.
class Workspace : public QObject {
    Q_OBJECT

public:
    /// `window`: parent of the dialogs with questions.
    Workspace(Options options, QWidget* window);
    ~Workspace() override;

    const Options& options() const { return options_; }
    SettingsFile* settings() { return &settings_; }
    Fleet* fleet() { return &fleet_; }
    RunSessions* runs() { return &runs_; }
    /// That of the run that Live shows, or showed last.
    RunSession* session() { return runs_.front(); }
    PreflightSession* preflight() { return &preflight_; }
    FixRunner* fixes() { return &fixes_; }
    QThreadPool* pool() { return &pool_; }
    Prompter prompter() const { return bridge_->prompter(); }
    /// Null until it is open, or when it could not be opened.
    const std::shared_ptr<RunStore>& store() const { return store_; }
    bool store_settled() const { return store_settled_; }
    const std::optional<Failure>& store_failure() const { return store_failure_; }

    /// Those of all windows of this program, oldest first. The windows' thread only.
    static const std::vector<Workspace*>& all();

    /// Reads the inventory and opens the store.
    void begin();
    /// Renames the file of the store, which is damaged or of a newer version, and opens a new one.
    void begin_new_store();
    /// Where begin_new_store() has put the old one; empty: it was not called, or failed.
    const std::filesystem::path& old_store() const { return old_store_; }
    /// Every question is answered "no" from now on: the window is closing.
    void shut_down();

signals:
    void storeSettled();

private:
    struct Opened {
        Result<std::shared_ptr<RunStore>> store;
        std::filesystem::path old = {};
    };
    static Opened renew_store(const std::filesystem::path& path);
    void take_store(Opened opened);

    Options options_;
    SettingsFile settings_;
    QThreadPool pool_;  ///< before its users: waits for their last work when everything ends
    PrompterBridge* bridge_;
    Fleet fleet_;
    RunSessions runs_;
    PreflightSession preflight_;
    FixRunner fixes_;
    std::shared_ptr<RunStore> store_;
    bool store_settled_ = false;
    std::optional<Failure> store_failure_;
    std::filesystem::path old_store_;
    BackgroundJob open_job_;
    QTimer fleet_clock_;  ///< ages and the runs' links in the fleet
};

}  // namespace rankscope::gui
