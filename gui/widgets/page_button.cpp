// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/style/glyphs.h>
#include <gui/widgets/page_button.h>

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPainter>
#include <mutex>

namespace rankscope::gui {

namespace {

class AccessiblePageButton : public QAccessibleWidget {
public:
    explicit AccessiblePageButton(PageButton* button)
        : QAccessibleWidget(button, QAccessible::PageTab), button_(button) {}

    QString text(QAccessible::Text kind) const override {
        return kind == QAccessible::Name ? button_->text() : QAccessibleWidget::text(kind);
    }
    QAccessible::State state() const override {
        QAccessible::State state = QAccessibleWidget::state();
        state.selectable = true;
        state.selected = button_->isChecked();
        return state;
    }
    QStringList actionNames() const override {
        QStringList names = QAccessibleWidget::actionNames();
        if (button_->isEnabled()) {
            names.prepend(pressAction());
        }
        return names;
    }
    void doAction(const QString& name) override {
        if (name == pressAction()) {
            button_->click();
        } else {
            QAccessibleWidget::doAction(name);
        }
    }

private:
    PageButton* button_;
};

QAccessibleInterface* make_button_interface(const QString&, QObject* object) {
    auto* button = qobject_cast<PageButton*>(object);
    return button ? new AccessiblePageButton(button) : nullptr;  // QAccessible owns it
}

}  // namespace

PageButton::PageButton(QWidget* parent) : QToolButton(parent) {
    static std::once_flag once;
    std::call_once(once, [] { QAccessible::installFactory(make_button_interface); });
    setCheckable(true);
}

void PageButton::set_mark(Mark mark) {
    mark_ = mark;
    update();
}

void PageButton::paintEvent(QPaintEvent* event) {
    QToolButton::paintEvent(event);
    if (mark_ == Mark::None) {
        return;
    }
    constexpr double kSide = 16;
    constexpr double kFromMiddle = 8;
    QPainter painter(this);
    const QRectF box(width() / 2.0 + kFromMiddle, 4, kSide, kSide);
    draw_stage_sign(painter, box, mark_ == Mark::Done ? StageSign::Done : StageSign::Failed,
                    theme_colors(palette()));
}

}  // namespace rankscope::gui
