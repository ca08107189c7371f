// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/metrics_line.h>
#include <remote/observe/metric_lines/accuracy_share.h>
#include <remote/observe/metric_lines/series_merge.h>
#include <remote/observe/tensorboard/scalars.h>

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::tensorboard {

/// Where scalars come from.
struct Source {
    std::string folder;       ///< of the file, from the folder that the job names; empty: that one
    std::int64_t writer = 0;  ///< its process; 0: not known
    std::string file{};       ///< the file's name without its ending, where a folder may have several logs
};

/// Makes one rank's metrics of the scalars in its event files: known tags get our names ("Loss/train" →
/// "loss", "validation" in the folder's name → "val_loss"). A name belongs to the tag and folder that came
/// with it first; what else would be called so keeps its own, with the folder's before it. A new process goes
/// on with the series of the one before. A second file with the same values is not read, and a series of an epoch that has
/// the name of one that lines give at every step keeps its own. What belongs to an epoch stands at the step where lines ended it.
///
/// Steps are the writer's. Where it counts others than the loss's (accuracy once an epoch, with the epoch's
/// number), these values stand behind the loss's last step: a run's series have one axis.
class TagMetrics {
public:
    /// Neighbours of the same step become one line.
    std::vector<MetricsLine> read(const Source& source, const std::vector<Scalars>& scalars,
                                  const metric_lines::SeriesMerge& lines = {});
    /// The program has given these itself: they are not read here a second time.
    void given(const MetricsLine& line);

private:
    using Points = std::vector<std::pair<std::int64_t, double>>;
    struct Owner {
        Source source;
        std::string tag;
        std::deque<std::pair<std::int64_t, double>> points{};  ///< the last ones
    };
    /// How a writer counts the steps of one tag.
    struct TagSteps {
        std::optional<std::int64_t> last;
        bool otherwise = false;
    };
    struct WriterSteps {
        std::optional<std::int64_t> loss;
        double loss_time = 0;
        std::map<std::string, TagSteps> tags;
    };
    std::vector<Scalars> with_steps(const Source& source, const std::vector<Scalars>& scalars,
                                    const metric_lines::SeriesMerge& lines);
    void mark_validation(const Source& source, Scalars& event);
    std::optional<std::int64_t> place(const Source& source, const std::string& name, const std::string& tag,
                                      const Scalars& event);
    const std::string& name_of(const Source& source, const std::string& tag,
                               const std::vector<Scalars>& scalars, const metric_lines::SeriesMerge& lines);
    std::string new_name(const Source& source, const std::string& tag, const std::vector<Scalars>& scalars,
                         const metric_lines::SeriesMerge& lines);
    std::string own_name(const Source& source, const std::string& tag) const;
    void take_epoch(const Scalars& event, double value, std::vector<MetricsLine>& lines);
    double epoch_of(double value);

    std::map<std::pair<std::string, std::string>, std::string> names_;  ///< log, tag →
    std::map<std::string, Owner, std::less<>> owners_;
    std::map<std::pair<std::string, std::int64_t>, WriterSteps> steps_;  ///< log, writer →
    std::set<std::string, std::less<>> given_;
    metric_lines::AccuracyShare accuracy_;
    std::map<std::string, std::int64_t> last_records_;  ///< log → its last step
    std::int64_t last_step_ = -1;                       ///< of what counts steps
    std::optional<double> first_epoch_;
    std::optional<double> epoch_;
    bool epoch_is_done_share_ = false;
};

}  // namespace rankscope::tensorboard
