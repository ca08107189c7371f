// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/main_window.h>
#include <gui/strings.h>

#include <nlohmann/json.hpp>
#include <tests/gui/window_contents.h>

#include <QAction>
#include <QMenu>
#include <QMenuBar>
#include <QToolButton>

namespace rankscope::gui::testing {
namespace {

std::string label(QString text) {
    return ss(text.remove(u'&').section(u'\t', 0, 0));
}

}  // namespace

nlohmann::ordered_json window_contents(const MainWindow& window) {
    nlohmann::ordered_json contents;
    for (const char* name : {"navFleet", "navLaunch", "navDoctor", "navLive", "navRuns", "navLogs"}) {
        const auto* button = window.findChild<QToolButton*>(QString::fromLatin1(name));
        contents["pages"].push_back(button != nullptr ? label(button->text()) : "");
    }
    for (const QAction* menu : window.menuBar()->actions()) {
        auto& entries = contents["menus"][label(menu->text())];
        entries = nlohmann::ordered_json::array();
        for (const QAction* action : menu->menu()->actions()) {
            // Menus within menus list what the user has: runs, files.
            if (!action->isSeparator() && !label(action->text()).empty()) {
                entries.push_back(label(action->text()));
            }
        }
    }
    return contents;
}

}  // namespace rankscope::gui::testing
