// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_data.h>

#include <QFrame>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace rankscope::gui {

/// What went wrong in a run, in words: which rank, why, its last lines, what to do.
struct FailureReport {
    QString title;  ///< "Rank 1 on node2 was killed by signal 9 (SIGKILL)"; empty: nothing is wrong
    QString text;   ///< the reason, and what a diagnosis says
    QString lines;  ///< the culprit's last lines
    QString remedy;
    int rank = -1;      ///< whose log has more
    int busy_port = 0;  ///< another program holds it, on port_node; 0: that is not the cause
    std::string port_node;

    QString whole() const;
    bool operator==(const FailureReport&) const = default;
};
FailureReport failure_report(const LiveData& run);

/// Stays at the top of Live until the user dismisses it; show_again() brings it back.
class FailureBanner : public QFrame {
    Q_OBJECT

public:
    explicit FailureBanner(QWidget* parent = nullptr);
    void set_report(const FailureReport& report);
    const FailureReport& report() const { return report_; }
    /// There is something to say, and the user has dismissed it.
    bool is_dismissed() const { return closed_ && !report_.title.isEmpty(); }
    void show_again();

signals:
    void dismissed();
    void logRequested(int rank);
    void portRequested(const QString& node, int port);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void fit_lines();

    FailureReport report_;
    bool closed_ = false;
    QLabel* title_;
    QLabel* text_;
    QPlainTextEdit* lines_;
    QLabel* remedy_;
    QPushButton* log_;
    QPushButton* port_;
};

}  // namespace rankscope::gui
