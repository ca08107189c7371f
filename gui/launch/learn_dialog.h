// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/metric_lines/learn_pattern.h>

#include <QDialog>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QTableWidget;

namespace rankscope::gui {

class NoticeBar;

/// A line that the program printed becomes a pattern: every number of it is listed, the user names those
/// to draw as curves. What the pattern reads from the line is shown; OK is disabled while there is none.
class LearnDialog : public QDialog {
    Q_OBJECT

public:
    explicit LearnDialog(QWidget* parent);

    /// A line and names of its numbers to begin with: "step=5", as UnreadNotice has them.
    void set_example(const std::string& line, const std::vector<std::string>& fields);
    QString pattern() const;

private:
    void list_numbers();
    void learn();

    std::string text_;  ///< the line, as bytes
    std::vector<metric_lines::Mark> numbers_;
    bool listing_ = false;
    QLineEdit* line_;
    QTableWidget* table_;
    NoticeBar* fault_;
    QLineEdit* pattern_;
    QLabel* reads_;
    QPushButton* ok_;
};

}  // namespace rankscope::gui
