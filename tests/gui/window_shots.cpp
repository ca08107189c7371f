// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/main_window.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>

#include <tests/gui/synthetic_run.h>
#include <tests/gui/window_shots.h>

#include <QCoreApplication>
#include <QDialog>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTemporaryDir>
#include <array>
#include <memory>

namespace rankscope::gui::testing {

namespace {

const std::string kLong = "resnet-run-with-a-name-that-operations-made-eighty-characters-long-of-a-cluster";

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

}  // namespace

void window_shots(QSize size, const std::function<void(QWidget*, const char*)>& take) {
    QSettings().clear();
    {
        const QTemporaryDir folder;
        const auto window = open_window(folder, size);
        take(window.get(), "window-first-start");
    }
    const QTemporaryDir folder;
    {
        auto store =
            RunStore::open(std::filesystem::path(ss(folder.path())) / RunStore::default_path().filename());
        store_run(**store, {.name = "mnist-quickstart", .id = "a", .ranks = 2, .nodes = {"local"}});
        store_run(**store, {.name = kLong, .id = "b", .start_us = 1'760'000'900'000'000});
        store_run(**store, {.name = kLong, .id = "c", .until = 0.4, .fate = Fate::Running});
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
    QSettings().clear();
}

}  // namespace rankscope::gui::testing
