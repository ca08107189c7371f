// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QFrame>
#include <string>
#include <vector>

class QLabel;

namespace rankscope::gui {

/// What comes after nodes were added: their keys, a probe, a group. Stays until the user closes it.
class AddedBar : public QFrame {
    Q_OBJECT

public:
    explicit AddedBar(QWidget* parent);
    /// These were added; none: nothing to say.
    void set_nodes(const std::vector<std::string>& names);
    const std::vector<std::string>& nodes() const { return names_; }

signals:
    void keysRequested();
    void probeRequested();
    void groupRequested();

private:
    std::vector<std::string> names_;
    QLabel* text_;
};

}  // namespace rankscope::gui
