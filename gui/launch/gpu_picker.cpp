// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/gpu_picker.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/layout_helpers.h>

#include <QGridLayout>
#include <QLabel>
#include <QToolButton>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr std::size_t kMostNodes = 16;  ///< with squares; the others have the field "devices"
constexpr int kColumns = 8;
constexpr int kSquare = 26;
constexpr double kGib = 1024.0 * 1024 * 1024;

QString gpu_text(const GpuPicker::Node& node, const GpuFacts& gpu) {
    return GpuPicker::tr("GPU %1 of %2: %3, %4 GiB")
        .arg(gpu.index)
        .arg(node.title, qs(gpu.name), QString::number(double(gpu.memory_bytes) / kGib, 'f', 0));
}

}  // namespace

GpuPicker::GpuPicker(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
    setObjectName(u"launchGpus"_s);
    grid_->setContentsMargins(0, 0, 0, 0);
}

void GpuPicker::set_nodes(const std::vector<Node>& nodes,
                          const std::map<std::string, std::vector<int>>& used) {
    QString shape;
    for (const Node& node : nodes) {
        shape += qs(node.name) + u'\n';
        for (const GpuFacts& gpu : node.gpus) {
            shape += QString::number(gpu.index) + u' ' + qs(gpu.name) + u'\n';
        }
    }
    if (shape != shape_) {
        shape_ = shape;
        rebuild(nodes);
    }
    others_ = used;
    for (const Button& button : buttons_) {
        const auto of_node = used.find(button.node);
        const bool on = of_node == used.end() || std::find(of_node->second.begin(), of_node->second.end(),
                                                           button.index) != of_node->second.end();
        button.widget->setChecked(on);
        others_.erase(button.node);
    }
}

void GpuPicker::rebuild(const std::vector<Node>& nodes) {
    buttons_.clear();
    if (box_ != nullptr) {
        box_->hide();
        box_->deleteLater();
    }
    box_ = new QWidget(this);
    grid_->addWidget(box_, 0, 0);
    auto* layout = new QGridLayout(box_);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(3);
    layout->setColumnStretch(kColumns, 1);
    int row = 0;
    std::size_t shown = 0;
    std::size_t left = 0;
    for (const Node& node : nodes) {
        if (node.gpus.empty()) {
            continue;
        }
        if (shown == kMostNodes) {
            ++left;
            continue;
        }
        ++shown;
        auto* title = new ElidedLabel(box_);
        title->set_full_text(node.title);
        layout->addWidget(title, row++, 0, 1, kColumns + 1);
        int column = 0;
        for (const GpuFacts& gpu : node.gpus) {
            auto* square = new QToolButton(box_);
            square->setObjectName(u"gpu.%1.%2"_s.arg(qs(node.name)).arg(gpu.index));
            square->setText(QString::number(gpu.index));
            square->setCheckable(true);
            square->setFixedSize(kSquare, kSquare);
            square->setToolTip(plain_text(gpu_text(node, gpu)));
            square->setAccessibleName(gpu_text(node, gpu));
            connect(square, &QToolButton::clicked, this, &GpuPicker::toggled);
            layout->addWidget(square, row, column);
            buttons_.push_back({node.name, gpu.index, square});
            if (++column == kColumns) {
                column = 0;
                ++row;
            }
        }
        row += column > 0 ? 1 : 0;
    }
    if (left > 0) {
        auto* more = make_label(
            tr("%n more node(s): name their GPUs in the field below.", nullptr, int(left)), box_, "muted");
        more->setWordWrap(true);
        layout->addWidget(more, row, 0, 1, kColumns + 1);
    }
    box_->show();
}

void GpuPicker::toggled() {
    std::map<std::string, std::vector<int>> used = others_;
    std::map<std::string, bool> all;
    for (const Button& button : buttons_) {
        std::vector<int>& of_node = used[button.node];
        all.try_emplace(button.node, true);
        if (button.widget->isChecked()) {
            of_node.push_back(button.index);
        } else {
            all[button.node] = false;
        }
    }
    for (const auto& [node, whole] : all) {
        if (whole) {
            used.erase(node);
        }
    }
    emit changed(used);
}

}  // namespace rankscope::gui
