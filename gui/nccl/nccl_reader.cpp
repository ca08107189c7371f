// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/nccl_reader.h>
#include <remote/desk/runs/log_rules.h>

#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

// Read once: they are a hundred files. What is wrong in one of them, `rankscopectl rules check` says.
std::shared_ptr<const std::vector<logs::Rule>> usual_rules() {
    static const auto rules = std::make_shared<const std::vector<logs::Rule>>(log_rules().rules);
    return rules;
}

const logs::LineGuide& line_guide() {
    static const logs::LineGuide guide = logs::LineGuide::own();
    return guide;
}

}  // namespace

NcclReader::NcclReader(std::string run_id)
    : rules_(usual_rules()),
      diagnosis_(*rules_),
      output_(std::move(run_id), 0, [this](const logs::LogLine& line) { take(line); }) {}

void NcclReader::take(const Event& event) {
    if (event.seq > 0) {
        std::uint64_t& last = last_seq_[event.node];
        if (event.seq <= last) {
            return;
        }
        last = event.seq;
    }
    output_.take(event);
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

void NcclReader::take(const logs::LogLine& line) {
    news_ = true;
    ++lines_read_;
    // The many lines of Inspector would hide what NCCL prints.
    if (inspector_.take(line.text, line.rank)) {
        report_.reset();
        return;
    }
    if (line.speaker == logs::Speaker::Nccl && links_.take(line.host, line.message)) {
        report_.reset();
    }
    gloo_lines_ += line.speaker == logs::Speaker::Gloo ? 1 : 0;
    if (diagnosis_.take(line) == logs::LineFact::Channel) {
        edge_texts_.add(line.place, line.text);
    }
    if (line.speaker != logs::Speaker::Program) {
        folded_.feed(line);
    }
}

std::shared_ptr<const CollectiveReport> NcclReader::collectives() {
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

std::vector<std::string> NcclReader::sources_or(std::vector<std::string> files) const {
    return output_.sources().empty() ? std::move(files) : output_.sources();
}

std::shared_ptr<NcclSnapshot> NcclReader::make(std::vector<std::string> sources, logs::RunFacts facts) {
    auto snapshot = std::make_shared<NcclSnapshot>();
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

std::shared_ptr<const NcclSnapshot> NcclReader::snapshot(std::vector<std::string> sources) {
    return make(sources_or(std::move(sources)), diagnosis_.facts());
}

std::shared_ptr<const NcclSnapshot> NcclReader::finish(std::vector<std::string> sources,
                                                       std::vector<logs::Remark> remarks) {
    sources = sources_or(std::move(sources));
    auto found = diagnosis_.finish(sources);
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
    return snapshot;
}

}  // namespace rankscope::gui
