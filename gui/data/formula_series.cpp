// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/formula_series.h>
#include <gui/strings.h>

#include <QCoreApplication>
#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr MetricId kOnly{0};             ///< the one metric of the values
constexpr std::size_t kAtOnce = 20'000;  ///< values that the window's thread computes: a few milliseconds
constexpr std::size_t kSlice = 10'000;   ///< values for which a worker holds the gate: about a millisecond
constexpr std::size_t kBlock = 200'000;  ///< values that are taken one by one at a time
constexpr auto kProgress = std::chrono::milliseconds(200);

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Formula)
};

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
            text = Words::tr("“%1” is not allowed here").arg(found);
            break;
        case What::UnknownWord:
            text = found.isEmpty()
                       ? Words::tr("A word is missing after @: rank0, mean, min, max, median or sum")
                       : Words::tr(
                             "“%1” is unknown; after @: rank0, mean, min, max, median, sum; functions: mean, "
                             "min, max, median, sum, log")
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

FormulaSeries::FormulaSeries(std::string text, const LiveModel* live, QThreadPool* pool)
    : text_(std::move(text)), live_(live), formula_(Formula::parse(text_, &error_)), job_(this, pool) {
    restart();
}

FormulaSeries::~FormulaSeries() {
    job_.cancel();
    DataGate::Change(*gate_).replace();
}

void FormulaSeries::restart() {
    job_.cancel();
    DataGate::Change change(*gate_);
    change.replace();
    ranks_.clear();
    work_.reset();
    done_ = 1;
    generation_ = live_->gate()->generation();
    rewinds_ = live_->data().rewinds;
    ++revision_;
}

bool FormulaSeries::is_of_run() const {
    return generation_ == live_->gate()->generation() && rewinds_ == live_->data().rewinds;
}

bool FormulaSeries::find_metrics() {
    if (work_) {
        return true;
    }
    std::vector<MetricId> metrics;
    for (const FormulaOperand& operand : formula_->operands()) {
        const auto metric = live_->state().metrics.find(operand.name);
        if (!metric) {
            return false;
        }
        metrics.push_back(*metric);
    }
    work_.emplace(*formula_, std::move(metrics));
    return true;
}

QString FormulaSeries::problem() const {
    if (!formula_) {
        return formula_error_text(error_);
    }
    if (formula_->operands().empty()) {
        return Words::tr("The formula names no metric.");
    }
    for (const FormulaOperand& operand : formula_->operands()) {
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
    return {&ranks_, kOnly, &revision_, gate_, formula_ && formula_->is_single()};
}

void FormulaSeries::update() {
    if (!is_of_run()) {
        restart();
    }
    if (computing() || !problem().isEmpty() || !find_metrics()) {
        return;
    }
    if (const std::size_t left = work_->left(live_->data()); left <= kAtOnce) {
        compute_at_once();
    } else {
        compute_by_worker();
    }
}

void FormulaSeries::compute_at_once() {
    const DataGate::Change change(*gate_);
    bool any = false;
    const std::size_t wanted = formula_->is_single() ? 1 : live_->data().series.size();
    ranks_.resize(std::max(ranks_.size(), wanted));
    work_->begin_pass();
    work_->compute(live_->data(), std::numeric_limits<std::size_t>::max(),
                   [&](std::size_t rank, std::int64_t step, float value) {
                       ranks_[rank].add(kOnly, step, value);
                       any = true;
                   });
    done_ = 1;
    revision_ += any ? 1 : 0;
}

void FormulaSeries::compute_by_worker() {
    const LiveData* run = &live_->data();
    const std::shared_ptr<DataGate> gate = live_->gate();
    const std::uint64_t generation = generation_;
    // Values behind others are taken one by one, so that there must be few of them.
    const bool first = std::all_of(ranks_.begin(), ranks_.end(),
                                   [](const MetricSeries& rank) { return rank.column(kOnly).empty(); });
    const std::size_t most = first ? std::numeric_limits<std::size_t>::max() : kBlock;
    done_ = 0;
    auto begin = std::make_shared<FormulaWork>(std::move(*work_));
    work_.reset();
    job_.start(
        [this, run, gate, generation, most, begin](const JobHandle& job) -> std::optional<Block> {
            Block block{std::move(*begin), {}};
            std::size_t count = 0;
            auto shown = std::chrono::steady_clock::now();
            const auto add = [&](std::size_t rank, std::int64_t step, float value) {
                if (rank >= block.columns.size()) {
                    block.columns.resize(rank + 1);
                }
                block.columns[rank].add(step, value);
                ++count;
            };
            std::size_t left = 0;
            std::size_t before = 0;
            do {  // what came meanwhile, too, until it is little
                before = count;
                block.work.begin_pass();
                for (bool complete = false; !complete && count < most;) {
                    const bool there = !job.cancelled() && gate->read(generation, [&] {
                        complete = block.work.compute(*run, kSlice, add);
                    });
                    if (!there) {
                        return {};
                    }
                    if (const auto now = std::chrono::steady_clock::now(); now - shown > kProgress) {
                        shown = now;
                        FormulaWork::Progress progress;
                        gate->read(generation, [&] { progress = block.work.progress(*run); });
                        job.post([this, progress] {
                            done_ = progress.all > 0 ? progress.done / progress.all : 0;
                            emit progressed();
                        });
                    }
                }
                if (!gate->read(generation, [&] { left = block.work.left(*run); })) {
                    return {};
                }
            } while (left > kAtOnce / 2 && count < most && count > before);
            return block;
        },
        [this](std::optional<Block> block) { take(std::move(block)); });
}

void FormulaSeries::take(std::optional<Block> block) {
    if (!block || !is_of_run()) {
        restart();
        emit computed();
        return;
    }
    {
        const DataGate::Change change(*gate_);
        ranks_.resize(std::max(ranks_.size(), block->columns.size()));
        for (std::size_t rank = 0; rank < block->columns.size(); ++rank) {
            ranks_[rank].append(kOnly, std::move(block->columns[rank]));
        }
        work_ = std::move(block->work);
        done_ = 1;
        ++revision_;
    }
    emit computed();
}

}  // namespace rankscope::gui
