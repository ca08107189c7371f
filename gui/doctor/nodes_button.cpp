// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/doctor/nodes_button.h>
#include <gui/strings.h>

#include <QListWidget>
#include <QMenu>
#include <QSignalBlocker>
#include <QWidgetAction>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kShownRows = 14;

}  // namespace

NodesButton::NodesButton(QWidget* parent) : QPushButton(parent), list_(new QListWidget) {
    setAutoDefault(false);
    list_->setObjectName(u"doctorNodeList"_s);
    list_->setAccessibleName(tr("Nodes to inspect"));
    auto* menu = new QMenu(this);
    auto* action = new QWidgetAction(menu);
    action->setDefaultWidget(list_);
    menu->addAction(action);
    setMenu(menu);
    connect(list_, &QListWidget::itemChanged, this, [this] {
        show_text();
        emit changed();
    });
    show_text();
}

void NodesButton::set_nodes(const std::vector<std::string>& nodes) {
    if (nodes == nodes_) {
        return;
    }
    nodes_ = nodes;
    {
        const QSignalBlocker quiet(list_);
        list_->clear();
        for (const std::string& node : nodes) {
            auto* item = new QListWidgetItem(qs(node), list_);
            item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
            item->setCheckState(Qt::Checked);
        }
    }
    const int rows = std::clamp(int(nodes.size()), 1, kShownRows);
    list_->setFixedHeight(rows * (list_->fontMetrics().height() + 8) + 6);
    list_->setMinimumWidth(std::min(list_->sizeHintForColumn(0) + 30, 420));
    show_text();
    emit changed();
}

void NodesButton::set_chosen(const std::vector<std::string>& nodes) {
    {
        const QSignalBlocker quiet(list_);
        for (int row = 0; row < list_->count(); ++row) {
            const bool wanted =
                std::find(nodes.begin(), nodes.end(), nodes_[std::size_t(row)]) != nodes.end();
            list_->item(row)->setCheckState(wanted ? Qt::Checked : Qt::Unchecked);
        }
    }
    show_text();
    emit changed();
}

std::vector<std::string> NodesButton::chosen() const {
    std::vector<std::string> names;
    for (int row = 0; row < list_->count(); ++row) {
        if (list_->item(row)->checkState() == Qt::Checked) {
            names.push_back(nodes_[std::size_t(row)]);
        }
    }
    return names;
}

void NodesButton::show_text() {
    const auto some = int(chosen().size());
    const auto all = int(nodes_.size());
    setEnabled(all > 0);
    setText(some != all ? tr("%1 of %2 nodes").arg(some).arg(all)
            : all == 1  ? tr("1 node")
                        : tr("%1 nodes").arg(all));
}

}  // namespace rankscope::gui
