// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/widgets/combo_box.h>
#include <gui/widgets/layout_helpers.h>

#include <QAbstractItemView>
#include <QAccessible>
#include <QAccessibleWidget>
#include <mutex>

namespace rankscope::gui {

namespace {

class AccessibleComboBox : public QAccessibleWidget {
public:
    explicit AccessibleComboBox(ComboBox* box) : QAccessibleWidget(box, QAccessible::ComboBox), box_(box) {}

    QString text(QAccessible::Text kind) const override {
        if (kind == QAccessible::Value) {
            return box_->currentText();
        }
        const QString text = QAccessibleWidget::text(kind);
        if (kind != QAccessible::Name || !text.isEmpty()) {
            return text;
        }
        const auto labels = relations(QAccessible::Label);
        return labels.isEmpty() ? text : labels.first().first->text(QAccessible::Name);
    }
    QAccessible::State state() const override {
        QAccessible::State state = QAccessibleWidget::state();
        state.expandable = true;
        state.expanded = box_->view()->isVisible();
        state.hasPopup = true;
        return state;
    }
    QStringList actionNames() const override {
        QStringList names = QAccessibleWidget::actionNames();
        if (box_->isEnabled()) {
            names.prepend(showMenuAction());
        }
        return names;
    }
    void doAction(const QString& name) override {
        if (name != showMenuAction()) {
            QAccessibleWidget::doAction(name);
        } else if (box_->view()->isVisible()) {
            box_->hidePopup();
        } else {
            box_->showPopup();
        }
    }

private:
    ComboBox* box_;
};

QAccessibleInterface* make_interface(const QString&, QObject* object) {
    auto* box = qobject_cast<ComboBox*>(object);
    return box ? new AccessibleComboBox(box) : nullptr;  // QAccessible owns it
}

}  // namespace

ComboBox::ComboBox(QWidget* parent) : QComboBox(parent) {
    static std::once_flag once;
    std::call_once(once, [] { QAccessible::installFactory(make_interface); });
    leave_wheel_to_page(this);
}

}  // namespace rankscope::gui
