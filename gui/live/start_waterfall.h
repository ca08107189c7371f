// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_data.h>
#include <gui/style/theme.h>

#include <QAbstractScrollArea>
#include <QFrame>
#include <vector>

class QLabel;

namespace rankscope::gui {

class ElidedLabel;

/// The rows of the waterfall; only visible ones are painted.
class StartBars : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit StartBars(QWidget* parent);

    void set_rows(std::vector<StartRow> rows, std::int64_t begin_us, std::int64_t now_us);
    const std::vector<StartRow>& rows() const { return rows_; }
    /// Rows with one of these ranks are tinted.
    void set_selected(const std::vector<int>& ranks);
    bool is_selected(const StartRow& row) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    /// A click on a row.
    void chosen(int rank);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    int row_height() const;
    int row_at(const QPoint& point) const;
    void fit_bar();

    std::vector<StartRow> rows_;
    std::vector<int> selected_;  ///< sorted
    std::int64_t begin_us_ = 0;
    std::int64_t now_us_ = 0;
};

/// How long every rank takes from the connection to its first step, and whom the others wait for.
class StartWaterfall : public QFrame {
    Q_OBJECT

public:
    explicit StartWaterfall(QWidget* parent = nullptr);

    void set_run(const LiveData& run, std::int64_t now_us);
    /// "Waiting for rank 3 on node2: its process has started, it is not at the rendezvous yet"; empty: for none.
    QString waiting_text() const;
    void set_selected(const std::vector<int>& ranks);

signals:
    void rankChosen(int rank);
    /// Another height is wanted.
    void hintChanged();

protected:
    void changeEvent(QEvent* event) override;

private:
    void color_legend();

    ElidedLabel* waiting_;
    QLabel* total_;
    std::vector<QLabel*> signs_;
    StartBars* bars_;
};

/// Whom the ranks wait for before the first step; empty: for none.
QString awaited_text(const RunState& state, const StartTimes& times);
QString start_part_text(StartPart part);

}  // namespace rankscope::gui
