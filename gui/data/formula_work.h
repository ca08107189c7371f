// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/formula.h>
#include <gui/data/live_data.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rankscope::gui {

/// How far a formula is computed over a run, and what it needs to go further: the values over all ranks, and each
/// rank's next step. One thread at a time has it. Where a metric has no value at a step, its last one counts.
class FormulaWork {
public:
    FormulaWork() = default;
    /// `metrics`: of the operands, in their order.
    FormulaWork(const Formula& formula, std::vector<MetricId> metrics);

    /// About how many values one pass would compute and read now.
    std::size_t left(const LiveData& run) const;
    /// Of the steps that a pass computes: done and all.
    struct Progress {
        double done = 0;
        double all = 0;
    };
    Progress progress(const LiveData& run) const;

    /// Begins to compute what the run has by now: what is over all ranks, then rank after rank.
    void begin_pass();
    /// At most about `most` values of the pass, each given to add(rank, step, value). True: the pass is complete.
    template <typename Add>
    bool compute(const LiveData& run, std::size_t most, Add add);

private:
    struct Operand {
        MetricId metric;
        MetricColumn all;  ///< over all ranks, of Mean, Min, Max, Median, Sum
    };
    std::size_t results(const LiveData& run) const;
    std::size_t aggregate(const LiveData& run, std::size_t index, std::size_t most);
    std::int64_t settled(const LiveData& run, MetricId metric) const;
    const MetricColumn* leading(const LiveData& run, MetricId metric) const;
    const MetricColumn& base_of(const LiveData& run, std::size_t rank) const;
    const MetricColumn& operand_of(const LiveData& run, std::size_t index, std::size_t rank) const;
    /// Operands over all ranks that are not computed as far as the run has got: it continues while a pass lasts.
    std::vector<bool> behind(const LiveData& run) const;
    std::int64_t end_of(const LiveData& run, std::size_t rank, const MetricColumn& base,
                        const std::vector<bool>& behind) const;
    double value_at(const LiveData& run, std::size_t rank, std::int64_t step);

    std::optional<Formula> formula_;
    std::vector<Operand> operands_;
    std::vector<std::size_t> next_;  ///< by rank: index in its base column
    std::vector<double> values_;     ///< of the operands, at one step
    std::size_t at_operand_ = 0;     ///< of this pass
    std::size_t at_rank_ = 0;
};

template <typename Add>
bool FormulaWork::compute(const LiveData& run, std::size_t most, Add add) {
    std::size_t left = most;
    for (; at_operand_ < operands_.size(); ++at_operand_) {
        const std::size_t used = aggregate(run, at_operand_, left);
        if (used >= left) {
            return false;
        }
        left -= used;
    }
    const std::size_t count = results(run);
    next_.resize(std::max(next_.size(), count), 0);
    const std::vector<bool> behind = this->behind(run);
    for (; at_rank_ < count; ++at_rank_) {
        const MetricColumn& base = base_of(run, at_rank_);
        const std::int64_t end = end_of(run, at_rank_, base, behind);
        for (std::size_t& next = next_[at_rank_]; next < base.size(); ++next) {
            const std::int64_t step = base.steps().at(next);
            if (step > end) {
                break;
            }
            if (left == 0) {
                return false;
            }
            --left;
            add(at_rank_, step, float(value_at(run, at_rank_, step)));
        }
    }
    return true;
}

}  // namespace rankscope::gui
