// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Another program holds the run store: Start, attach, open and close must not stop the window.

#include <gui/app/main_window.h>
#include <gui/launch/launch_page.h>
#include <gui/session/workspace.h>
#include <remote/desk/store/sqlite.h>

#include <tests/gui/gui_test.h>

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>
#include <memory>

namespace rankscope::gui::testing {
namespace {

constexpr int kLockedMs = 10000;
constexpr qint64 kGoalMs = 50;

/// The longest time between two turns of the window's event loop.
class Heartbeat {
public:
    Heartbeat() {
        QObject::connect(&timer_, &QTimer::timeout, [this] { beat(); });
        timer_.start(1);
        since_.start();
    }
    qint64 longest() {
        beat();
        return longest_;
    }

private:
    void beat() { longest_ = std::max(longest_, since_.restart()); }

    QTimer timer_;
    QElapsedTimer since_;
    qint64 longest_ = 0;
};

/// Another connection in the middle of a write: every other writer waits for it.
class Lock {
public:
    explicit Lock(const std::string& path) {
        EXPECT_TRUE(database_.open(path));
        EXPECT_TRUE(wait_until([this] { return database_.run("BEGIN EXCLUSIVE"); }));
    }
    ~Lock() { database_.run("ROLLBACK"); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    Database database_;
};

RunRequest request() {
    RunRequest request;
    request.job =
        parse_job("name: locked\nnodes: [local]\nprocs_per_node: 1\nbackend: gloo\ncommand: [\"true\"]\n",
                  "job.yaml")
            .job;
    return request;
}

RunRecord record_called(const std::string& run_id) {
    RunRecord record;
    record.run_id = run_id;
    record.name = run_id;
    record.job_yaml = "name: old\nnodes: [local]\ncommand: [\"true\"]\n";
    record.started_us = 1;
    return record;
}

/// What is pressed; returns the longest stall while it was, and for `then_ms` after it.
qint64 press_everything(const QString& folder, bool locked) {
    const auto path = options_in(folder).store_path();
    {
        auto store = RunStore::open(path);
        EXPECT_TRUE(store.ok());
        EXPECT_TRUE((*store)->create_run(record_called("old-1")).ok());
    }
    auto window = std::make_unique<MainWindow>(options_in(folder));
    window->show();
    EXPECT_TRUE(wait_until([&] { return window->workspace()->store_settled(); }));
    std::unique_ptr<Lock> lock;
    if (locked) {
        lock = std::make_unique<Lock>(path.string());
    }
    RunSession* session = window->workspace()->session();
    Heartbeat heartbeat;
    QElapsedTimer held;
    held.start();
    emit window->findChild<LaunchPage*>()->startRequested(request());
    EXPECT_TRUE(session->live()) << "the run exists at once";
    QTest::qWait(100);
    session->detach();
    session->attach(record_called("old-1"), Inventory{}, window->workspace()->store(), Prompter{});
    QTest::qWait(100);
    session->cancel_attach();
    emit window->findChild<LaunchPage*>()->startRequested(request());
    session->stop(false);
    if (locked) {
        EXPECT_TRUE(wait_until([&] { return held.elapsed() >= kLockedMs / 2; }, kLockedMs));
    }
    session->detach();
    window->close();
    EXPECT_FALSE(window->isVisible());
    const qint64 longest = heartbeat.longest();
    if (locked) {
        EXPECT_TRUE(wait_until([&] { return held.elapsed() >= kLockedMs; }, 2 * kLockedMs));
    }
    lock.reset();
    QElapsedTimer leaving;
    leaving.start();
    window.reset();  // waits for what is still to be written
    EXPECT_LT(leaving.elapsed(), 15000);
    return longest;
}

TEST(LockedStore, TheWindowNeverWaitsForIt) {
    const QTemporaryDir free_folder;
    const QTemporaryDir locked_folder;
    const qint64 undisturbed = press_everything(free_folder.path(), false);
    const qint64 locked = press_everything(locked_folder.path(), true);
    RecordProperty("longest_stall_ms", static_cast<int>(locked));
    std::printf("longest stall: %lld ms with the store locked for %d s, %lld ms without\n",
                static_cast<long long>(locked), kLockedMs / 1000, static_cast<long long>(undisturbed));
    // On a loaded machine painting alone takes longer: the lock may not add to it.
    EXPECT_LT(locked, std::max(kGoalMs, 3 * undisturbed));
}

}  // namespace
}  // namespace rankscope::gui::testing
