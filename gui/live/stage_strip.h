// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/style/glyphs.h>
#include <remote/desk/runs/run/run_state.h>

#include <QFrame>
#include <vector>

class QLabel;
class QProgressBar;

namespace rankscope::gui {

class ElidedLabel;

/// One of the five stages: sign, name, seconds, progress while it lasts.
class StageCell : public QWidget {
    Q_OBJECT

public:
    explicit StageCell(StageName name, QWidget* parent);
    /// How the run ended for this stage. NoSteps: the time of this stage is unknown.
    enum class Ending { None, Before, FailedHere, NoSteps };
    void set_state(const StageState& stage, std::int64_t now_us, Ending ending);
    StageSign sign() const { return sign_; }
    /// A line of text, without the bar of its progress.
    void set_compact(bool on);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QLabel* name_;
    QLabel* time_;
    StageSign sign_ = StageSign::Waiting;
    double progress_ = -1;
    bool compact_ = false;
};

/// connect › push (› queue) › start › rendezvous › first step, and below the current activity. One line once the first step
/// is done.
class StageStrip : public QFrame {
    Q_OBJECT

public:
    explicit StageStrip(QWidget* parent = nullptr);
    void set_state(const RunState& state, std::int64_t now_us);

private:
    std::vector<StageCell*> cells_;
    StageCell* queue_;  ///< between push and start, where jobs wait in a queue
    ElidedLabel* activity_;
    bool compact_ = false;
};

}  // namespace rankscope::gui
