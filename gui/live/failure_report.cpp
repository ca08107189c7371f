// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/failure_report.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/runs/run/fault_marks.h>
#include <remote/desk/runs/verdict_words.h>

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <optional>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(FailureBanner)
};

/// The rank in the name of a log file ("rank3.log", "logs/rank-3/nccl.txt"); -1: none.
int rank_of_file(const std::string& file) {
    static const QRegularExpression kRank(u"(?<![A-Za-z])rank[-_.]?([0-9]{1,7})(?![0-9])"_s,
                                          QRegularExpression::CaseInsensitiveOption);
    QRegularExpressionMatch last;
    for (auto matches = kRank.globalMatch(qs(file)); matches.hasNext();) {
        last = matches.next();
    }
    return last.hasMatch() ? last.captured(1).toInt() : -1;
}

/// Adds a paragraph that says something new: the stage, the end and the diagnosis often bring the same sentence.
void add_text(QString& text, const QString& paragraph) {
    const QString added = paragraph.trimmed();
    if (added.isEmpty() || text.contains(added)) {
        return;
    }
    QStringList kept;
    for (const QString& line : text.split(u'\n', Qt::SkipEmptyParts)) {
        if (!added.contains(line)) {
            kept += line;
        }
    }
    kept += added;
    text = kept.join(u'\n');
}

/// "node1: Port 29500 is held…" without the node in front, when the title or another sentence names it.
QString without_node(const QString& text, const LaunchPlan& plan) {
    for (const NodePlan& node : plan.nodes) {
        const QString prefix = qs(node.node) % u": "_s;
        if (text.startsWith(prefix)) {
            return text.mid(prefix.size());
        }
    }
    return text;
}

/// What is to be done and cannot be applied from here: a line of its own for each.
QStringList remedies(const Verdict& verdict) {
    QStringList lines;
    for (const std::string& line : verdict.fix) {
        const bool has_row = std::any_of(verdict.fixes.begin(), verdict.fixes.end(), [&](const Fix& fix) {
            return line == fix.command || line == to_line(fix);
        });
        if (!has_row && !line.empty()) {
            lines += qs(line);
        }
    }
    return lines;
}

/// The text without the sentence that a title says already.
QString without_sentence(QString text, const QString& sentence) {
    return text.remove(sentence).trimmed();
}

std::vector<ReportLine> evidence_lines(const Verdict& verdict) {
    std::vector<ReportLine> lines;
    for (const Evidence& evidence : verdict.evidence) {
        QString shown = qs(displayable(evidence.text, LogStore::kMaxLineBytes));
        int rank = verdict.rank;
        if (!evidence.file.empty()) {
            const QString place = evidence.line > 0
                                      ? QString(qs(evidence.file) % u':' % QString::number(evidence.line))
                                      : qs(evidence.file);
            shown = place % u": "_s % shown;
            const int named = rank_of_file(evidence.file);
            rank = named >= 0 ? named : rank;
        }
        lines.push_back({shown, evidence.text, evidence.line, rank, evidence.file});
    }
    return lines;
}

/// "Rank 5 on node2 · 31 ranks wait: 0–4, 6–31 · since 14:02:10".
QString who_text(const Verdict& verdict, std::int64_t now_us) {
    QStringList parts;
    const QString node = qs(verdict.node);
    if (verdict.rank >= 0) {
        parts += node.isEmpty() ? Words::tr("Rank %1").arg(verdict.rank)
                                : Words::tr("Rank %1 on %2").arg(verdict.rank).arg(node);
    } else if (!node.isEmpty()) {
        parts += node;
    }
    if (!verdict.waiting.empty()) {
        parts +=
            verdict.waiting.size() == 1
                ? Words::tr("rank %1 waits").arg(verdict.waiting.front())
                : Words::tr("%1 ranks wait: %2").arg(verdict.waiting.size()).arg(ranks_text(verdict.waiting));
    }
    if (verdict.since_us > 0) {
        parts += now_us > 0 ? qs(age_text(verdict, now_us))
                            : Words::tr("since %1").arg(qs(time_of_day(verdict.since_us)));
    }
    if (verdict.confidence < kSureVerdict) {
        parts += Words::tr("confidence %1")
                     .arg(percent_text(verdict.confidence, 0).replace(u' ', QChar(QChar::Nbsp)));
    }
    return parts.join(u" · "_s);
}

/// A rank has failed, and the others are still ending: how it ended is known already.
void add_failing(const RunState& state, FailureReport& report) {
    const FaultMarks marks = fault_marks(state);
    const int rank = marks.culprits.size() == 1 ? marks.culprits.front() : -1;
    const std::optional<ExitEvent> exit = rank >= 0 && std::size_t(rank) < state.ranks.size()
                                              ? state.ranks[std::size_t(rank)].exit
                                              : std::nullopt;
    if (!exit || exit->requested || (exit->code == 0 && exit->signal == 0)) {
        return;
    }
    report.kind = ReportKind::Live;
    report.key = "failing";
    report.rank = rank;
    report.node = state.ranks[std::size_t(rank)].node;
    report.title = culprit_text({rank, report.node, exit->code, exit->signal, exit->reason, {}, {}});
    report.text = qs(exit->reason);
}

void add_live(const LiveData& run, std::int64_t now_us, FailureReport& report) {
    add_failing(run.state, report);
    const LiveVerdicts::Entry* entry = run.verdicts.shown(now_us);
    if (entry == nullptr || !report.title.isEmpty()) {
        return;
    }
    const Verdict& verdict = entry->verdict;
    const bool over = entry->over_us != 0;
    report.kind = over ? ReportKind::Over : holds_the_run(verdict) ? ReportKind::Live : ReportKind::Slow;
    report.key = verdict.id.str() + ' ' + verdict.node + ' ' + std::to_string(verdict.rank);
    report.title = qs(over ? over_sentence(verdict, entry->over_us) : said(verdict));
    report.rank = verdict.rank;
    report.node = verdict.node;
    if (over) {
        return;
    }
    report.text = who_text(verdict, now_us);
    report.lines = evidence_lines(verdict);
    report.remedy = remedies(verdict).join(u'\n');
    report.fixes = verdict.fixes;
    report.pairs = verdict.pairs;
    for (const Verdict* other : run.verdicts.holding()) {
        if (other != &verdict) {
            add_text(report.text, Words::tr("Also: %1").arg(qs(said(*other))));
        }
    }
}

/// Lines of the logs that show the cause, in front of the last lines of the rank that failed; each once.
void add_lines_with_places(std::vector<ReportLine> shown, FailureReport& report) {
    std::vector<ReportLine>& lines = report.lines;
    std::erase_if(shown, [](const ReportLine& line) { return line.line == 0; });
    report.last_lines = report.last_lines && shown.empty();
    std::erase_if(lines, [&](const ReportLine& last) {
        return std::any_of(shown.begin(), shown.end(), [&](const ReportLine& line) {
            return line.raw == last.raw && line.rank == last.rank;
        });
    });
    lines.insert(lines.begin(), shown.begin(), shown.end());
}

void add_diagnoses(const LiveData& run, FailureReport& report) {
    QStringList fixes;
    for (const DiagnosisEvent& diagnosis : run.diagnoses) {
        if (const QString title = qs(said(diagnosis)); title != report.title) {
            add_text(report.text, title);
        }
        if (diagnosis.id == "port-in-use") {
            report.busy_port = run.state.plan.master_port;
            report.port_node = run.state.plan.master_node;
        }
        for (const QString& fix : remedies(diagnosis)) {
            if (!report.text.contains(fix)) {
                fixes += fix;
            }
        }
        for (const Fix& fix : diagnosis.fixes) {
            if (std::find(report.fixes.begin(), report.fixes.end(), fix) == report.fixes.end()) {
                report.fixes.push_back(fix);
            }
        }
        if (report.pairs.empty()) {
            report.pairs = diagnosis.pairs;
        }
        if (report.rank < 0 && report.node.empty()) {
            report.rank = diagnosis.rank;
            report.node = diagnosis.node;
        }
        if (report.lines.empty()) {
            report.lines = evidence_lines(diagnosis);
        } else if (&diagnosis == &run.diagnoses.front()) {
            add_lines_with_places(evidence_lines(diagnosis), report);
        }
    }
    if (!fixes.isEmpty()) {
        report.remedy = fixes.join(u'\n');
    }
}

/// "… Open it on node1. [SYN sent, no answer]" without the bracket: the lines of evidence are below.
QString without_evidence(QString sentence, const std::vector<DiagnosisEvent>& diagnoses) {
    for (const DiagnosisEvent& diagnosis : diagnoses) {
        QStringList lines;
        for (const Evidence& evidence : diagnosis.evidence) {
            lines += qs(evidence.text);
        }
        sentence.remove(QString(u" ["_s % lines.join(u'\n') % u']'));
    }
    return sentence;
}

/// What a failed start says: its own diagnosis as the title where there is one, else the stage.
void describe_failed_start(const LiveData& run, const StageState& stage, FailureReport& report) {
    report.title = run.diagnoses.empty()
                       ? Words::tr("The run could not start: stage %1 failed").arg(stage_text(stage.name))
                       : qs(said(run.diagnoses.front()));
    const QString detail = qs(stage.detail);
    const QString end = run.state.end ? qs(run.state.end->detail) : QString();
    for (const QString& said_text : {detail, end}) {
        const QString sentence = without_evidence(said_text, run.diagnoses);
        const QString bare = without_node(sentence, run.state.plan);
        const bool known = !bare.isEmpty() && (report.title.contains(bare) || report.text.contains(bare));
        if (!known) {
            // What follows the title's own sentence is news, the sentence itself is not.
            QString rest = bare;
            rest.remove(report.title);
            add_text(report.text, rest == bare ? sentence : rest);
        }
    }
}

}  // namespace

QString FailureReport::lines_text() const {
    QStringList all;
    for (const ReportLine& line : lines) {
        all += line.text;
    }
    return all.join(u'\n');
}

QString FailureReport::whole() const {
    QStringList parts{title};
    for (const QString& part : {text, lines_text(), remedy}) {
        if (!part.isEmpty()) {
            parts += part;
        }
    }
    for (const Fix& fix : fixes) {
        parts += qs(to_line(fix));
    }
    return parts.join(u'\n');
}

FailureReport failure_report(const LiveData& run, std::int64_t now_us) {
    const RunState& state = run.state;
    FailureReport report;
    std::vector<StageState> stages = state.stages;
    if (state.queue) {
        stages.push_back(*state.queue);
    }
    const auto failed =
        std::find_if(stages.begin(), stages.end(), [](const StageState& stage) { return stage.failed; });
    const bool bad_end =
        state.end && (state.end->outcome == Outcome::Failed || state.end->outcome == Outcome::Lost);
    if (state.end && state.end->has_culprit && bad_end) {
        const Culprit& culprit = state.end->culprit;
        // How it ended, where that is known; else what is known of it: stopped, missed by others, hung.
        const bool own_end = culprit.signal > 0 || culprit.code > 0 || state.end->detail.empty();
        const std::string first = first_sentence(state.end->detail);
        report.title = own_end ? culprit_text(culprit) : qs(first);
        report.rank = culprit.rank;
        report.text = without_sentence(qs(culprit.reason), report.title);
        const QString detail = qs(state.end->detail);
        if (own_end && !detail.contains(report.title) && !detail.contains(report.text)) {
            report.text += (report.text.isEmpty() ? QString() : u"\n"_s) + detail;
        } else if (!own_end) {
            add_text(report.text, qs(state.end->detail.substr(first.size())));
        }
        for (const std::string& line : culprit.last_lines) {
            report.lines.push_back(
                {qs(displayable(line, LogStore::kMaxLineBytes)), line, 0, culprit.rank, {}});
        }
        report.last_lines = !report.lines.empty();
        if (failed != stages.end() && !failed->detail.empty() && report.text.isEmpty()) {
            report.text = qs(failed->detail);
        }
    } else if (failed != stages.end()) {
        describe_failed_start(run, *failed, report);
        report.inspected = failed->name == StageName::Preflight;
    } else if (bad_end) {
        // The cause, in the words of its first sentence.
        const std::string first = first_sentence(state.end->detail);
        report.title = !first.empty()                        ? qs(first)
                       : state.end->outcome == Outcome::Lost ? Words::tr("The run was lost")
                                                             : Words::tr("The run failed");
        add_text(report.text, qs(state.end->detail.substr(first.size())));
        report.node = state.end->lost_node;
    }
    if (!report.title.isEmpty()) {
        report.key = "end";
        add_diagnoses(run, report);
    } else if (!state.end) {
        add_live(run, now_us, report);
    }
    return report;
}

FailureReport report_of(const Verdict& verdict) {
    FailureReport report;
    report.kind = ReportKind::Live;
    report.key = verdict.id.str();
    report.title = qs(said(verdict));
    report.rank = verdict.rank;
    report.node = verdict.node;
    report.text = who_text(verdict, 0);
    report.lines = evidence_lines(verdict);
    report.remedy = remedies(verdict).join(u'\n');
    report.fixes = verdict.fixes;
    return report;
}

}  // namespace rankscope::gui
