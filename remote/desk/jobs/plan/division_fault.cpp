// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/train_config.h>
#include <engine/models/training_cost.h>
#include <remote/desk/jobs/plan/division_fault.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <string>
#include <vector>

namespace rankscope::inline jobs {
namespace {

constexpr const char* kContext = "LaunchPlan";

std::string listed(const std::vector<int>& numbers) {
    std::string list;
    for (const int number : numbers) {
        list += (list.empty() ? "" : ", ") + std::to_string(number);
    }
    return list;
}

class DivisionCheck {
public:
    DivisionCheck(const Job& job, int ranks, const engine::DivisionLimits& limits)
        : job_(job),
          config_(config::parse_train_config(*job.train)),
          ranks_(ranks),
          limits_(limits),
          stages_(static_cast<int>(config_.parallel.pipeline.stages)),
          slices_(static_cast<int>(config_.parallel.tensor)) {}

    std::optional<Failure> fault() const {
        if (stages_ > 1 && config_.parallel.zero >= 2 && limits_.shares_weight) {
            return failure(
                text(kContext,
                     "train.parallel.zero: 2 is unavailable with a pipeline of %1, whose first and last "
                     "stage share a weight.",
                     {config_.model}),
                text(kContext, "Write train.parallel.zero: 1."), "");
        }
        std::optional<Failure> slices = slices_ > 1 ? slices_fault() : std::nullopt;
        return slices || stages_ == 1 ? slices : stages_fault();
    }

private:
    std::optional<Failure> slices_fault() const {
        const bool divides = std::count(limits_.slices.begin(), limits_.slices.end(), slices_) > 0;
        if (divides && ranks_ % slices_ == 0) {
            return std::nullopt;
        }
        std::vector<int> fitting = limits_.slices;
        std::erase_if(fitting, [this](int slices) { return ranks_ % slices != 0; });
        const std::string given = std::to_string(slices_);
        return failure(
            ranks_ % slices_ != 0
                ? text(kContext,
                       "train.parallel.tensor is %1, which does not divide the number of ranks, %2.",
                       {given, std::to_string(ranks_)})
                : text(kContext,
                       "train.parallel.tensor is %1; the layers of %2 cannot be divided among so many.",
                       {given, config_.model}),
            fitting.empty() ? text(kContext, "Leave train.parallel.tensor out.")
                            : text(kContext, "Slices that fit: %1.", {listed(fitting)}),
            "train.parallel.tensor");
    }

    std::optional<Failure> stages_fault() const {
        const int ranks = ranks_ / slices_;
        if (ranks % stages_ == 0 && stages_ <= limits_.most_stages) {
            return std::nullopt;
        }
        std::vector<int> fitting;
        for (int number = 2; number <= std::min(ranks, limits_.most_stages); ++number) {
            if (ranks % number == 0) {
                fitting.push_back(number);
            }
        }
        const std::string given = std::to_string(stages_);
        return failure(
            stages_ > limits_.most_stages
                ? text(kContext, "train.parallel.pipeline.stages is %1; %2 can be cut into at most %3.",
                       {given, config_.model, std::to_string(limits_.most_stages)})
            : slices_ > 1
                ? text(kContext,
                       "train.parallel.tensor times train.parallel.pipeline.stages is %1, which does not "
                       "divide the number of ranks, %2.",
                       {std::to_string(slices_ * stages_), std::to_string(ranks_)})
                : text(kContext,
                       "train.parallel.pipeline.stages is %1, which does not divide the number of ranks, %2.",
                       {given, std::to_string(ranks)}),
            fitting.empty() ? text(kContext, "Leave train.parallel.pipeline out, or give the job more ranks.")
                            : text(kContext, "Stages that fit: %1.", {listed(fitting)}),
            "train.parallel.pipeline.stages");
    }

    Failure failure(std::string what, std::string remedy, std::string field) const {
        return {"bad-field", job_.file.string(), std::move(what), std::move(remedy), "", std::move(field)};
    }

    const Job& job_;
    config::TrainConfig config_;
    int ranks_;
    const engine::DivisionLimits& limits_;
    int stages_;
    int slices_;
};

}  // namespace

std::optional<Failure> division_fault(const Job& job, int ranks) {
    const auto limits = engine::division_limits(config::parse_train_config(*job.train), ranks);
    return limits ? DivisionCheck(job, ranks, *limits).fault() : std::nullopt;
}

}  // namespace rankscope::inline jobs
