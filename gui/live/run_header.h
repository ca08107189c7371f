// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/live/run_standing.h>

#include <QWidget>
#include <array>
#include <cstddef>

class QLabel;
class QProgressBar;
class QPushButton;

namespace rankscope::gui {

class ElidedLabel;

/// Name, standing, throughput and progress of the epoch while steps arrive, and the buttons for the run.
class RunHeader : public QWidget {
    Q_OBJECT

public:
    explicit RunHeader(QWidget* parent = nullptr);

    void set_run(const LiveData& run, const RunControl& control, std::int64_t now_us);

    /// Without what leaves where there is no room: bar, validation, time, epoch, time left.
    QSize minimumSizeHint() const override;

signals:
    void stopRequested(bool force);
    void pauseRequested(bool pause);
    void againRequested();
    void bundleRequested();
    void verdictRequested();
    void noticesRequested(bool open);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// A part that may leave, and whether there is something to show in it.
    struct Droppable {
        QWidget* part;
        bool wanted = false;
    };
    void want(QWidget* part, bool wanted);
    /// The width that is needed when the first `dropped` of what may leave are hidden.
    int width_without(std::size_t dropped) const;
    void fit();
    void show_outcome(Outcome outcome, const RunStanding& standing);
    void style_pill();
    void show_progress(const RunState& state, bool advancing);
    void show_buttons(const RunState& state, const RunControl& control);
    void show_notices(const RunControl& control);

    ElidedLabel* name_;
    QLabel* outcome_;
    QPushButton* why_;
    QPushButton* notices_;
    QLabel* elapsed_;
    QLabel* rate_;
    QLabel* accuracy_;
    QLabel* epoch_;
    QProgressBar* bar_;
    QLabel* eta_;
    QPushButton* bundle_;
    QPushButton* again_;
    QPushButton* pause_;
    QPushButton* stop_;
    std::array<Droppable, 5> droppable_{};  ///< the least important first
    Outcome pill_outcome_ = Outcome::Running;
    StandingSign pill_sign_ = StandingSign::Outcome;
    bool force_ = false;
    bool notices_open_ = false;
    bool pauses_ = false;  ///< what the button does next: pause, or continue
};

}  // namespace rankscope::gui
