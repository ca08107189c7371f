// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/session/fix_runner.h>

#include <QWidget>
#include <map>
#include <string>
#include <vector>

class QLabel;
class QPushButton;

namespace rankscope::gui {

/// One fix: what it does, Copy, and Apply or (once applied) Undo. A command is shown and confirmed before it runs; keys
/// of the job are changed at once.
class FixRow : public QWidget {
    Q_OBJECT

public:
    FixRow(Fix fix, FixRunner* runner, QWidget* parent);
    const Fix& fix() const { return fix_; }
    /// Of a run that did not start: whether it can be started again with the fix, in one step.
    void offer_start(bool offer);

signals:
    /// The user wants these keys in the job.
    void jobRequested(const std::map<std::string, std::string>& keys);

    /// The fix is applied, or these keys of the job are it: the user wants the run to start again.
    void startRequested(const std::map<std::string, std::string>& keys);

private:
    void show_state();
    void apply_and_start();

    Fix fix_;
    FixRunner* runner_;
    QLabel* state_;
    QPushButton* apply_;
    QPushButton* start_;
    bool starts_ = false;  ///< as soon as it is applied
    QPushButton* undo_;
};

/// Shows the commands of the fixes and, once the user confirms, runs them.
void ask_to_apply(const std::vector<Fix>& fixes, FixRunner* runner, QWidget* parent);
/// "master_port: 0".
QString job_keys_text(const Fix& fix);

}  // namespace rankscope::gui
