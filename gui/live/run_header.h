// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/run/run_state.h>

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace rankscope::gui {

class ElidedLabel;

/// Name, outcome, throughput, progress of the epoch, and the button that stops it all.
class RunHeader : public QWidget {
    Q_OBJECT

public:
    explicit RunHeader(QWidget* parent = nullptr);

    struct Control {
        bool live = false;      ///< carried by this window: can be stopped
        bool stopping = false;  ///< asked to stop, not over yet
    };
    void set_state(const RunState& state, const Control& control, std::int64_t now_us);

signals:
    void stopRequested(bool force);

protected:
    void changeEvent(QEvent* event) override;

private:
    void show_outcome(const RunState& state, const Control& control);
    void show_progress(const RunState& state);
    void show_stop(const Control& control);

    ElidedLabel* name_;
    QLabel* outcome_;
    QLabel* elapsed_;
    QLabel* rate_;
    QLabel* accuracy_;
    QLabel* epoch_;
    QProgressBar* bar_;
    QLabel* eta_;
    QPushButton* stop_;
    Outcome shown_outcome_ = Outcome::Running;
    bool force_ = false;
};

}  // namespace rankscope::gui
