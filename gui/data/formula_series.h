// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/data/formula.h>
#include <gui/data/formula_work.h>
#include <gui/data/live_model.h>
#include <gui/data/panel_values.h>

#include <QObject>
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

/// The values of a formula over a run: for each rank, or one for a step. Follows the run: what is new is computed at
/// once while it is little, else by a worker, whose values arrive as a whole. Window's thread.
class FormulaSeries : public QObject {
    Q_OBJECT

public:
    FormulaSeries(std::string text, const LiveModel* live, QThreadPool* pool);
    ~FormulaSeries() override;

    /// Takes what the run has by now, or asks a worker for it.
    void update();
    /// A worker computes: values() are those of before.
    bool computing() const { return job_.running(); }
    PanelValues values() const;
    /// Why there is nothing to draw; empty: there is something, or there may be.
    QString problem() const;
    /// Share of the values that are computed.
    double done() const { return done_; }

signals:
    /// A worker has computed what was missing.
    void computed();
    /// done() is another one; a few times a second.
    void progressed();

private:
    /// What a worker hands over: the values that follow those of before, by rank.
    struct Block {
        FormulaWork work;
        std::vector<MetricColumn> columns;
    };
    void restart();
    bool is_of_run() const;
    bool find_metrics();
    void compute_at_once();
    void compute_by_worker();
    void take(std::optional<Block> block);

    std::string text_;
    const LiveModel* live_;
    FormulaError error_;
    std::optional<Formula> formula_;
    BackgroundJob job_;
    std::optional<FormulaWork> work_;  ///< nothing: a metric is unknown, or a worker has it
    double done_ = 1;
    std::vector<MetricSeries> ranks_;
    std::shared_ptr<DataGate> gate_ = std::make_shared<DataGate>();
    std::uint64_t revision_ = 0;
    std::uint64_t generation_ = 0;
    std::uint64_t rewinds_ = 0;
};

}  // namespace rankscope::gui
