// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/nccl/nccl_tab.h>
#include <remote/desk/runs/run/pipeline_step.h>

#include <QMetaObject>
#include <QPointer>
#include <array>
#include <optional>

class QLabel;

namespace rankscope::gui {

/// A row for each stage, a box for each pass of a micro-batch; what is empty, waits.
class PipelineBars : public QWidget {
    Q_OBJECT

public:
    explicit PipelineBars(QWidget* parent = nullptr);

    void set_step(std::optional<PipelineStep> step);
    const std::optional<PipelineStep>& step() const { return step_; }
    void set_selected(const std::vector<int>& ranks);
    QRectF box_of(std::size_t stage, const PlacedPass& pass) const;
    /// Empty: nothing is there.
    QString tip_at(const QPoint& point) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void chosen(int rank);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    int name_width() const;
    double row_height() const;
    int stage_at(const QPoint& point) const;

    std::optional<PipelineStep> step_;
    std::vector<int> selected_;
};

/// Micro-batches over time in the stages of one pipeline: that of the selected rank, else the first one.
class PipelineTab : public NcclTab {
    Q_OBJECT

public:
    explicit PipelineTab(QWidget* parent = nullptr);

    void set_snapshot(const std::shared_ptr<const ReadingSnapshot>& snapshot) override;
    void set_run(const LiveModel* run) override;
    void set_selected(const std::vector<int>& ranks) override;
    bool has_content() const override;
    bool is_wanted() const override { return has_content(); }
    QString summary() const;

protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void refresh_if_visible();
    void color_legend();

    QPointer<const LiveModel> run_;
    std::array<QMetaObject::Connection, 2> changes_;
    std::vector<int> selected_;
    QLabel* summary_;
    QLabel* legend_;
    PipelineBars* bars_;
};

}  // namespace rankscope::gui
