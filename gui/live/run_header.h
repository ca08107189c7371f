// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/run/run_state.h>

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
        bool can_pause = false;
        bool pause_wanted = false;  ///< the nodes follow when they have heard of it
        bool can_repeat = false;    ///< its job is known
    };
    void set_state(const RunState& state, const Control& control, std::int64_t now_us);

signals:
    void stopRequested(bool force);
    void pauseRequested(bool pause);
    void againRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void show_outcome(const RunState& state, const Control& control);
    void show_progress(const RunState& state);
    void show_buttons(const RunState& state, const Control& control);

    ElidedLabel* name_;
    QLabel* outcome_;
    QLabel* elapsed_;
    QLabel* rate_;
    QLabel* accuracy_;
    QLabel* epoch_;
    QProgressBar* bar_;
    QLabel* eta_;
    QPushButton* again_;
    QPushButton* pause_;
    QPushButton* stop_;
    bool force_ = false;
    bool pauses_ = false;  ///< what the button does next: pause, or continue
};

}  // namespace rankscope::gui
