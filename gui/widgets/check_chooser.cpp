// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/strings.h>
#include <gui/widgets/check_chooser.h>
#include <gui/widgets/layout_helpers.h>

#include <QFrame>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QScreen>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kMostRows = 14;
constexpr int kWidth = 320;
constexpr int kIdRole = Qt::UserRole;

}  // namespace

CheckChooser::CheckChooser(const QString& name, const char* object_name, QWidget* parent)
    : QToolButton(parent),
      name_(name),
      popup_(new QFrame(this, Qt::Popup)),
      model_(new QStandardItemModel(this)),
      proxy_(new QSortFilterProxyModel(this)) {
    setObjectName(QString::fromLatin1(object_name));
    make_popup();
    connect(this, &QToolButton::clicked, this, &CheckChooser::open_popup);
    set_entries({}, {});
}

void CheckChooser::make_popup() {
    popup_->setObjectName(objectName() % u"Popup"_s);
    popup_->setFrameShape(QFrame::StyledPanel);
    popup_->setAutoFillBackground(true);
    auto* layout = new QVBoxLayout(popup_);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(6);
    search_ = new QLineEdit(popup_);
    search_->setObjectName(objectName() % u"Search"_s);
    search_->setAccessibleName(tr("Search the list"));
    search_->setPlaceholderText(tr("Search"));
    search_->setClearButtonEnabled(true);
    list_ = new QListView(popup_);
    list_->setObjectName(objectName() % u"List"_s);
    list_->setAccessibleName(QString(name_).remove(u'&'));
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list_->setTextElideMode(Qt::ElideMiddle);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setUniformItemSizes(true);
    proxy_->setSourceModel(model_);
    proxy_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    list_->setModel(proxy_);
    nothing_ = make_label(tr("Nothing found."), popup_, "muted");
    nothing_->hide();
    layout->addWidget(search_);
    layout->addWidget(list_, 1);
    layout->addWidget(nothing_);
    search_->installEventFilter(this);
    connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
        proxy_->setFilterFixedString(text.trimmed());
        nothing_->setVisible(proxy_->rowCount() == 0);
    });
    connect(model_, &QStandardItemModel::itemChanged, this, &CheckChooser::take_changes);
}

void CheckChooser::set_entries(const std::vector<Entry>& entries, const QStringList& checked) {
    filling_ = true;
    model_->clear();
    checked_.clear();
    for (const Entry& entry : entries) {
        auto item = std::make_unique<QStandardItem>(entry.text);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        item->setData(entry.id, kIdRole);
        item->setToolTip(entry.text);
        item->setCheckState(checked.contains(entry.id) ? Qt::Checked : Qt::Unchecked);
        model_->appendRow(item.release());  // the model owns it
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
    setText(tr("%1 %2 of %3").arg(name_).arg(checked_.size()).arg(model_->rowCount()));
    setEnabled(model_->rowCount() > 0);
}

void CheckChooser::take_changes() {
    if (filling_) {
        return;
    }
    QStringList on;
    for (int row = 0; row < model_->rowCount(); ++row) {
        if (model_->item(row)->checkState() == Qt::Checked) {
            on += model_->item(row)->data(kIdRole).toString();
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

void CheckChooser::open_popup() {
    search_->clear();
    // The style sheet changes the heights of all parts, and the popup may not have been shown yet.
    for (QWidget* part :
         {static_cast<QWidget*>(popup_), static_cast<QWidget*>(search_), static_cast<QWidget*>(list_)}) {
        part->ensurePolished();
    }
    const int rows = std::clamp(model_->rowCount(), 1, kMostRows);
    const int row = model_->rowCount() > 0 ? list_->sizeHintForRow(0) : fontMetrics().height() + 4;
    list_->setFixedHeight(rows * row + 2 * list_->frameWidth() + 2);
    popup_->setFixedWidth(kWidth);
    popup_->layout()->invalidate();
    popup_->resize(kWidth, popup_->sizeHint().height());
    QPoint corner = mapToGlobal(QPoint(width() - popup_->width(), height() + 2));
    if (const QScreen* at = screen()) {
        const QRect room = at->availableGeometry();
        corner.setX(
            std::clamp(corner.x(), room.left(), std::max(room.left(), room.right() - popup_->width())));
        corner.setY(std::min(corner.y(), std::max(room.top(), room.bottom() - popup_->height())));
    }
    popup_->move(corner);
    popup_->show();
    list_->setCurrentIndex(proxy_->index(0, 0));
    search_->setFocus(Qt::PopupFocusReason);
}

bool CheckChooser::eventFilter(QObject* object, QEvent* event) {
    if (object == search_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const QModelIndex first = proxy_->index(0, 0);
        if (key == Qt::Key_Down) {
            list_->setFocus(Qt::TabFocusReason);
            list_->setCurrentIndex(first);
            return true;
        }
        if ((key == Qt::Key_Return || key == Qt::Key_Enter) && first.isValid()) {
            const bool on = first.data(Qt::CheckStateRole).toInt() == Qt::Checked;
            proxy_->setData(first, on ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
            return true;
        }
    }
    return QToolButton::eventFilter(object, event);
}

}  // namespace rankscope::gui
