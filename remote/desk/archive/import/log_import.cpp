// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/archive/import/foreign_run.h>
#include <remote/desk/archive/import/log_import.h>
#include <remote/desk/archive/import/rank_numbers.h>
#include <remote/desk/runs/log_rules.h>
#include <remote/desk/runs/reading/log_findings.h>
#include <remote/desk/shared/text.h>
#include <remote/logs/grammar/read_sources.h>
#include <remote/logs/verdicts/diagnosis.h>
#include <remote/observe/metric_lines/line_metrics.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

namespace rankscope::inline archive {
namespace {

constexpr const char* kContext = "RunImport";
constexpr double kMicrosPerSecond = 1e6;

/// Every line once, with its time in µs since 1970 (0: not known).
template <typename Sink>
logs::SourceList each_line(const std::string& path, const logs::ProgressSink& progress,
                           const std::stop_token& stop, const Sink& sink) {
    std::uint32_t source = logs::Remark::kNoSource;
    std::int64_t t_us = 0;
    return logs::read_sources(
        {path}, {},
        [&](const logs::LogLine& line) {
            t_us = line.place.file == source ? t_us : 0;
            source = line.place.file;
            if (std::isfinite(line.time) && !line.time_of_day_only) {
                t_us = static_cast<std::int64_t>(line.time * kMicrosPerSecond);
            }
            sink(line, t_us);
        },
        progress, stop);
}

struct Survey {
    RankNumbers numbers;
    std::int64_t first_us = 0;  ///< 0: no line has a time
    std::uint64_t lines = 0;
};

// Where no line has a time: when a file was written last.
std::int64_t oldest_us(const logs::SourceList& list) {
    std::int64_t oldest = 0;
    for (const auto& source : list.sources) {
        if (source.modified_s > 0) {
            oldest = oldest == 0 ? source.modified_s : std::min(oldest, source.modified_s);
        }
    }
    return oldest > 0 ? oldest * 1'000'000 : now_us();
}

/// Why a file is left out; empty: it is read.
std::string skipped_because(const logs::Remark& remark) {
    using logs::RemarkKind;
    switch (remark.kind) {
        case RemarkKind::NotText:
        case RemarkKind::NotALog:
        case RemarkKind::NotRegular:
            return text(kContext, "no log");
        case RemarkKind::Unreadable:
            return remark.detail;
        case RemarkKind::ArchiveDamaged:
            return text(kContext, "a damaged archive");
        case RemarkKind::ArchiveLocked:
            return text(kContext, "encrypted");
        case RemarkKind::ArchiveDeep:
            return text(kContext, "an archive within too many others");
        default:
            return {};
    }
}

Failure nothing_there(const std::filesystem::path& path, const logs::SourceList& listed) {
    constexpr std::size_t kMostNamed = 4;
    std::string named;
    std::size_t skipped = 0;
    for (const auto& remark : listed.remarks) {
        const std::string why = skipped_because(remark);
        if (why.empty() || ++skipped > kMostNamed) {
            continue;
        }
        const std::string& name =
            remark.source < listed.sources.size() ? listed.sources[remark.source].name : remark.name;
        named += (named.empty() ? "" : ", ") + name + " (" + why + ")";
    }
    Failure failure{
        .code = "bad-file",
        .where = path.string(),
        .what = text(kContext, "There is nothing to import."),
        .remedy = text(kContext, "Name a failure bundle, a folder of TensorBoard event files, or logs.")};
    if (skipped > kMostNamed) {
        failure.what +=
            " " + text(kContext, "Skipped: %1 and %2 more.", {named, std::to_string(skipped - kMostNamed)});
    } else if (skipped > 0) {
        failure.what += " " + text(kContext, "Skipped: %1.", {named});
    }
    return failure;
}

/// The output of one rank, in pieces that the store takes well.
class RankOutput {
public:
    RankOutput(ForeignRun& run, int rank) : run_(run), rank_(rank), metrics_({}, true) {}

    void take(std::string_view text, std::int64_t t_us) {
        constexpr std::size_t kPiece = std::size_t{32} << 10;
        if (!waiting_.empty() && (t_us != waiting_us_ || waiting_.size() >= kPiece)) {
            flush();
        }
        waiting_us_ = t_us;
        waiting_.append(text).push_back('\n');
        add_metrics(metrics_.feed(false, std::string(text) + '\n'), t_us);
    }
    void finish() {
        flush();
        add_metrics(metrics_.finish(), waiting_us_);
    }

private:
    void flush() {
        if (!waiting_.empty()) {
            add(LogEvent{false, std::exchange(waiting_, {}), 0}, waiting_us_);
        }
    }
    void add_metrics(const std::vector<MetricsLine>& lines, std::int64_t t_us) {
        for (const auto& line : lines) {
            MetricEvent metric;
            metric.step = line.step.value_or(-1);
            metric.epoch = line.epoch.value_or(-1);
            metric.values = line.values;
            metric.texts = line.texts;
            add(std::move(metric), t_us);
        }
    }
    void add(EventBody body, std::int64_t t_us) {
        Event event;
        event.rank = rank_;
        event.t_us = t_us;
        event.body = std::move(body);
        run_.add(std::move(event));
    }

    ForeignRun& run_;
    const int rank_;
    metric_lines::LineMetrics metrics_;
    std::string waiting_;
    std::int64_t waiting_us_ = 0;
};

}  // namespace

Result<std::string> import_logs(RunStore& store, const std::filesystem::path& path,
                                const ImportProgress& progress, const std::stop_token& stop) {
    Survey survey;
    const auto progress_of = [&](std::uint64_t before) {
        return [&progress, before](const logs::ReadProgress& at) {
            if (progress) {
                progress(at.done + before * at.total, 2 * at.total);
            }
        };
    };
    const auto listed =
        each_line(path.string(), progress_of(0), stop, [&](const logs::LogLine& line, std::int64_t t_us) {
            ++survey.lines;
            survey.numbers.note(line);
            if (t_us != 0) {
                survey.first_us = survey.first_us == 0 ? t_us : std::min(survey.first_us, t_us);
            }
        });
    survey.numbers.number(listed);
    if (survey.first_us == 0) {
        survey.first_us = oldest_us(listed);
    }
    if (survey.lines == 0 && !stop.stop_requested()) {
        return nothing_there(path, listed);
    }
    auto run = ForeignRun::begin(store, path.filename().string(),
                                 text(kContext, "Imported from %1", {path.string()}), survey.first_us,
                                 survey.numbers.ranks());
    if (!run) {
        return run.failure();
    }
    const logs::RuleSet rules = log_rules();
    logs::Diagnosis diagnosis(rules.rules);
    std::map<int, std::unique_ptr<RankOutput>> outputs;
    std::int64_t last_us = survey.first_us;
    const auto read =
        each_line(path.string(), progress_of(1), stop, [&](logs::LogLine line, std::int64_t t_us) {
            if (line.rank < 0 && line.local_rank >= 0) {
                line.rank = survey.numbers.of(line);
            }
            diagnosis.take(line);
            const int rank = survey.numbers.of(line);
            auto& output = outputs[rank];
            if (!output) {
                output = std::make_unique<RankOutput>(*run, rank);
            }
            last_us = std::max(last_us, t_us);
            output->take(line.text, t_us == 0 ? survey.first_us : t_us);
        });
    for (auto& [rank, output] : outputs) {
        output->finish();
    }
    std::vector<std::string> names;
    for (const auto& source : read.sources) {
        names.push_back(source.name);
    }
    const auto causes = likely_causes(diagnosis.finish(names).verdicts, rules.rules).verdicts;
    for (const auto& cause : causes) {
        Event event;
        event.t_us = last_us;
        event.body = cause;
        run->add(std::move(event));
    }
    if (stop.stop_requested()) {
        return Failure{.code = "cancelled", .what = text(kContext, "Cancelled: the run store is as it was.")};
    }
    return causes.empty()
               ? run->finish(Outcome::Done, text(kContext, "Imported from logs, which show no failure."))
               : run->finish(Outcome::Failed, causes.front().title);
}

}  // namespace rankscope::inline archive
