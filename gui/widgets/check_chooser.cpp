// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/widgets/check_chooser.h>
#include <gui/widgets/check_list_popup.h>

#include <QListView>
#include <QStandardItemModel>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kWidth = 320;
constexpr int kIdRole = Qt::UserRole;

}  // namespace

CheckChooser::CheckChooser(const QString& name, const char* object_name, QWidget* parent)
    : QToolButton(parent),
      name_(name),
      popup_(new CheckListPopup(QString::fromLatin1(object_name), kWidth, this)) {
    setObjectName(QString::fromLatin1(object_name));
    popup_->list()->setAccessibleName(QString(name_).remove(u'&'));
    connect(popup_->model(), &QStandardItemModel::itemChanged, this, &CheckChooser::take_changes);
    connect(this, &QToolButton::clicked, popup_, &CheckListPopup::open);
    set_entries({}, {});
}

QListView* CheckChooser::list() const {
    return popup_->list();
}

QLineEdit* CheckChooser::search() const {
    return popup_->search();
}

void CheckChooser::set_entries(const std::vector<Entry>& entries, const QStringList& checked) {
    filling_ = true;
    popup_->model()->clear();
    checked_.clear();
    for (const Entry& entry : entries) {
        QStandardItem* item = popup_->add_entry();
        item->setText(entry.text);
        item->setData(entry.id, kIdRole);
        item->setToolTip(plain_text(entry.text));
        item->setCheckState(checked.contains(entry.id) ? Qt::Checked : Qt::Unchecked);
    }
    for (const QString& id : checked) {
        if (std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.id == id; })) {
            checked_ += id;
        }
    }
    filling_ = false;
    update_texts();
}

void CheckChooser::update_texts() {
    setText(tr("%1 %2 of %3").arg(name_).arg(checked_.size()).arg(popup_->model()->rowCount()));
    setEnabled(popup_->model()->rowCount() > 0);
}

void CheckChooser::take_changes() {
    if (filling_) {
        return;
    }
    QStringList on;
    for (int row = 0; row < popup_->model()->rowCount(); ++row) {
        if (popup_->model()->item(row)->checkState() == Qt::Checked) {
            on += popup_->model()->item(row)->data(kIdRole).toString();
        }
    }
    checked_.removeIf([&](const QString& id) { return !on.contains(id); });
    for (const QString& id : std::as_const(on)) {
        if (!checked_.contains(id)) {
            checked_ += id;
        }
    }
    update_texts();
    emit chosen(checked_);
}

}  // namespace rankscope::gui
