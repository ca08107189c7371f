// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/fleet/first_steps.h>
#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

FirstSteps::FirstSteps(QWidget* parent) : QFrame(parent) {
    setObjectName(u"firstSteps"_s);
    setProperty("role", u"card"_s);
    setAccessibleName(tr("First steps"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 16);
    layout->setSpacing(10);
    auto* head = new QHBoxLayout;
    head->addWidget(make_label(tr("First steps"), this, "sectionTitle"));
    head->addStretch();
    auto* close = make_button(tr("Hide"), "firstStepsHide", this);
    close->setToolTip(tr("Help ▸ First steps shows them again"));
    head->addWidget(close);
    layout->addLayout(head);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(28);
    grid->setVerticalSpacing(6);
    layout->addLayout(grid);
    add_step(grid, Step::Run, tr("See a run"), tr("Train on MNIST with this computer. It needs no GPU."),
             {{tr("Run MNIST &here"), "firstRun", &FirstSteps::quickStartRequested}});
    add_step(grid, Step::Add, tr("Add your nodes"),
             tr("Name the nodes that you train on, or take them from ~/.ssh/config, /etc/hosts or a list. "
                "Rankscope reaches them by SSH; nothing is installed there."),
             {{tr("Add no&des…"), "firstAdd", &FirstSteps::addRequested},
              {tr("Imp&ort…"), "firstImport", &FirstSteps::importRequested}});
    add_step(grid, Step::Ready, tr("Reach them"),
             tr("Install your SSH key, so that no password is needed, and look at what they have."),
             {{tr("SSH ke&y…"), "firstKeys", &FirstSteps::keysRequested},
              {tr("Probe the&m"), "firstProbe", &FirstSteps::probeRequested}});
    connect(close, &QPushButton::clicked, this, &FirstSteps::closed);
}

void FirstSteps::add_step(QGridLayout* grid, Step step, const QString& title, const QString& text,
                          std::initializer_list<Action> actions) {
    const auto at = std::size_t(step);
    const int column = int(step);
    titles_[at] = title;
    heads_[at] = make_label({}, this);
    heads_[at]->setObjectName(u"firstStep%1"_s.arg(column + 1));
    QFont bold = heads_[at]->font();
    bold.setBold(true);
    heads_[at]->setFont(bold);
    auto* words = make_label(text, this, "muted");
    words->setWordWrap(true);
    words->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    auto* row = new QHBoxLayout;
    for (const Action& action : actions) {
        auto* button = make_button(action.text, action.object_name, this, column == 0 ? "primary" : nullptr);
        button->setAccessibleDescription(text);
        row->addWidget(button);
        connect(button, &QPushButton::clicked, this, action.wanted);
    }
    row->addStretch();
    grid->addWidget(heads_[at], 0, column);
    grid->addWidget(words, 1, column);
    grid->addLayout(row, 2, column);
    grid->setColumnStretch(column, 1);
    show_done(at);
}

void FirstSteps::show_done(std::size_t step) {
    heads_[step]->setText(done_[step] ? QString(u"✓  "_s % titles_[step])
                                      : u"%1  %2"_s.arg(step + 1).arg(titles_[step]));
    heads_[step]->setAccessibleName(done_[step] ? tr("%1: done").arg(titles_[step]) : titles_[step]);
}

void FirstSteps::set_done(Step step, bool done) {
    const auto at = std::size_t(step);
    if (done != done_[at]) {
        done_[at] = done;
        show_done(at);
    }
}

bool FirstSteps::all_done() const {
    return std::all_of(done_.begin(), done_.end(), [](bool done) { return done; });
}

}  // namespace rankscope::gui
