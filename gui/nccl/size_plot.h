// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/plot/qcustomplot_include.h>
#include <remote/observe/nccl_activity/collective_report.h>

#include <QWidget>
#include <memory>
#include <vector>

namespace rankscope::gui {

/// Latency and bus bandwidth over the size, a curve for each function; the link's rate where it is known. All axes are
/// logarithmic.
class SizePlot : public QWidget {
    Q_OBJECT

public:
    explicit SizePlot(QWidget* parent = nullptr);

    void set_rows(const std::shared_ptr<const CollectiveReport>& report,
                  const std::vector<CollectiveRow>& rows);
    QCustomPlot* plot() const { return plot_; }

    QSize sizeHint() const override { return {420, 200}; }
    QSize minimumSizeHint() const override { return {260, 120}; }

protected:
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Panel {
        QCPTextElement* title = nullptr;
        QCPAxisRect* rect = nullptr;
    };

    Panel make_panel(const QString& title, int column, const QSharedPointer<QCPAxisTicker>& values);
    void style();
    void draw();

    QCustomPlot* plot_;
    Panel latency_;
    Panel bandwidth_;
    std::shared_ptr<const CollectiveReport> report_;
    std::vector<CollectiveRow> rows_;
};

}  // namespace rankscope::gui
