// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/formula_work.h>
#include <gui/data/rank_grid.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope::gui {

namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kLag = 256;  ///< steps; a rank that is further behind holds up no mean

bool is_over_all(Whose whose) {
    return whose != Whose::Each && whose != Whose::Rank;
}

float combined(Whose whose, std::vector<float>& values) {
    switch (whose) {
        case Whose::Min:
            return *std::min_element(values.begin(), values.end());
        case Whose::Max:
            return *std::max_element(values.begin(), values.end());
        case Whose::Median:
            return quantile(values, 0.5);
        default:
            break;
    }
    double sum = 0;
    for (const float value : values) {
        sum += double(value);
    }
    return float(whose == Whose::Sum ? sum : sum / double(values.size()));
}

/// The value at a step, or the last one before it.
double value_until(const MetricColumn& column, std::int64_t step) {
    const std::size_t i = column.steps().lower_bound(double(step) + 0.5);
    return i == 0 ? kNoNumber : double(column.at(i - 1));
}

/// The index in `of` from which `all` has nothing yet. Another rank may lead than before: sizes say nothing.
std::size_t next_of(const MetricColumn& all, const MetricColumn& of) {
    return all.empty() ? 0 : of.steps().lower_bound(double(all.steps().last()) + 0.5);
}

}  // namespace

FormulaWork::FormulaWork(const Formula& formula, std::vector<MetricId> metrics)
    : formula_(formula), values_(metrics.size(), kNoNumber) {
    for (const MetricId metric : metrics) {
        operands_.push_back({metric, {}});
    }
}

std::size_t FormulaWork::results(const LiveData& run) const {
    return formula_->is_single() ? 1 : run.series.size();
}

const MetricColumn* FormulaWork::leading(const LiveData& run, MetricId metric) const {
    const MetricColumn* leading = nullptr;
    for (const MetricSeries& rank : run.series) {
        const MetricColumn& column = rank.column(metric);
        leading = !leading || column.size() > leading->size() ? &column : leading;
    }
    return leading;
}

std::size_t FormulaWork::left(const LiveData& run) const {
    std::size_t left = 0;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
        const MetricColumn* of =
            is_over_all(formula_->operands()[i].whose) ? leading(run, operands_[i].metric) : nullptr;
        if (of) {
            const std::int64_t end = settled(run, operands_[i].metric);
            const std::size_t steps = of->steps().lower_bound(double(end) + 0.5);
            const std::size_t have = next_of(operands_[i].all, *of);
            // Read once of each rank; most formulas then have a value for each rank, too.
            left += steps > have ? 2 * (steps - have) * run.series.size() : 0;
        }
    }
    const std::vector<bool> behind = this->behind(run);
    for (std::size_t rank = 0; rank < results(run); ++rank) {
        const MetricColumn& base = base_of(run, rank);
        const std::size_t end = base.steps().lower_bound(double(end_of(run, rank, base, behind)) + 0.5);
        const std::size_t next = rank < next_.size() ? next_[rank] : 0;
        left += end > next ? end - next : 0;
    }
    return left;
}

FormulaWork::Progress FormulaWork::progress(const LiveData& run) const {
    Progress progress;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
        if (is_over_all(formula_->operands()[i].whose)) {
            const MetricColumn* of = leading(run, operands_[i].metric);
            progress.done += double(operands_[i].all.size()) * double(run.series.size());
            progress.all += of ? double(of->size()) * double(run.series.size()) : 0;
        }
    }
    for (std::size_t rank = 0; rank < results(run); ++rank) {
        progress.done += rank < next_.size() ? double(next_[rank]) : 0;
        progress.all += double(base_of(run, rank).size());
    }
    return progress;
}

void FormulaWork::begin_pass() {
    at_operand_ = 0;
    at_rank_ = 0;
}

std::int64_t FormulaWork::settled(const LiveData& run, MetricId metric) const {
    std::int64_t slowest = std::numeric_limits<std::int64_t>::max();
    std::int64_t fastest = -1;
    for (const MetricSeries& rank : run.series) {
        if (const MetricColumn& column = rank.column(metric); !column.empty()) {
            slowest = std::min(slowest, column.steps().last());
            fastest = std::max(fastest, column.steps().last());
        }
    }
    const bool over = run.state.outcome != Outcome::Running;
    return over ? fastest : std::max(std::min(slowest, fastest), fastest - kLag);
}

std::size_t FormulaWork::aggregate(const LiveData& run, std::size_t index, std::size_t most) {
    const Whose whose = formula_->operands()[index].whose;
    Operand& operand = operands_[index];
    const MetricColumn* of = is_over_all(whose) ? leading(run, operand.metric) : nullptr;
    if (!of || of->empty()) {
        return 0;
    }
    const std::int64_t end = settled(run, operand.metric);
    std::size_t next = next_of(operand.all, *of);
    std::size_t used = 0;
    std::vector<float> values;
    for (; next < of->size() && used < most; ++next) {
        const std::int64_t step = of->steps().at(next);
        if (step > end) {
            break;
        }
        values.clear();
        for (const MetricSeries& rank : run.series) {
            const auto value = float(value_until(rank.column(operand.metric), step));
            if (std::isfinite(value)) {
                values.push_back(value);
            }
        }
        used += run.series.size();
        operand.all.add(step, values.empty() ? float(kNoNumber) : combined(whose, values));
    }
    return used;
}

const MetricColumn& FormulaWork::operand_of(const LiveData& run, std::size_t index, std::size_t rank) const {
    const FormulaOperand& what = formula_->operands()[index];
    if (is_over_all(what.whose)) {
        return operands_[index].all;
    }
    static const MetricColumn none;
    const std::size_t of = what.whose == Whose::Rank ? std::size_t(what.rank) : rank;
    return of < run.series.size() ? run.series[of].column(operands_[index].metric) : none;
}

const MetricColumn& FormulaWork::base_of(const LiveData& run, std::size_t rank) const {
    const auto& all = formula_->operands();
    const auto each = std::find_if(
        all.begin(), all.end(), [](const FormulaOperand& operand) { return operand.whose == Whose::Each; });
    return operand_of(run, each == all.end() ? 0 : std::size_t(each - all.begin()), rank);
}

std::vector<bool> FormulaWork::behind(const LiveData& run) const {
    std::vector<bool> behind(operands_.size(), false);
    for (std::size_t i = 0; i < operands_.size(); ++i) {
        const MetricColumn* of =
            is_over_all(formula_->operands()[i].whose) ? leading(run, operands_[i].metric) : nullptr;
        if (of) {
            const std::int64_t end = settled(run, operands_[i].metric);
            behind[i] = next_of(operands_[i].all, *of) < of->steps().lower_bound(double(end) + 0.5);
        }
    }
    return behind;
}

// Not beyond what the others have: a value that is late would be replaced by the one before it.
std::int64_t FormulaWork::end_of(const LiveData& run, std::size_t rank, const MetricColumn& base,
                                 const std::vector<bool>& behind) const {
    const bool over = run.state.outcome != Outcome::Running;
    std::int64_t end = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < operands_.size(); ++i) {
        const MetricColumn& column = operand_of(run, i, rank);
        const std::int64_t last = column.empty() ? -1 : column.steps().last();
        if (behind[i]) {
            end = std::min(end, last);
        } else if (!over) {
            const bool waits = column.empty() || base.empty();
            end = std::min(end, waits ? last : std::max(last, base.steps().last() - kLag));
        }
    }
    return end;
}

double FormulaWork::value_at(const LiveData& run, std::size_t rank, std::int64_t step) {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
        values_[i] = value_until(operand_of(run, i, rank), step);
    }
    return formula_->compute(values_, double(run.state.ranks.size()));
}

}  // namespace rankscope::gui
