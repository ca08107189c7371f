// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/memory_need.h>
#include <remote/desk/jobs/plan/training_advice.h>

#include <QWidget>
#include <optional>

class QLabel;
class QPushButton;

namespace rankscope::gui {

class RateCurve;

/// Below the fields of training: what the ranks make of batch size and learning rate, and the schedule as a curve.
class AdvicePanel : public QWidget {
    Q_OBJECT

public:
    explicit AdvicePanel(QWidget* parent = nullptr);

    /// Nothing: the panel is hidden.
    void set_advice(const std::optional<TrainingAdvice>& advice);
    /// "About 12 s per epoch in the last run …"; empty: not known.
    void set_epoch_time(const QString& text);
    /// Of the network, and of the GPU with the least memory; nothing: unknown.
    void set_cost(const LaunchPlan& plan, const std::optional<MemoryNeed>& need);

    /// Its height follows from its width all the same: with a row that asks for a height for its width, QFormLayout
    /// gives rows beside hidden ones none at all.
    bool hasHeightForWidth() const override { return false; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void scaleRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    int height_here() const;

    QLabel* batch_;
    QLabel* scaling_;
    QPushButton* scale_;
    QLabel* time_;
    QLabel* cost_;
    QLabel* memory_;
    RateCurve* curve_;
};

}  // namespace rankscope::gui
