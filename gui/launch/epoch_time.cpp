// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/train_config.h>
#include <gui/launch/epoch_time.h>

#include <algorithm>
#include <sstream>

namespace rankscope::gui {

namespace {

std::vector<std::string> sorted_names(std::string list) {
    std::replace(list.begin(), list.end(), ',', ' ');
    std::istringstream in(list);
    std::vector<std::string> names;
    for (std::string name; in >> name;) {
        names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<config::TrainConfig> config_of(const Job& job) {
    if (!job.train || !config::check_train_config(*job.train).empty()) {
        return std::nullopt;
    }
    return config::parse_train_config(*job.train);
}

}  // namespace

std::optional<EpochTime> last_epoch_time(const std::vector<RunRecord>& runs, const Job& job,
                                         const std::vector<std::string>& nodes) {
    const auto config = config_of(job);
    std::vector<std::string> wanted = nodes;
    std::sort(wanted.begin(), wanted.end());
    if (!config || wanted.empty()) {
        return std::nullopt;
    }
    for (const RunRecord& run : runs) {
        const bool fits = run.name == job.name && run.outcome == Outcome::Done &&
                          run.ended_us > run.started_us && sorted_names(run.nodes) == wanted;
        const auto before = fits ? config_of(parse_job(run.job_yaml, "job.yaml").job) : std::nullopt;
        if (before && before->model == config->model && before->dataset == config->dataset &&
            before->batch_size == config->batch_size && !before->max_steps) {
            constexpr double kSecond = 1e6;
            return EpochTime{static_cast<double>(run.ended_us - run.started_us) / kSecond, before->epochs};
        }
    }
    return std::nullopt;
}

}  // namespace rankscope::gui
