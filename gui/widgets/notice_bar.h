// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QFrame>

class QLabel;
class QPushButton;

namespace rankscope::gui {

/// A bar across the top of a page: an error ("banner", red) or a message ("notice"), with at most one
/// action. Hidden while its text is empty.
class NoticeBar : public QFrame {
    Q_OBJECT

public:
    enum class Kind { Fault, News };

    NoticeBar(Kind kind, const char* object_name, QWidget* parent = nullptr);
    void set_text(const QString& title, const QString& text = {});
    void set_action(const QString& text);
    /// Whether the user can close it; it stays closed until the next set_text().
    void set_dismissable(bool dismissable);
    QString text() const;

signals:
    void actionTriggered();
    void dismissed();

private:
    QLabel* title_;
    QLabel* text_;
    QPushButton* action_;
    QPushButton* dismiss_;
};

}  // namespace rankscope::gui
