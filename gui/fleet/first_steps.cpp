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
    add_step(grid, 0, tr("1  See a run"), tr("Train on MNIST with this computer. It needs no GPU."),
             tr("Run MNIST &here"), "firstRun", &FirstSteps::quickStartRequested);
    add_step(
        grid, 1, tr("2  Add your machines"),
        tr("Name the machines that you train on. Rankscope reaches them by SSH; nothing is installed there."),
        tr("Add mac&hines…"), "firstAdd", &FirstSteps::addRequested);
    add_step(grid, 2, tr("3  Or import them"),
             tr("Take them from ~/.ssh/config, /etc/hosts or a list of names."), tr("Imp&ort…"),
             "firstImport", &FirstSteps::importRequested);
    connect(close, &QPushButton::clicked, this, &FirstSteps::closed);
}

void FirstSteps::add_step(QGridLayout* grid, int column, const QString& title, const QString& text,
                          const QString& action, const char* object_name, void (FirstSteps::*wanted)()) {
    auto* head = make_label(title, this);
    QFont bold = head->font();
    bold.setBold(true);
    head->setFont(bold);
    auto* words = make_label(text, this, "muted");
    words->setWordWrap(true);
    words->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    auto* button = make_button(action, object_name, this, column == 0 ? "primary" : nullptr);
    button->setAccessibleDescription(text);
    grid->addWidget(head, 0, column);
    grid->addWidget(words, 1, column);
    grid->addWidget(button, 2, column, Qt::AlignLeft | Qt::AlignVCenter);
    grid->setColumnStretch(column, 1);
    connect(button, &QPushButton::clicked, this, wanted);
}

}  // namespace rankscope::gui
