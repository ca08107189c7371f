// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/fleet/added_bar.h>
#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace rankscope::gui {

AddedBar::AddedBar(QWidget* parent) : QFrame(parent), text_(make_label({}, this)) {
    setObjectName(u"addedBar"_s);
    setProperty("role", u"notice"_s);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 6, 10, 6);
    layout->setSpacing(8);
    text_->setObjectName(u"addedText"_s);
    layout->addWidget(text_);
    layout->addStretch(1);
    const auto add = [&](const QString& text, const char* object_name, auto wanted) {
        auto* button = make_button(text, object_name, this);
        layout->addWidget(button);
        connect(button, &QPushButton::clicked, this, wanted);
    };
    add(tr("Set up ke&ys…"), "addedKeys", &AddedBar::keysRequested);
    add(tr("P&robe"), "addedProbe", &AddedBar::probeRequested);
    add(tr("&Group…"), "addedGroup", &AddedBar::groupRequested);
    add(tr("Dismiss"), "addedDismiss", [this] { set_nodes({}); });
    hide();
}

void AddedBar::set_nodes(const std::vector<std::string>& names) {
    names_ = names;
    text_->setText(tr("%n node(s) added", nullptr, int(names.size())));
    setAccessibleName(text_->text());
    setVisible(!names.empty());
}

}  // namespace rankscope::gui
