// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/session/node_facts.h>

#include <QWidget>
#include <map>
#include <string>
#include <vector>

class QGridLayout;
class QToolButton;

namespace rankscope::gui {

/// A square for each GPU of the chosen nodes, as the last probe found them: ticked ones get ranks.
class GpuPicker : public QWidget {
    Q_OBJECT

public:
    struct Node {
        std::string name;
        QString title;
        std::vector<GpuFacts> gpus;
    };

    explicit GpuPicker(QWidget* parent = nullptr);

    /// `used`: node → indices; all of a node that it does not name.
    void set_nodes(const std::vector<Node>& nodes, const std::map<std::string, std::vector<int>>& used);
    bool empty() const { return buttons_.empty(); }

signals:
    /// By the user; a node with all its GPUs is left out.
    void changed(const std::map<std::string, std::vector<int>>& used);

private:
    struct Button {
        std::string node;
        int index;
        QToolButton* widget;
    };

    void rebuild(const std::vector<Node>& nodes);
    void toggled();

    QGridLayout* grid_;
    QWidget* box_ = nullptr;
    QString shape_;  ///< which squares there are
    std::vector<Button> buttons_;
    std::map<std::string, std::vector<int>> others_;  ///< of nodes without squares
};

}  // namespace rankscope::gui
