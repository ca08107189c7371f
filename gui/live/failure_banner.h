// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/live/failure_report.h>
#include <gui/session/fix_runner.h>

#include <QFrame>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QPushButton;
class QTextBrowser;
class QVBoxLayout;

namespace rankscope::gui {

/// The verdict card at the top of Live: why a run failed, or what goes wrong while it runs. The first stays until the user
/// dismisses it, the second leaves with its cause; show_again() brings back what is dismissed.
class FailureBanner : public QFrame {
    Q_OBJECT

public:
    explicit FailureBanner(FixRunner* fixes, QWidget* parent = nullptr);
    /// `log`: where the lines of the report are looked for; those that are there can be clicked.
    void set_report(const FailureReport& report, const LogStore& log);
    /// A verdict about logs that are no run's: its lines lead to their files. `main`: the root cause.
    void set_verdict(const Verdict& verdict, bool main);
    /// Only the title shows, until the user wants to know why: there is little room.
    void set_brief(bool on);
    /// Another log follows, of another run.
    void forget_log();
    const FailureReport& report() const { return report_; }
    /// There is something to say, and the user has dismissed it.
    bool is_dismissed() const { return closed_ && !report_.title.isEmpty(); }
    void show_again();

signals:
    void dismissed();
    void logRequested(int rank);
    /// The user wants to see a line in the log; `number` as LogStore counts.
    void lineRequested(int rank, std::uint64_t number);
    /// The user wants to see a line of a file, as the evidence names it.
    void placeRequested(const QString& file, qint64 line);
    /// The user wants to see the ranks of a node.
    void nodeRequested(const QString& node);
    /// The user wants to see the directions that fail.
    void pairsRequested();
    /// The user wants these keys in the job.
    void jobRequested(const std::map<std::string, std::string>& keys);
    /// The user wants the run to start again, with these keys in its job.
    void startRequested(const std::map<std::string, std::string>& keys);
    void portRequested(const QString& node, int port);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void find_lines(const LogStore& log);
    void write_lines();
    void place_lines();
    void fold();
    void fit_lines();
    void fit_fixes();
    void fill_fixes(const std::vector<Fix>& fixes);

    FixRunner* runner_;
    FailureReport report_;
    std::vector<std::uint64_t> numbers_;  ///< of the report's lines in the log; 0: it is not there
    std::uint64_t searched_ = 0;          ///< the newest line when they were looked for
    bool closed_ = false;
    bool brief_ = false;
    std::optional<bool> unfolded_;  ///< by the user, for this fault
    bool opens_ = true;             ///< the user has not scrolled in the lines
    bool of_files_ = false;         ///< the lines are of files, and not of a run's log
    QLabel* title_;
    QPushButton* fold_;
    QWidget* details_;
    QLabel* text_;
    QTextBrowser* lines_;
    QLabel* remedy_;
    QWidget* fixes_;
    QVBoxLayout* fix_rows_;
    QPushButton* log_;
    QPushButton* node_;
    QPushButton* pairs_;
    QPushButton* port_;
    QPushButton* close_;
};

}  // namespace rankscope::gui
