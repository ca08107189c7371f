// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QColor>
#include <QScrollBar>
#include <vector>

namespace rankscope::gui {

/// A vertical scroll bar with marks at places of the content.
class MarkBar : public QScrollBar {
    Q_OBJECT

public:
    static constexpr int kPlaces = 1024;

    explicit MarkBar(QWidget* parent = nullptr);
    /// One entry for each of kPlaces parts of the content; empty: no marks.
    void set_marks(std::vector<bool> marks);
    const std::vector<bool>& marks() const { return marks_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<bool> marks_;
};

}  // namespace rankscope::gui
