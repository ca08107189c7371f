// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/preferences/fixed_keys.h>
#include <gui/strings.h>

#include <QCoreApplication>
#include <QKeySequence>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(FixedKeys)
};

QKeySequence sequence_of(const QString& portable) {
    return QKeySequence::fromString(portable, QKeySequence::PortableText);
}

}  // namespace

std::vector<FixedKeys> fixed_keys() {
    return {{{u"Return"_s, u"Enter"_s}, Words::tr("Open the selected row (tables)")},
            {{u"Esc"_s}, Words::tr("Clear the selection, go back, or close the dialog")},
            {{u"Ctrl+A"_s}, Words::tr("Select all (log, tables, fields)")},
            {{u"Ctrl+X"_s, u"Ctrl+V"_s}, Words::tr("Cut and paste (fields)")},
            {{u"Return"_s, u"Enter"_s, u"Shift+Return"_s},
             Words::tr("Next or previous match (search in the log)")},
            {{u"Up"_s, u"Down"_s}, Words::tr("Earlier searches (search in the log)")},
            {{u"Return"_s, u"Enter"_s}, Words::tr("Show the moment on the curves (log)")},
            {{u"Ctrl+Up"_s, u"Ctrl+Down"_s}, Words::tr("Scroll by a line (log)")},
            {{u"Left"_s, u"Right"_s, u"Up"_s, u"Down"_s, u"PgUp"_s, u"PgDown"_s, u"Home"_s, u"End"_s,
              u"Ctrl+Home"_s, u"Ctrl+End"_s},
             Words::tr("Move the cursor; with Shift, select (log, tables, fields)")},
            {{u"+"_s, u"="_s, u"-"_s, u"0"_s, u"Home"_s, u"Left"_s, u"Right"_s},
             Words::tr("Zoom, show all, move in time (curves)")},
            {{u"Up"_s, u"Down"_s}, Words::tr("Previous or next plot (curves)")},
            {{u"H"_s, u"L"_s}, Words::tr("Heat map, log scale of the plot (curves)")},
            {{u"Shift+L"_s}, Words::tr("Logarithmic x axis (curves)")},
            {{u"Ctrl+Left"_s, u"Ctrl+Right"_s}, Words::tr("Move the marked moment (curves)")},
            {{u"Return"_s, u"Enter"_s}, Words::tr("Show the log at the marked moment (curves)")},
            {{u"+"_s, u"-"_s, u"0"_s, u"Left"_s, u"Right"_s},
             Words::tr("Zoom, show all, move (comparison, NCCL)")},
            {{u"Up"_s, u"Down"_s}, Words::tr("Other ranks (timeline of NCCL)")},
            {{u"Space"_s, u"Return"_s, u"Enter"_s},
             Words::tr("Choose (squares of GPUs, pairs of nodes, map of NCCL)")},
            {{u"Left"_s, u"Right"_s, u"Up"_s, u"Down"_s, u"Home"_s, u"End"_s},
             Words::tr("Move to another square (GPUs, pairs of nodes)")},
            {{u"Ctrl+Space"_s}, Words::tr("List keys and values (text of the job)")},
            {{u"Alt+Left"_s, u"Alt+Home"_s}, Words::tr("Go back, all pages (documentation)")}};
}

QStringList fixed_uses(const QString& keys) {
    QStringList uses;
    const QKeySequence wanted = sequence_of(keys);
    for (const FixedKeys& each : fixed_keys()) {
        for (const QString& one : each.keys) {
            if (!wanted.isEmpty() && sequence_of(one) == wanted) {
                uses += each.use;
                break;
            }
        }
    }
    return uses;
}

}  // namespace rankscope::gui
