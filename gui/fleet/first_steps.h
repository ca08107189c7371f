// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QFrame>

class QGridLayout;

namespace rankscope::gui {

/// What a new user can begin with: a run on this computer, own machines, machines from a file.
class FirstSteps : public QFrame {
    Q_OBJECT

public:
    explicit FirstSteps(QWidget* parent);

signals:
    void quickStartRequested();
    void addRequested();
    void importRequested();
    void closed();

private:
    void add_step(QGridLayout* grid, int column, const QString& title, const QString& text,
                  const QString& action, const char* object_name, void (FirstSteps::*wanted)());
};

}  // namespace rankscope::gui
