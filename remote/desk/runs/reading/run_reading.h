// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/reading/log_findings.h>
#include <remote/desk/runs/reading/reading_snapshot.h>
#include <remote/desk/runs/store/run_lines.h>
#include <remote/desk/runs/watch/saved_flights.h>
#include <remote/logs/fold/folded_log.h>
#include <remote/logs/rules/rule_set.h>
#include <remote/logs/verdicts/diagnosis.h>
#include <remote/observe/nccl_activity/collective_stats.h>
#include <remote/observe/nccl_activity/link_lines.h>
#include <remote/observe/nccl_inspector/inspector_intake.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// What a reading keeps beyond the causes of a failure.
enum class ReadingDepth { Causes, All };

/// The one reading of a run's lines, or of logs from elsewhere: each line is parsed once, for causes, facts, folded lines
/// and collectives. Of ranks that start again, causes and facts are those of the new attempt. Memory is bounded; one
/// thread at a time.
class RunReading {
public:
    /// Of a run (its events follow), or of files (their lines follow; `run_id` empty).
    explicit RunReading(std::string run_id = {}, ReadingDepth depth = ReadingDepth::All,
                        std::shared_ptr<const logs::RuleSet> rules = usual_rules());

    /// Read once in a program: they are a hundred files. What is wrong in one of them, `rankscopectl rules check` says.
    static std::shared_ptr<const logs::RuleSet> usual_rules();

    void take(const Event& event);
    void take(const logs::LogLine& line);
    /// So many lines of a rank, and so many bytes, came faster than they can be read.
    void skip(int rank, std::uint64_t lines, std::uint64_t bytes);
    /// Lines without an end, as the last ones of their ranks.
    void finish_lines() { output_.finish(); }
    /// What follows is no cause: somebody stops the run.
    void ignore_further() { causes_ = causes(); }

    /// Takes dumps of the Flight Recorder that lie among files.
    logs::WholeSink dumps() { return flights_->sink(); }
    bool has_news() const { return news_; }
    /// Lines that were parsed.
    std::uint64_t lines_read() const { return lines_read_; }

    /// What the lines so far show; more may follow.
    LogFindings causes() const;
    /// What was read so far. `sources`: of files.
    std::shared_ptr<const ReadingSnapshot> snapshot(std::vector<std::string> sources = {});
    /// The same with verdicts and timeline: all of it is read, and what follows is left out.
    std::shared_ptr<const ReadingSnapshot> whole(std::vector<std::string> sources = {},
                                                 std::vector<logs::Remark> remarks = {});

private:
    bool is_of_earlier_attempt(const Event& event);
    std::shared_ptr<const CollectiveReport> collectives();
    std::shared_ptr<ReadingSnapshot> make(std::vector<std::string> sources, logs::RunFacts facts);
    std::vector<std::string> sources_or(std::vector<std::string> files) const;

    const ReadingDepth depth_;
    std::shared_ptr<const logs::RuleSet> rules_;
    std::optional<logs::Diagnosis> diagnosis_;
    std::optional<LogFindings> causes_;    ///< before what is to be ignored
    std::map<std::string, int> attempts_;  ///< of each node
    int attempt_ = 0;
    CollectiveStats collectives_;
    std::shared_ptr<const CollectiveReport>
        report_;             ///< of collectives_ and inspector_ as they are; null: none
    bool of_lines_ = false;  ///< report_ is of inspector_
    InspectorIntake inspector_;
    LinkLines links_;
    EdgeTexts edge_texts_;
    std::shared_ptr<SavedFlights> flights_ = std::make_shared<SavedFlights>();
    logs::FoldedLog folded_;
    RunOutput output_;
    std::vector<Verdict> known_;
    std::shared_ptr<const ReadingSnapshot> whole_;
    std::uint64_t lines_read_ = 0;
    std::uint64_t gloo_lines_ = 0;
    std::uint64_t output_left_out_ = 0;
    bool news_ = false;
};

}  // namespace rankscope::inline runs
