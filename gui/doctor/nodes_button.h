// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QPushButton>
#include <string>
#include <vector>

class QListWidget;

namespace rankscope::gui {

/// Chooses some of a list of nodes: a button with a list of check boxes below. All are chosen at first.
class NodesButton : public QPushButton {
    Q_OBJECT

public:
    explicit NodesButton(QWidget* parent);

    /// Another list chooses all of it.
    void set_nodes(const std::vector<std::string>& nodes);
    /// These of the list, and no others.
    void set_chosen(const std::vector<std::string>& nodes);
    /// In the order of the list.
    std::vector<std::string> chosen() const;

signals:
    void changed();

private:
    void show_text();

    std::vector<std::string> nodes_;
    QListWidget* list_;
};

}  // namespace rankscope::gui
