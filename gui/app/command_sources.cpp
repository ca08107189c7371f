// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/command_sources.h>
#include <gui/app/main_window.h>
#include <gui/fleet/fleet_page.h>
#include <gui/launch/launch_page.h>
#include <gui/runs/runs_page.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QAbstractButton>
#include <QCoreApplication>
#include <QPointer>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Commands)
};

constexpr std::size_t kNodesWithAllCommands = 200;  ///< beyond, each has one line

/// What the buttons are called that actions press already.
bool has_action(const QString& button) {
    static const QStringList names{
        u"openJob"_s,     u"saveJob"_s,    u"pasteJob"_s,     u"logsFiles"_s,   u"addNode"_s,
        u"importNodes"_s, u"editNode"_s,   u"removeNode"_s,   u"sshKey"_s,      u"leftovers"_s,
        u"openShell"_s,   u"probeNode"_s,  u"probeAll"_s,     u"openRecipes"_s, u"runsColumns"_s,
        u"startButton"_s, u"doctorFull"_s, u"pauseButton"_s,  u"stopButton"_s,  u"againButton"_s,
        u"openRun"_s,     u"againRun"_s,   u"labelRun"_s,     u"compareRuns"_s, u"deleteRun"_s,
        u"openBundle"_s,  u"saveBundle"_s, u"bundleButton"_s, u"cancelProbes"_s};
    return names.contains(button);
}

}  // namespace

void add_node_commands(MainWindow& window, std::vector<Command>& commands) {
    const auto& nodes = window.workspace()->fleet()->model()->nodes();
    const auto in_fleet = [&window](const std::string& name, const char* button) {
        return [&window, name, button] {
            window.show_page(MainWindow::Page::Fleet);
            window.fleet_page()->select_node(name);
            if (button != nullptr) {
                window.fleet_page()->findChild<QAbstractButton*>(QString::fromLatin1(button))->click();
            }
        };
    };
    for (const FleetNode& node : nodes) {
        const std::string& name = node.spec.name;
        const QString shown = node.spec.local ? Words::tr("this computer") : qs(name);
        commands.push_back({.id = u"node/"_s + shown,
                            .text = shown,
                            .group = Words::tr("Node"),
                            .run = in_fleet(name, nullptr)});
        if (nodes.size() > kNodesWithAllCommands) {
            continue;
        }
        const bool busy = node.state == ProbeState::Connecting;
        commands.push_back({.id = u"probe/"_s + shown,
                            .text = Words::tr("Probe %1").arg(shown),
                            .group = Words::tr("Node"),
                            .blocked = busy ? Words::tr("%1 is being probed.").arg(shown) : QString(),
                            .run = in_fleet(name, "probeNode")});
        if (!node.spec.local) {
            commands.push_back({.id = u"edit/"_s + shown,
                                .text = Words::tr("Edit %1…").arg(shown),
                                .group = Words::tr("Node"),
                                .run = in_fleet(name, "editNode")});
        }
        commands.push_back({.id = u"shell/"_s + shown,
                            .text = Words::tr("Open shell on %1").arg(shown),
                            .group = Words::tr("Node"),
                            .run = in_fleet(name, "openShell")});
        commands.push_back({.id = u"leftovers/"_s + shown,
                            .text = Words::tr("Leftovers of %1…").arg(shown),
                            .group = Words::tr("Node"),
                            .run = in_fleet(name, "leftovers")});
    }
}

void add_run_commands(MainWindow& window, std::vector<Command>& commands) {
    for (const RunRecord& run : window.known_runs()) {
        const bool running = run.outcome == Outcome::Running;
        commands.push_back(
            {.id = u"run/"_s + qs(run.run_id),
             .text = Words::tr("%1, %2, %3")
                         .arg(qs(run.name), date_time_text(run.started_us), outcome_text(run.outcome)),
             .group = running ? Words::tr("Run in progress") : Words::tr("Stored run"),
             .run = [&window, run] { window.open_run(run); }});
    }
}

void add_quick_start_command(MainWindow& window, std::vector<Command>& commands) {
    commands.push_back({.id = u"recipe/quick-start"_s,
                        .text = Words::tr("Train on MNIST with this computer"),
                        .group = Words::tr("Recipe"),
                        .run = [&window] { window.open_quick_start(); }});
}

std::vector<Command> recipe_commands(const std::vector<JobRecipe>& recipes,
                                     const std::function<void(const JobRecipe&)>& open) {
    std::vector<Command> commands;
    for (const JobRecipe& recipe : recipes) {
        commands.push_back({.id = (recipe.own ? u"own-recipe/"_s : u"recipe/"_s) + qs(recipe.name),
                            .text = qs(recipe.name),
                            .group = recipe.own ? Words::tr("Own recipe") : Words::tr("Recipe"),
                            .run = [open, recipe] { open(recipe); }});
    }
    return commands;
}

void add_button_commands(MainWindow& window, std::vector<Command>& commands) {
    QWidget* page = window.page_widget(window.page());
    for (QAbstractButton* button : page->findChildren<QAbstractButton*>()) {
        QString text = button->text();
        text.remove(u'&');
        if (text.isEmpty() || !button->isVisibleTo(page) || button->objectName().isEmpty() ||
            has_action(button->objectName())) {
            continue;
        }
        commands.push_back(
            {.id = u"button/"_s + button->objectName(),
             .text = text,
             .group = Words::tr("This page"),
             .blocked = button->isEnabled() ? QString() : Words::tr("The page cannot do this now."),
             .run = [button = QPointer(button)] {
                 if (button) {
                     button->click();
                 }
             }});
    }
}

}  // namespace rankscope::gui
