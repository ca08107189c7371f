// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/main_window.h>
#include <gui/app/run_tabs.h>
#include <gui/fleet/node_runs_dialog.h>
#include <gui/live/live_page.h>
#include <gui/live/log_pane.h>
#include <gui/runs/runs_page.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <remote/desk/runs/store/run_labels.h>

#include <tests/gui/synthetic_run.h>
#include <tests/gui/window_shots.h>

#include <QAction>
#include <QCoreApplication>
#include <QDialog>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <array>
#include <fstream>
#include <memory>

namespace rankscope::gui::testing {

namespace {

const std::string kLongName =
    "resnet-run-with-a-name-that-operations-made-eighty-characters-long-of-a-cluster";

void settle(int ms) {
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < ms) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    }
}

std::unique_ptr<MainWindow> open_window(const QTemporaryDir& folder, QSize size) {
    Options options;
    options.data_dir = ss(folder.path());
    options.inventory_file = ss(folder.path() + u"/cluster.yaml"_s);
    options.probe_this_computer = false;
    auto window = std::make_unique<MainWindow>(options);
    window->resize(size);
    window->show();
    settle(1200);
    return window;
}

void settings_shots(MainWindow& window, const std::function<void(QWidget*, const char*)>& take) {
    const std::array<const char*, 5> names{"window-settings-appearance", "window-settings-data",
                                           "window-settings-notifications", "window-settings-shortcuts",
                                           "window-settings-paths"};
    window.show_settings(SettingsPart::Appearance);
    auto* dialog = window.findChild<QDialog*>(u"settingsDialog"_s);
    auto* list = dialog->findChild<QListWidget*>(u"settingsSections"_s);
    for (int i = 0; i < list->count(); ++i) {
        list->setCurrentRow(i);
        settle(300);
        take(dialog, names[std::size_t(i)]);
    }
    dialog->findChild<QSpinBox*>(u"settingsKeepDays"_s)->setValue(30);
    dialog->findChild<QPushButton*>(u"settingsPreview"_s)->click();
    settle(800);
    auto* retention = window.findChild<QDialog*>(u"retentionDialog"_s);
    take(retention, "window-retention");
    retention->reject();
    dialog->close();
}

/// The same line of all ranks once; an export of a run in progress.
void folded_log_shots(MainWindow& window, const QTemporaryDir& folder,
                      const std::function<void(QWidget*, const char*)>& take) {
    LiveData run = synthetic_data({.name = kLongName, .id = "c", .until = 0.4, .fate = Fate::Running});
    std::int64_t t_us = run.state.last_us;
    const auto print = [&](int rank, const std::string& text, bool is_stderr = false) {
        run.log.append(rank, is_stderr, text + '\n', t_us += 1000);
    };
    for (int step = 0; step < 4; ++step) {
        for (int rank = 0; rank < 4; ++rank) {
            const std::string node = rank < 2 ? "node1" : "node2";
            print(rank, node + ":44" + std::to_string(rank) + ":45 [0] NCCL INFO Using network " +
                            (rank == 3 && step == 1 ? "Socket" : "IB"));
            print(rank, "step " + std::to_string(step) + " loss 0." + std::to_string(3121 + rank * 7) +
                            " 12." + std::to_string(rank) + "ms");
            if (rank != 2 || step != 2) {
                print(rank, "barrier reached");
            }
        }
        print(2, "Warning: the disk is slow", true);
    }
    window.live_page()->show_stored(std::move(run));
    window.show_page(MainWindow::Page::Live);
    settle(300);
    window.findChild<QToolButton*>(u"logFold"_s)->click();
    settle(500);
    take(&window, "window-log-folded");
    take(window.live_page()->log(), "window-log-folded-pane");
    window.findChild<QAction*>(u"export.html"_s)->trigger();
    settle(300);
    auto* dialog = window.findChild<QFileDialog*>(u"exportDialog"_s);
    dialog->selectFile(folder.path() + u"/report.html"_s);
    QMetaObject::invokeMethod(dialog, "accept");
    settle(1500);
    take(&window, "window-export-so-far");
    window.findChild<QAction*>(u"file.save_bundle"_s)->trigger();
    settle(1000);
    auto* bundle = window.findChild<QDialog*>(u"saveBundleDialog"_s);
    take(bundle, "window-bundle-so-far");
    bundle->reject();
}

void labels_shot(MainWindow& window, const QTemporaryDir& folder,
                 const std::function<void(QWidget*, const char*)>& take) {
    auto labels =
        RunLabelStore::open(std::filesystem::path(ss(folder.path())) / RunStore::default_path().filename());
    (void)(*labels)->set("a", {true, "first", "mine", {"baseline", "paper"}});
    (void)(*labels)->set("b", {false, "second", "", {"paper", "long"}});
    window.show_page(MainWindow::Page::Runs);
    window.runs_page()->refresh();
    settle(800);
    window.findChild<QTableView*>(u"runsTable"_s)->selectAll();
    settle(200);
    take(&window, "window-runs-selected");
    window.findChild<QPushButton*>(u"labelRun"_s)->click();
    settle(300);
    auto* dialog = window.findChild<QDialog*>(u"labelsDialog"_s);
    take(dialog, "window-labels-of-several");
    dialog->reject();
}

void override_shots(MainWindow& window, const QTemporaryDir& folder,
                    const std::function<void(QWidget*, const char*)>& take) {
    const std::string file = ss(folder.path()) + "/resnet18.yaml";
    std::ofstream(file) << "MODEL: {ARCH: resnet18, DUMMY_INPUT: True}\nOPTIM: {MAX_EPOCH: 3}\n";
    window.open_job(file);
    settle(1200);
    auto* pairs = window.findChild<QLineEdit*>(u"jobOverrides"_s);
    pairs->setText(u"OPTIM.MAX_EPOCHS 7"_s);
    window.findChild<QPushButton*>(u"jobOverridesApply"_s)->click();
    settle(500);
    take(&window, "window-overrides");
    auto* scroll = window.findChild<QScrollArea*>(u"launchScroll"_s);
    scroll->verticalScrollBar()->setValue(scroll->verticalScrollBar()->maximum());
    settle(200);
    take(&window, "window-form-safety");
}

/// Live with 1, 2 and 12 open runs.
void tab_shots(MainWindow& window, const std::function<void(QWidget*, const char*)>& take) {
    window.show_page(MainWindow::Page::Live);
    window.workspace()->session()->model()->reset(
        synthetic_data({.name = "in-progress", .id = "t1", .until = 0.4, .fate = Fate::Running}));
    window.live_page()->show_session();
    settle(500);
    take(&window, "window-tabs-1");
    window.tabs()->show_stored(
        synthetic_data({.name = kLongName, .id = "t2", .until = 0.5, .fate = Fate::Killed}));
    settle(500);
    take(&window, "window-tabs-2");
    for (int i = 3; i <= 12; ++i) {
        const std::string id = "t" + std::to_string(i);
        window.tabs()->show_stored(synthetic_data({.name = i % 3 == 0 ? kLongName : "run-" + id,
                                                   .id = id,
                                                   .until = 0.6,
                                                   .fate = i % 4 == 0   ? Fate::Stopped
                                                           : i % 5 == 0 ? Fate::Killed
                                                                        : Fate::Done}));
    }
    settle(500);
    take(&window, "window-tabs-12");
}

/// A run store that is no database, and the new one; the runs on this computer and on one that cannot be asked.
void damaged_store_shots(QSize size, const std::function<void(QWidget*, const char*)>& take) {
    const QTemporaryDir folder;
    std::ofstream(std::filesystem::path(ss(folder.path())) / RunStore::default_path().filename())
        << std::string(5000, 'x');
    const auto window = open_window(folder, size);
    window->show_page(MainWindow::Page::Runs);
    settle(500);
    take(window.get(), "window-store-damaged");
    window->findChild<QPushButton*>(u"runsStoreFaultAction"_s)->click();
    settle(1500);
    take(window.get(), "window-store-set-aside");
    NodeSpec local;
    local.name = "local";
    local.local = true;
    NodeSpec away;
    away.name = "gpu-node-with-a-long-name-of-rack-12";
    away.host = "gpu1.invalid";
    NodeRunsDialog dialog({{local, away}, {}, nullptr, window->workspace()->store()}, window.get());
    dialog.show();
    take(&dialog, "window-node-runs-asked");
    while (dialog.busy()) {
        settle(100);
    }
    settle(300);
    take(&dialog, "window-node-runs");
}

}  // namespace

void window_shots(QSize size, const std::function<void(QWidget*, const char*)>& take) {
    QSettings().clear();
    {
        const QTemporaryDir folder;
        const auto window = open_window(folder, size);
        take(window.get(), "window-first-start");
    }
    damaged_store_shots(size, take);
    const QTemporaryDir folder;
    {
        auto store =
            RunStore::open(std::filesystem::path(ss(folder.path())) / RunStore::default_path().filename());
        store_run(**store, {.name = "mnist-quickstart", .id = "a", .ranks = 2, .nodes = {"local"}});
        store_run(**store, {.name = kLongName, .id = "b", .start_us = 1'760'000'900'000'000});
        store_run(**store, {.name = kLongName, .id = "c", .until = 0.4, .fate = Fate::Running});
    }
    const auto window = open_window(folder, size);
    take(window.get(), "window-attach");
    settings_shots(*window, take);
    window->show_palette();
    settle(300);
    auto* palette = window->findChild<QDialog*>(u"commandPalette"_s);
    take(palette, "window-palette");
    palette->findChild<QLineEdit*>(u"paletteLine"_s)->setText(u"prob"_s);
    settle(200);
    take(palette, "window-palette-found");
    palette->findChild<QLineEdit*>(u"paletteLine"_s)->setText(u"stop"_s);
    settle(200);
    take(palette, "window-palette-blocked");
    palette->reject();
    settle(200);
    for (QAction* action : window->menuBar()->actions()) {
        if (action->menu()->title() == u"&Run"_s) {
            action->menu()->popup(window->mapToGlobal(QPoint(200, 30)));
            settle(300);
            take(action->menu(), "window-menu-run");
            action->menu()->close();
        }
    }
    folded_log_shots(*window, folder, take);
    labels_shot(*window, folder, take);
    override_shots(*window, folder, take);
    tab_shots(*window, take);
    QSettings().clear();
}

}  // namespace rankscope::gui::testing
