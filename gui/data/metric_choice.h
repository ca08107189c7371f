// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_data.h>
#include <gui/data/panel_sections.h>
#include <gui/data/panel_settings.h>
#include <gui/data/x_scale.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::gui {

/// What is shown while the user has chosen nothing: loss, accuracy and throughput where they are reported, and
/// names of the user's own program while there is room.
std::vector<std::string> default_metrics(const LiveData& data);

/// Which metrics to show for a job and how, remembered by its name between runs (QSettings).
class MetricChoice {
public:
    /// Loads what was chosen for this job.
    void set_job(const std::string& job_name);
    /// The chosen ones, else the default for this run.
    std::vector<std::string> shown(const LiveData& data) const;
    bool is_default() const { return !chosen_; }
    /// Nothing: back to the default.
    void choose(std::optional<std::vector<std::string>> names);

    XUnit unit() const { return unit_; }
    void keep_unit(XUnit unit);
    /// Of the x axis.
    bool log() const { return log_; }
    void keep_log(bool log);
    static constexpr int kMostSmoothing = 99;
    /// Of all panels, percent.
    int smoothing() const { return smoothing_; }
    void keep_smoothing(int percent);
    /// The pattern that reads the lines of this job's program; empty: none was chosen.
    const std::string& lines() const { return lines_; }
    void keep_lines(const std::string& pattern);
    const PanelSections& sections() const { return sections_; }
    void keep_sections(const PanelSections& sections);
    /// By metric; without ranges, which belong to what is looked at now.
    const std::map<std::string, PanelSettings>& settings() const { return settings_; }
    void keep_settings(const std::map<std::string, PanelSettings>& settings);

private:
    std::string job_name_;
    std::optional<std::vector<std::string>> chosen_;
    XUnit unit_ = XUnit::Step;
    bool log_ = false;
    int smoothing_ = 0;
    std::string lines_;
    PanelSections sections_;
    std::map<std::string, PanelSettings> settings_;
};

}  // namespace rankscope::gui
