// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/formula_series.h>
#include <gui/data/rank_grid.h>
#include <gui/strings.h>

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kLag = 256;  ///< steps; a rank that is further behind holds up no mean

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Formula)
};

std::optional<Whose> over_all(Whose whose) {
    return whose == Whose::Each || whose == Whose::Rank ? std::nullopt : std::optional(whose);
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
    return float(sum / double(values.size()));
}

/// The value at a step, or the last one before it.
double value_at(const MetricColumn& column, std::int64_t step) {
    const std::size_t i = column.steps().lower_bound(double(step) + 0.5);
    return i == 0 ? kNone : double(column.at(i - 1));
}

}  // namespace

std::optional<std::string> formula_of(const std::string& name) {
    return !name.empty() && name.front() == kFormulaSign ? std::optional(name.substr(1)) : std::nullopt;
}

QString formula_error_text(const FormulaError& error) {
    using What = FormulaError::What;
    const QString found = qs(error.found);
    QString text;
    switch (error.what) {
        case What::Empty:
            return Words::tr("Write a formula, such as loss - loss@mean.");
        case What::TooLong:
            return Words::tr("The formula is longer than %1 characters.").arg(Formula::kMostText);
        case What::TooMany:
            return Words::tr("The formula has more than %1 parts.").arg(Formula::kMostParts);
        case What::TooDeep:
            text = Words::tr("More than %1 parentheses are open").arg(Formula::kMostDepth);
            break;
        case What::UnknownSign:
            text = Words::tr("“%1” has no meaning here").arg(found);
            break;
        case What::UnknownWord:
            text = found.isEmpty()
                       ? Words::tr("A word is missing after @: rank0, mean, min, max or median")
                       : Words::tr(
                             "“%1” is unknown; after @: rank0, mean, min, max, median; functions: mean, min, "
                             "max, median, log")
                             .arg(found);
            break;
        case What::NumberMissing:
            text = Words::tr("A number, a metric or a parenthesis is missing");
            break;
        case What::ParenthesisOpen:
            text = Words::tr("This parenthesis is not closed");
            break;
        case What::QuoteOpen:
            text = Words::tr("This quotation mark is not closed");
            break;
        case What::BadNumber:
            text = Words::tr("This is not a number");
            break;
        case What::Arguments:
            text = found == u"log"_s ? Words::tr("“log” takes one value")
                                     : Words::tr("“%1” takes one metric, or two values or more").arg(found);
            break;
        case What::Trailing:
            text = Words::tr("An operator is missing before “%1”").arg(found);
            break;
    }
    return Words::tr("%1 (column %2).").arg(text).arg(error.position + 1);
}

FormulaSeries::FormulaSeries(std::string text, const LiveModel* live)
    : text_(std::move(text)), live_(live), formula_(Formula::parse(text_, &error_)) {
    restart();
}

FormulaSeries::~FormulaSeries() {
    DataGate::Change(*gate_).replace();
}

void FormulaSeries::restart() {
    DataGate::Change change(*gate_);
    change.replace();
    ranks_.clear();
    next_.clear();
    operands_.assign(formula_ ? formula_->operands().size() : 0, {});
    scratch_.assign(operands_.size(), kNone);
    generation_ = live_->gate()->generation();
    rewinds_ = live_->data().rewinds;
    ++revision_;
}

bool FormulaSeries::find_metrics() {
    bool all = true;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
        if (!operands_[i].metric) {
            operands_[i].metric = live_->state().metrics.find(formula_->operands()[i].name);
        }
        all = all && operands_[i].metric.has_value();
    }
    return all;
}

QString FormulaSeries::problem() const {
    if (!formula_) {
        return formula_error_text(error_);
    }
    if (formula_->operands().empty()) {
        return Words::tr("The formula names no metric.");
    }
    for (std::size_t i = 0; i < operands_.size(); ++i) {
        const FormulaOperand& operand = formula_->operands()[i];
        if (!live_->state().metrics.find(operand.name)) {
            return Words::tr("No rank has reported “%1”.").arg(qs(operand.name));
        }
        if (operand.whose == Whose::Rank && operand.rank >= int(live_->data().series.size())) {
            return Words::tr("This run has no rank %1.").arg(operand.rank);
        }
    }
    return {};
}

PanelValues FormulaSeries::values() const {
    return {&ranks_, MetricId{0}, &revision_, gate_, formula_ && formula_->is_single()};
}

std::int64_t FormulaSeries::settled(MetricId metric) const {
    std::int64_t slowest = std::numeric_limits<std::int64_t>::max();
    std::int64_t fastest = -1;
    for (const MetricSeries& rank : live_->data().series) {
        if (const MetricColumn& column = rank.column(metric); !column.empty()) {
            slowest = std::min(slowest, column.steps().last());
            fastest = std::max(fastest, column.steps().last());
        }
    }
    const bool over = live_->state().outcome != Outcome::Running;
    return over ? fastest : std::max(std::min(slowest, fastest), fastest - kLag);
}

std::size_t FormulaSeries::aggregate(std::size_t index, std::size_t most) {
    const FormulaOperand& what = formula_->operands()[index];
    Operand& operand = operands_[index];
    const auto& series = live_->data().series;
    const MetricColumn* leading = nullptr;
    for (const MetricSeries& rank : series) {
        const MetricColumn& column = rank.column(*operand.metric);
        leading = !leading || column.size() > leading->size() ? &column : leading;
    }
    if (!leading || leading->empty()) {
        return 0;
    }
    const std::int64_t end = settled(*operand.metric);
    operand.next =
        leading->steps().lower_bound(operand.all.empty() ? -1e18 : double(operand.all.steps().last()) + 0.5);
    std::size_t used = 0;
    std::vector<float> values;
    for (; operand.next < leading->size() && used < most; ++operand.next) {
        const std::int64_t step = leading->steps().at(operand.next);
        if (step > end) {
            break;
        }
        values.clear();
        for (const MetricSeries& rank : series) {
            const auto value = float(value_at(rank.column(*operand.metric), step));
            if (std::isfinite(value)) {
                values.push_back(value);
            }
        }
        used += series.size();
        operand.all.add(step, values.empty() ? float(kNone) : combined(what.whose, values));
    }
    return used;
}

const MetricColumn* FormulaSeries::base_of(std::size_t rank) const {
    const auto& all = formula_->operands();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].whose == Whose::Each) {
            return &live_->data().series[rank].column(*operands_[i].metric);
        }
    }
    if (over_all(all.front().whose)) {
        return &operands_.front().all;
    }
    return &live_->data().series[std::size_t(all.front().rank)].column(*operands_.front().metric);
}

double FormulaSeries::value_of(std::size_t index, std::size_t rank, std::int64_t step) const {
    const FormulaOperand& what = formula_->operands()[index];
    if (over_all(what.whose)) {
        return value_at(operands_[index].all, step);
    }
    const std::size_t of = what.whose == Whose::Rank ? std::size_t(what.rank) : rank;
    return value_at(live_->data().series[of].column(*operands_[index].metric), step);
}

std::size_t FormulaSeries::compute_rank(std::size_t rank, std::size_t most) {
    const MetricColumn& base = *base_of(rank);
    // Not beyond what the others have: a value that is late would be replaced by the one before it.
    std::int64_t end = std::numeric_limits<std::int64_t>::max();
    const auto& all = formula_->operands();
    const bool over = live_->state().outcome != Outcome::Running;
    for (std::size_t i = 0; i < all.size() && !over; ++i) {
        const MetricColumn& column =
            over_all(all[i].whose)
                ? operands_[i].all
                : live_->data().series[all[i].whose == Whose::Rank ? std::size_t(all[i].rank) : rank].column(
                      *operands_[i].metric);
        end = std::min(end, column.empty() ? -1
                                           : std::max(column.steps().last(),
                                                      base.empty() ? 0 : base.steps().last() - kLag));
    }
    std::size_t used = 0;
    for (std::size_t& next = next_[rank]; next < base.size() && used < most; ++next, ++used) {
        const std::int64_t step = base.steps().at(next);
        if (step > end) {
            break;
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            scratch_[i] = value_of(i, rank, step);
        }
        ranks_[rank].add(MetricId{0}, step,
                         float(formula_->compute(scratch_, double(live_->state().ranks.size()))));
    }
    return used;
}

bool FormulaSeries::update(std::size_t most) {
    if (generation_ != live_->gate()->generation() || rewinds_ != live_->data().rewinds) {
        restart();
    }
    if (!problem().isEmpty() || !find_metrics()) {
        return true;
    }
    const DataGate::Change change(*gate_);
    const std::size_t wanted = formula_->is_single() ? 1 : live_->data().series.size();
    ranks_.resize(std::max(ranks_.size(), wanted));
    next_.resize(ranks_.size(), 0);
    std::size_t left = most;
    for (std::size_t i = 0; i < operands_.size() && left > 0; ++i) {
        if (over_all(formula_->operands()[i].whose)) {
            left -= std::min(left, aggregate(i, left));
        }
    }
    // In turn, so that all ranks advance together.
    const std::size_t share = std::max<std::size_t>(left / ranks_.size(), 16);
    bool more = left == 0;
    bool any = false;
    for (std::size_t rank = 0; rank < ranks_.size() && left > 0; ++rank) {
        const std::size_t used = compute_rank(rank, share);
        more = more || used == share;
        any = any || used > 0;
    }
    revision_ += any ? 1 : 0;
    return !more;
}

double FormulaSeries::done() const {
    if (!formula_ || ranks_.empty() || !problem().isEmpty()) {
        return 1;
    }
    double done = 0;
    double all = 0;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        if (const MetricColumn* base = operands_.front().metric ? base_of(rank) : nullptr) {
            done += double(next_[rank]);
            all += double(base->size());
        }
    }
    return all > 0 ? done / all : 1;
}

}  // namespace rankscope::gui
