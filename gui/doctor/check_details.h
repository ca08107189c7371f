// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/session/fix_runner.h>
#include <remote/diagnosis/check.h>

#include <QFrame>
#include <map>
#include <string>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QVBoxLayout;

namespace rankscope::gui {

/// One check in full: its sentence, where, what shows it, and what fixes it.
class CheckDetails : public QFrame {
    Q_OBJECT

public:
    explicit CheckDetails(FixRunner* runner, QWidget* parent = nullptr);

    /// nullptr: none.
    void set_check(const Check* check);

signals:
    void jobRequested(const std::map<std::string, std::string>& keys);
    /// The user wants to know whether it is fixed.
    void recheckRequested();

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void fill_fixes(const Check& check);
    void show_apply_all();
    void fit_evidence();

    FixRunner* runner_;
    Check check_;
    bool any_ = false;
    QLabel* title_;
    QLabel* about_;
    QPlainTextEdit* evidence_;
    QLabel* fixes_title_;
    QPushButton* apply_all_;
    QPushButton* recheck_;
    QVBoxLayout* rows_;
    QWidget* fixes_;
};

}  // namespace rankscope::gui
