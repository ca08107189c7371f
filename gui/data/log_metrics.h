// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_model.h>
#include <remote/observe/metric_lines/line_metrics.h>

#include <QObject>
#include <QTimer>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rankscope::gui {

/// The lines of a run that could be curves, as its node reported them; nothing: it did not. The arguments of this notice are
/// in place of its fixes: the fix is a button.
std::optional<metric_lines::UnreadNotice> unread_lines(const LiveData& run);

/// Curves from the log of a run: reads its lines with a pattern that the user has chosen after the run began, those that
/// are there and those that come, and applies the events that the node would have made of them. Part of the model, until
/// that shows another run. One thread.
class LogMetrics : public QObject {
    Q_OBJECT

public:
    /// Begins to read. A pattern that cannot be read is ignored, and so is one where another reads already.
    static void start(LiveModel* run, const std::string& pattern);
    static bool reads(const LiveModel* run);

private:
    LogMetrics(LiveModel* run, metric_lines::Pattern pattern);
    void start_over();
    void read_on();
    std::vector<QueuedItem> take(std::uint64_t last);
    void add(const LogLine& line, const MetricsLine& metrics, std::vector<QueuedItem>& out);

    LiveModel* run_;
    std::string run_id_;
    metric_lines::Pattern pattern_;
    std::map<int, metric_lines::LineMetrics> ranks_;
    std::set<int> stepped_;
    std::uint64_t read_ = 0;  ///< number of the last line that was read
    QTimer turn_;             ///< a part of the log per turn of the event loop
};

}  // namespace rankscope::gui
