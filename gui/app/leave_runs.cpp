// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/leave_runs.h>
#include <gui/session/run_session.h>
#include <gui/strings.h>

#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(LeaveRuns)
};

constexpr qsizetype kLongestName = 60;

QString question(const std::vector<RunSession*>& runs) {
    return runs.size() == 1
               ? Words::tr("The run %1 is in progress. What should happen to it?")
                     .arg(qs(runs.front()->model()->state().name).left(kLongestName))
               : Words::tr("%n runs are in progress. What should happen to them?", nullptr, int(runs.size()));
}

QString consequence(const std::vector<RunSession*>& runs, bool on_nodes) {
    if (runs.size() == 1) {
        return on_nodes ? Words::tr(
                              "Its ranks run on their nodes and continue without this window. Attach to "
                              "it later from Runs.")
                        : Words::tr(
                              "Its ranks are not started yet: if you leave now, the start is "
                              "cancelled.");
    }
    return on_nodes ? Words::tr(
                          "Their ranks run on their nodes and continue without this window. Attach to "
                          "them later from Runs.")
                    : Words::tr(
                          "The ranks of some are not started yet: if you leave now, their start is "
                          "cancelled. The others continue on their nodes.");
}

}  // namespace

void ask_before_leaving(QWidget* window, const QString& name, const std::vector<RunSession*>& runs,
                        std::function<void(Leaving)> then) {
    if (window->findChild<QMessageBox*>(name)) {
        return;
    }
    const bool on_nodes =
        std::all_of(runs.begin(), runs.end(), [](const RunSession* run) { return run->runs_on_nodes(); });
    const bool one = runs.size() == 1;
    auto* box = new QMessageBox(QMessageBox::NoIcon, Words::tr("Run in progress"), question(runs),
                                QMessageBox::NoButton, window);
    box->setObjectName(name);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(consequence(runs, on_nodes));
    QPushButton* leave = box->addButton(!on_nodes && one ? Words::tr("&Abort")
                                        : one            ? Words::tr("&Leave it running")
                                                         : Words::tr("&Leave them running"),
                                        QMessageBox::AcceptRole);
    leave->setObjectName(u"closeLeave"_s);
    QPushButton* stop =
        box->addButton(one ? Words::tr("&Stop it") : Words::tr("&Stop them"), QMessageBox::DestructiveRole);
    stop->setObjectName(u"closeStop"_s);
    QPushButton* cancel = box->addButton(QMessageBox::Cancel);
    box->setDefaultButton(on_nodes ? leave : cancel);
    QObject::connect(box, &QMessageBox::finished, window, [box, leave, stop, then = std::move(then)] {
        if (box->clickedButton() == leave) {
            then(Leaving::Leave);
        } else if (box->clickedButton() == stop) {
            then(Leaving::Stop);
        }
    });
    box->open();
}

}  // namespace rankscope::gui
