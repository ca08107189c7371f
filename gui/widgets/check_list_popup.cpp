// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/strings.h>
#include <gui/widgets/check_list_popup.h>
#include <gui/widgets/clear_button.h>
#include <gui/widgets/layout_helpers.h>

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QScreen>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>
#include <memory>

namespace rankscope::gui {

namespace {

constexpr int kMostRows = 14;

}  // namespace

CheckListPopup::CheckListPopup(const QString& object_name, int width, QWidget* button)
    : QFrame(button, Qt::Popup),
      width_(width),
      rows_(new QVBoxLayout(this)),
      search_(new QLineEdit(this)),
      list_(new QListView(this)),
      nothing_(make_label(tr("Nothing found."), this, "muted")),
      model_(new QStandardItemModel(this)),
      proxy_(new QSortFilterProxyModel(this)) {
    setObjectName(object_name % u"Popup"_s);
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    rows_->setContentsMargins(8, 8, 8, 8);
    rows_->setSpacing(6);
    search_->setObjectName(object_name % u"Search"_s);
    search_->setPlaceholderText(tr("Search"));
    search_->setAccessibleName(tr("Search the list"));
    add_clear_button(search_);
    list_->setObjectName(object_name % u"List"_s);
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list_->setTextElideMode(Qt::ElideMiddle);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setUniformItemSizes(true);
    proxy_->setSourceModel(model_);
    proxy_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    list_->setModel(proxy_);
    nothing_->hide();
    rows_->addWidget(search_);
    rows_->addWidget(list_, 1);
    rows_->addWidget(nothing_);
    search_->installEventFilter(this);
    connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
        proxy_->setFilterFixedString(text.trimmed());
        nothing_->setVisible(proxy_->rowCount() == 0);
    });
}

QStandardItem* CheckListPopup::add_entry() {
    auto entry = std::make_unique<QStandardItem>();
    entry->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    model_->appendRow(entry.get());
    return entry.release();
}

void CheckListPopup::set_searchable(bool on) {
    search_->setVisible(on);
}

void CheckListPopup::open() {
    search_->clear();
    // The style sheet changes the heights of all parts, and this may not have been shown yet.
    ensurePolished();
    for (const QWidget* part : findChildren<QWidget*>()) {
        part->ensurePolished();
    }
    const QWidget* button = parentWidget();
    const int rows = std::clamp(model_->rowCount(), 1, kMostRows);
    const int row = model_->rowCount() > 0 ? list_->sizeHintForRow(0) : fontMetrics().height() + 4;
    list_->setFixedHeight(rows * row + 2 * list_->frameWidth() + 2);
    setFixedWidth(width_);
    rows_->invalidate();
    resize(width_, sizeHint().height());  // adjustSize() makes it at least 100 high
    QPoint corner = button->mapToGlobal(QPoint(button->width() - width(), button->height() + 2));
    if (const QScreen* at = button->screen()) {
        const QRect room = at->availableGeometry();
        corner.setX(std::clamp(corner.x(), room.left(), std::max(room.left(), room.right() - width())));
        corner.setY(std::min(corner.y(), std::max(room.top(), room.bottom() - height())));
    }
    move(corner);
    show();
    list_->setCurrentIndex(proxy_->index(0, 0));
    QWidget* first = search_->isVisible() ? static_cast<QWidget*>(search_) : list_;
    first->setFocus(Qt::PopupFocusReason);
}

bool CheckListPopup::eventFilter(QObject* object, QEvent* event) {
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
    return QFrame::eventFilter(object, event);
}

}  // namespace rankscope::gui
