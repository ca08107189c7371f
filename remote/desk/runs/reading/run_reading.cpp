// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/log_rules.h>
#include <remote/desk/runs/reading/run_reading.h>

#include <algorithm>
#include <utility>

namespace rankscope::inline runs {

namespace {

const logs::LineGuide& line_guide() {
    static const logs::LineGuide guide = logs::LineGuide::own();
    return guide;
}

std::uint64_t line_ends(const std::string& text) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

std::shared_ptr<const logs::RuleSet> RunReading::usual_rules() {
    static const auto rules = std::make_shared<const logs::RuleSet>(log_rules());
    return rules;
}

RunReading::RunReading(std::string run_id, ReadingDepth depth, std::shared_ptr<const logs::RuleSet> rules)
    : depth_(depth),
      rules_(std::move(rules)),
      output_(std::move(run_id), 0, [this](const logs::LogLine& line) { take(line); }) {
    diagnosis_.emplace(rules_->rules);
}

// What happened in earlier attempts is over, whichever node first reports the new one.
bool RunReading::is_of_earlier_attempt(const Event& event) {
    if (const auto* stage = event.as<StageEvent>(); stage != nullptr && !event.node.empty() &&
                                                    stage->name == StageName::Restart &&
                                                    stage->status == StageStatus::Done) {
        if (++attempts_[event.node] > attempt_) {
            attempt_ = attempts_[event.node];
            diagnosis_.emplace(rules_->rules);
            news_ = true;
        }
    }
    return attempt_ > 0 && attempts_[event.node] < attempt_;
}

void RunReading::take(const Event& event) {
    if (whole_) {
        return;
    }
    const bool earlier = is_of_earlier_attempt(event);
    if (const auto* log = event.as<LogEvent>(); earlier && log != nullptr && event.rank >= 0) {
        output_.skip(event.rank, line_ends(log->text));
        return;
    }
    output_.take(event);
    if (depth_ == ReadingDepth::Causes) {
        return;
    }
    if (const auto* activity = event.as<NcclEvent>()) {
        collectives_.take(event.rank, event.t_us, *activity);
        report_.reset();
        news_ = true;
    }
    if (const auto* verdict = event.as<DiagnosisEvent>();
        verdict != nullptr && verdict->phase == VerdictPhase::End) {
        known_.push_back(*verdict);
        news_ = true;
    }
}

void RunReading::take(const logs::LogLine& line) {
    news_ = true;
    ++lines_read_;
    if (depth_ == ReadingDepth::Causes) {
        diagnosis_->take(line);
        return;
    }
    // The many lines of Inspector would hide what NCCL prints.
    if (inspector_.take(line.text, line.rank)) {
        report_.reset();
        return;
    }
    if (line.speaker == logs::Speaker::Nccl && links_.take(line.host, line.message)) {
        report_.reset();
    }
    gloo_lines_ += line.speaker == logs::Speaker::Gloo ? 1 : 0;
    if (diagnosis_->take(line) == logs::LineFact::Channel) {
        edge_texts_.add(line.place, line.text);
    }
    if (line.speaker != logs::Speaker::Program) {
        folded_.feed(line);
    }
}

void RunReading::skip(int rank, std::uint64_t lines, std::uint64_t bytes) {
    output_.skip(rank, lines);
    output_left_out_ += bytes;
}

LogFindings RunReading::causes() const {
    if (causes_) {
        return *causes_;
    }
    auto found = diagnosis_->so_far(output_.sources()).verdicts;
    for (auto& verdict : found) {
        output_.names().replace_in(verdict);
    }
    return likely_causes(std::move(found), rules_->rules);
}

std::shared_ptr<const CollectiveReport> RunReading::collectives() {
    if (report_ || (collectives_.empty() && inspector_.empty())) {
        return report_;
    }
    // The plugin says more, but where it saw nothing Inspector may have.
    CollectiveReport report = collectives_.report();
    of_lines_ = false;
    if (!report.has_operations() && !inspector_.empty()) {
        report = inspector_.report();
        of_lines_ = true;
    }
    report.link = links_.rate();
    report_ = std::make_shared<const CollectiveReport>(std::move(report));
    return report_;
}

std::vector<std::string> RunReading::sources_or(std::vector<std::string> files) const {
    return output_.sources().empty() ? std::move(files) : output_.sources();
}

std::shared_ptr<ReadingSnapshot> RunReading::make(std::vector<std::string> sources, logs::RunFacts facts) {
    auto snapshot = std::make_shared<ReadingSnapshot>();
    snapshot->sources = std::move(sources);
    snapshot->source_ranks = output_.ranks();
    snapshot->facts = std::move(facts);
    snapshot->edge_texts = edge_texts_.copy();
    snapshot->collectives = collectives();
    snapshot->collectives_of_lines = of_lines_;
    if (folded_.taken() > 0) {
        snapshot->folded = std::make_shared<const logs::FoldedRows>(logs::folded_rows(folded_, line_guide()));
    }
    snapshot->lines_read = lines_read_;
    snapshot->gloo_lines = gloo_lines_;
    snapshot->output_left_out = output_left_out_;
    news_ = false;
    return snapshot;
}

std::shared_ptr<const ReadingSnapshot> RunReading::snapshot(std::vector<std::string> sources) {
    return make(sources_or(std::move(sources)), diagnosis_->facts());
}

std::shared_ptr<const ReadingSnapshot> RunReading::whole(std::vector<std::string> sources,
                                                         std::vector<logs::Remark> remarks) {
    if (whole_) {
        return whole_;
    }
    if (!causes_) {
        causes_.emplace();  // whoever wants them has asked
    }
    sources = sources_or(std::move(sources));
    auto found = diagnosis_->finish(sources);
    auto snapshot = make(std::move(sources), std::move(found.facts));
    logs::add_known(found.verdicts, known_);
    flights_->leave_out_earlier_runs();
    flights_->add_to(found.verdicts);
    snapshot->flights = flights_;
    snapshot->verdicts = std::move(found.verdicts);
    snapshot->timeline = std::move(found.timeline);
    snapshot->clocks = std::move(found.clocks);
    snapshot->remarks = std::move(remarks);
    snapshot->complete = true;
    whole_ = std::move(snapshot);
    return whole_;
}

}  // namespace rankscope::inline runs
