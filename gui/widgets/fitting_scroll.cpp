// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/widgets/fitting_scroll.h>

#include <QApplication>
#include <QBoxLayout>
#include <QChildEvent>
#include <QLayout>
#include <QResizeEvent>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QStackedLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kLeastPage = 160;
constexpr int kLeastWidth = 800;  ///< next to the buttons of the pages, in a window of 900
constexpr int kLeastSlot = 24;
constexpr int kStep = 20;

int height_of_layout(const QLayout& layout, int width);

int height_of_item(QLayoutItem* item, int width) {
    if (item->isEmpty()) {
        return 0;
    }
    if (const QWidget* widget = item->widget()) {
        return least_height(*widget, width);
    }
    return item->layout() ? height_of_layout(*item->layout(), width) : item->minimumSize().height();
}

int height_of_layout(const QLayout& layout, int width) {
    const QMargins margins = layout.contentsMargins();
    const int inner = width - margins.left() - margins.right();
    const int around = margins.top() + margins.bottom();
    if (const auto* stacked = qobject_cast<const QStackedLayout*>(&layout)) {
        return around + (stacked->currentWidget() ? least_height(*stacked->currentWidget(), inner) : 0);
    }
    const auto* box = qobject_cast<const QBoxLayout*>(&layout);
    if (!box || box->direction() == QBoxLayout::LeftToRight || box->direction() == QBoxLayout::RightToLeft) {
        return layout.hasHeightForWidth() ? layout.minimumHeightForWidth(width)
                                          : layout.minimumSize().height();
    }
    int sum = around;
    int parts = 0;
    for (int i = 0; i < box->count(); ++i) {
        QLayoutItem* item = box->itemAt(i);
        if (!item->isEmpty()) {
            sum += height_of_item(item, inner);
            ++parts;
        }
    }
    return sum + std::max(parts - 1, 0) * std::max(box->spacing(), 0);
}

int wanted_height(const QWidget& content, int width) {
    const QLayout* layout = content.layout();
    return layout && layout->hasHeightForWidth() ? layout->totalHeightForWidth(width)
                                                 : content.sizeHint().height();
}

}  // namespace

int least_height(const QWidget& widget, int width) {
    int least = 0;
    if (const QLayout* layout = widget.layout(); layout && layout->isEnabled()) {
        const QMargins margins = widget.contentsMargins();
        least = height_of_layout(*layout, width - margins.left() - margins.right()) + margins.top() +
                margins.bottom();
    } else {
        least = widget.sizePolicy().hasHeightForWidth() ? widget.heightForWidth(width)
                                                        : widget.minimumSizeHint().height();
    }
    if (widget.sizePolicy().verticalPolicy() == QSizePolicy::Ignored) {
        least = 0;
    }
    return std::clamp(least, widget.minimumHeight(),
                      std::max(widget.maximumHeight(), widget.minimumHeight()));
}

FittingScroll::FittingScroll(Kind kind, QWidget* content, QWidget* parent)
    : QAbstractScrollArea(parent), kind_(kind), content_(content) {
    setFrameShape(NoFrame);
    setFocusPolicy(Qt::NoFocus);
    setHorizontalScrollBarPolicy(kind == Kind::Page ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Preferred,
                  kind == Kind::Page ? QSizePolicy::Expanding : QSizePolicy::Preferred);
    viewport()->setAutoFillBackground(false);
    viewport()->setBackgroundRole(
        QPalette::NoRole);  // else scroll areas inside take its own, which is that of a list
    content_->setParent(viewport());
    content_->installEventFilter(this);
    watch_parts();
    verticalScrollBar()->setSingleStep(kStep);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { reveal(now); });
    fit();
    content_->show();
}

void FittingScroll::watch_parts() {
    if (kind_ == Kind::Slot) {
        for (QWidget* part : content_->findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
            part->removeEventFilter(this);
            part->installEventFilter(this);
        }
    }
}

void FittingScroll::set_most(QWidget* of, double share) {
    most_of_ = of;
    most_share_ = share;
    of->installEventFilter(this);
    fit();
}

QSize FittingScroll::minimumSizeHint() const {
    const int width = content_->minimumSizeHint().width();
    return {kind_ == Kind::Page ? std::min(width, kLeastWidth) : width,
            kind_ == Kind::Page ? kLeastPage : std::min(kLeastSlot, sizeHint().height())};
}

// A page wants no more than it needs: what is around it gets its own height first.
QSize FittingScroll::sizeHint() const {
    const QSize wanted = content_->sizeHint();
    if (kind_ == Kind::Page) {
        return {wanted.width(), kLeastPage};
    }
    const int most = most_of_ ? int(most_of_->height() * most_share_) : QWIDGETSIZE_MAX;
    return {wanted.width(), std::min(wanted_height(*content_, viewport()->width()), most)};
}

// A slot without a visible part takes no room, nor the space around it.
void FittingScroll::fit() {
    if (kind_ == Kind::Slot) {
        const QList<QWidget*> parts = content_->findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
        setHidden(
            std::all_of(parts.begin(), parts.end(), [](const QWidget* part) { return part->isHidden(); }));
    }
    updateGeometry();
    place();
}

void FittingScroll::place() {
    if (placing_) {
        return;
    }
    const QScopedValueRollback<bool> placing(placing_, true);
    QScrollBar* bar = verticalScrollBar();
    QScrollBar* across = horizontalScrollBar();
    const int widest = kind_ == Kind::Page ? content_->minimumSizeHint().width() : 0;
    int needed = 0;
    for (int pass = 0; pass < 2; ++pass) {  // a bar that comes takes room
        const int width = std::max(viewport()->width(), widest);
        needed = kind_ == Kind::Page ? least_height(*content_, width) : wanted_height(*content_, width);
        bar->setRange(0, std::max(needed - viewport()->height(), 0));
        across->setRange(0, std::max(widest - viewport()->width(), 0));
    }
    bar->setPageStep(viewport()->height());
    across->setPageStep(viewport()->width());
    content_->setGeometry(-across->value(), -bar->value(), std::max(viewport()->width(), widest),
                          std::max(needed, viewport()->height()));
}

void FittingScroll::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    if (kind_ == Kind::Slot && event->size().width() != event->oldSize().width()) {
        updateGeometry();  // its texts wrap anew
    }
    place();
}

void FittingScroll::scrollContentsBy(int /*dx*/, int /*dy*/) {
    content_->move(-horizontalScrollBar()->value(), -verticalScrollBar()->value());
}

bool FittingScroll::eventFilter(QObject* object, QEvent* event) {
    switch (event->type()) {
        case QEvent::ChildAdded:
        case QEvent::ChildPolished:
            watch_parts();
            break;
        case QEvent::LayoutRequest:
            if (object == content_) {
                fit();
            }
            break;
        case QEvent::ShowToParent:
        case QEvent::HideToParent:
            if (object != content_ && object != most_of_) {
                fit();
            }
            break;
        case QEvent::Resize:
            if (object == most_of_) {
                updateGeometry();
            }
            break;
        default:
            break;
    }
    return QAbstractScrollArea::eventFilter(object, event);
}

// What the keyboard goes to is in view.
void FittingScroll::reveal(QWidget* now) {
    QScrollBar* bar = verticalScrollBar();
    if (!now || bar->maximum() == 0 || !content_->isAncestorOf(now)) {
        return;
    }
    const int top = now->mapTo(content_, QPoint(0, 0)).y();
    const int room = viewport()->height();
    const int bottom = top + std::min(now->height(), room);
    if (top < bar->value()) {
        bar->setValue(top);
    } else if (bottom > bar->value() + room) {
        bar->setValue(bottom - room);
    }
}

}  // namespace rankscope::gui
