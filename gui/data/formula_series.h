// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/formula.h>
#include <gui/data/live_model.h>
#include <gui/data/panel_values.h>

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::gui {

/// A formula in the list of shown metrics begins with this sign.
inline constexpr char kFormulaSign = '=';
/// What the user wrote: "loss - loss@mean" of "=loss - loss@mean"; nothing for a metric's name.
std::optional<std::string> formula_of(const std::string& name);

/// One sentence about an error: what and at which column.
QString formula_error_text(const FormulaError& error);

/// The values of a formula over a run: for each rank, or one for a step. Follows the run: each update() computes what
/// is new, some thousand values at a time. Where a metric of the formula has no value at a step, its last one counts.
class FormulaSeries {
public:
    FormulaSeries(std::string text, const LiveModel* live);
    ~FormulaSeries();
    FormulaSeries(const FormulaSeries&) = delete;
    FormulaSeries& operator=(const FormulaSeries&) = delete;

    /// Computes at most about `most` values; true: there is no more for now.
    bool update(std::size_t most);
    PanelValues values() const;
    /// Why there is nothing to draw; empty: there is something, or there may be.
    QString problem() const;
    /// Share of the steps that are computed.
    double done() const;

private:
    struct Operand {
        std::optional<MetricId> metric;
        MetricColumn all;      ///< over all ranks, of Mean, Min, Max, Median
        std::size_t next = 0;  ///< step of the leading rank that is aggregated next
    };
    void restart();
    bool find_metrics();
    std::size_t aggregate(std::size_t index, std::size_t most);
    std::int64_t settled(MetricId metric) const;
    std::size_t compute_rank(std::size_t rank, std::size_t most);
    const MetricColumn* base_of(std::size_t rank) const;
    double value_of(std::size_t index, std::size_t rank, std::int64_t step) const;

    std::string text_;
    const LiveModel* live_;
    FormulaError error_;
    std::optional<Formula> formula_;
    std::vector<Operand> operands_;
    std::vector<MetricSeries> ranks_;
    std::vector<std::size_t> next_;  ///< by rank: index in its base column
    std::shared_ptr<DataGate> gate_ = std::make_shared<DataGate>();
    std::uint64_t revision_ = 0;
    std::uint64_t generation_ = 0;
    std::uint64_t rewinds_ = 0;
    std::vector<double> scratch_;
};

}  // namespace rankscope::gui
