// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/logview/log_view.h>
#include <gui/logview/log_view_accessible.h>

#include <QAccessible>
#include <QAccessibleWidget>

namespace rankscope::gui {

namespace {

class AccessibleLogView : public QAccessibleWidget {
public:
    explicit AccessibleLogView(LogView* view)
        : QAccessibleWidget(view, QAccessible::EditableText), view_(view) {}

    QString text(QAccessible::Text what) const override {
        if (what != QAccessible::Value) {
            return QAccessibleWidget::text(what);
        }
        const LogRows& rows = *view_->rows();
        const auto line = view_->current_line();
        return line && rows.has(*line) ? view_->row_text(rows.row_of(*line)) : QString();
    }
    QAccessible::State state() const override {
        QAccessible::State state = QAccessibleWidget::state();
        state.readOnly = true;
        state.multiLine = true;
        return state;
    }

private:
    LogView* view_;
};

QAccessibleInterface* make_interface(const QString& /*key*/, QObject* object) {
    auto* view = qobject_cast<LogView*>(object);
    return view == nullptr ? nullptr : new AccessibleLogView(view);
}

}  // namespace

void make_log_views_accessible() {
    static const bool installed = [] {
        QAccessible::installFactory(make_interface);
        return true;
    }();
    (void)installed;
}

}  // namespace rankscope::gui
