// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/grammar/line_parser.h>
#include <remote/logs/verdicts/diagnosis.h>
#include <remote/logs/verdicts/judge.h>

#include <algorithm>
#include <string_view>

namespace rankscope::logs {

Diagnosis::Diagnosis(const std::vector<Rule>& rules) : rules_(rules), matcher_(rules) {}

LineFact Diagnosis::take(const LogLine& line) {
    const auto process = story_.take(line);
    const LineFact fact = facts_.feed(line);
    matcher_.take(line, fact, process);
    if (line.speaker == Speaker::Nccl) {
        return fact;  // NCCL's lines begin with a prefix each, and are most of a large log
    }
    if (const auto whole = wrapped_.take(line)) {
        matcher_.take_whole(*whole, wrapped_.first_text(), wrapped_.process());
    }
    if (line.level == LineLevel::Error) {
        wrapped_.keep(line, process);
    }
    return fact;
}

namespace {

DiagnosisResult conclude(const std::vector<Rule>& rules, Matcher& matcher, Story& story, RunFacts facts,
                         const std::vector<std::string>& sources) {
    auto found = matcher.finish();
    DiagnosisResult result;
    result.facts = std::move(facts);
    const HostClocks clocks(result.facts, story);
    result.clocks = clocks;
    auto judgement = judge(rules, found, story, result.facts, clocks, sources);
    result.timeline = timeline_of(rules, found, judgement, story, clocks);
    result.verdicts = std::move(judgement.verdicts);
    return result;
}

}  // namespace

DiagnosisResult Diagnosis::finish(const std::vector<std::string>& sources) {
    return conclude(rules_, matcher_, story_, facts_.take(), sources);
}

DiagnosisResult Diagnosis::so_far(const std::vector<std::string>& sources) const {
    Matcher matcher = matcher_;
    Story story = story_;
    return conclude(rules_, matcher, story, facts_.facts(), sources);
}

void add_known(std::vector<Verdict>& verdicts, const std::vector<Verdict>& known) {
    for (const auto& verdict : known) {
        const auto same = std::find_if(verdicts.begin(), verdicts.end(),
                                       [&](const Verdict& other) { return other.id == verdict.id; });
        if (same == verdicts.end()) {
            verdicts.push_back(verdict);
        } else {
            same->confidence = std::max(same->confidence, verdict.confidence);
        }
    }
    std::stable_sort(verdicts.begin(), verdicts.end(), [](const Verdict& left, const Verdict& right) {
        return left.confidence > right.confidence;
    });
}

DiagnosisResult diagnose_text(const std::vector<Rule>& rules, const std::string& text,
                              const std::string& name) {
    Diagnosis diagnosis(rules);
    LineParser parser;
    parser.begin(name, 0);
    std::uint64_t number = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        const RawLine raw{.place = {.file = 0, .line = ++number},
                          .text = std::string_view(text).substr(at, end - at)};
        diagnosis.take(parser.parse(raw));
        at = end + 1;
    }
    return diagnosis.finish({name});
}

}  // namespace rankscope::logs
