// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/nccl/nccl_snapshot.h>
#include <remote/desk/runs/store/run_lines.h>
#include <remote/desk/runs/watch/saved_flights.h>
#include <remote/logs/fold/folded_log.h>
#include <remote/logs/rules/rule.h>
#include <remote/logs/verdicts/diagnosis.h>
#include <remote/observe/nccl_activity/collective_stats.h>
#include <remote/observe/nccl_activity/link_lines.h>
#include <remote/observe/nccl_inspector/inspector_intake.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::gui {

/// Lines → snapshots. Knows no window; one thread at a time.
class NcclReader {
public:
    /// Of a run (its events follow), or of files (their lines follow; `run_id` empty).
    explicit NcclReader(std::string run_id = {});

    /// An event that was taken before (same node and number) is ignored: the store and the link may bring it both.
    void take(const Event& event);
    void take(const logs::LogLine& line);
    /// Takes dumps of the Flight Recorder that lie among files.
    logs::WholeSink dumps() { return flights_->sink(); }
    void leave_out(std::uint64_t bytes) { output_left_out_ += bytes; }
    bool has_news() const { return news_; }

    /// What was read so far. `sources`: of files.
    std::shared_ptr<const NcclSnapshot> snapshot(std::vector<std::string> sources = {});
    /// The same with verdicts and timeline: nothing follows.
    std::shared_ptr<const NcclSnapshot> finish(std::vector<std::string> sources = {},
                                               std::vector<logs::Remark> remarks = {});

private:
    std::shared_ptr<const CollectiveReport> collectives();
    std::shared_ptr<NcclSnapshot> make(std::vector<std::string> sources, logs::RunFacts facts);
    std::vector<std::string> sources_or(std::vector<std::string> files) const;

    std::shared_ptr<const std::vector<logs::Rule>> rules_;
    logs::Diagnosis diagnosis_;
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
    std::map<std::string, std::uint64_t> last_seq_;
    std::uint64_t lines_read_ = 0;
    std::uint64_t gloo_lines_ = 0;
    std::uint64_t output_left_out_ = 0;
    bool news_ = false;
};

}  // namespace rankscope::gui
