// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/plot/legend_element.h>

#include <QWidget>

class QMenu;
class QToolButton;

namespace rankscope::gui {

/// Which colour is which run's, over as many lines as it takes, at most three; a button lists the runs that do not fit.
class RunLegend : public QWidget {
    Q_OBJECT

public:
    explicit RunLegend(QWidget* parent = nullptr);
    void set_titles(const QStringList& titles);
    /// Of the runs, in their order; the rest is in the list of the button.
    int shown() const;

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    /// The runs that fit, and where the button goes: empty where it is not needed.
    struct Layout {
        std::vector<LegendPlace> places;
        QRect more;
        int height = 0;
    };
    Layout lay_out(int width) const;
    QString more_text(qsizetype count) const;
    void place_button();
    void fill_list();

    QStringList titles_;
    QToolButton* more_;
    QMenu* list_;
};

}  // namespace rankscope::gui
