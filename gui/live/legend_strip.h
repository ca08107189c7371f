// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QWidget>
#include <vector>

namespace rankscope::gui {

/// One line that says which curve is whose: ranks by colour up to 16, a band's parts above that.
class LegendStrip : public QWidget {
    Q_OBJECT

public:
    explicit LegendStrip(QWidget* parent = nullptr);
    void set_ranks(int count, bool band, const std::vector<int>& selected);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Entry {
        QString text;
        QColor color;
        double height = 2;  ///< of its sample: a line, or an area
    };
    std::vector<Entry> entries() const;

    int count_ = 0;
    bool band_ = false;
    std::vector<int> selected_;
};

}  // namespace rankscope::gui
