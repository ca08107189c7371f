// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/metric_lines/unread_lines.h>

#include <QWidget>
#include <vector>

class QLabel;
class QPushButton;

namespace rankscope::gui {

class ElidedLabel;

/// Where there are no curves yet: lines that the program prints and nothing reads, and a button that draws them.
class LinesOffer : public QWidget {
    Q_OBJECT

public:
    explicit LinesOffer(QWidget* parent);

    void set_lines(const metric_lines::UnreadNotice& lines);
    const metric_lines::UnreadNotice& lines() const { return lines_; }

signals:
    /// The curves that it offers are wanted.
    void drawRequested();
    /// Others of its numbers, or by other names.
    void changeRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void write();

    metric_lines::UnreadNotice lines_;
    QLabel* title_;
    std::vector<ElidedLabel*> examples_;
    QPushButton* draw_;
    QPushButton* change_;
};

}  // namespace rankscope::gui
