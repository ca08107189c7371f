// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/result.h>
#include <remote/desk/jobs/config/nccl_sources.h>
#include <remote/desk/runs/watch/mesh_record.h>
#include <remote/desk/runs/watch/nccl_counters.h>
#include <remote/desk/runs/watch/rank_directory.h>
#include <remote/diagnosis/rank_snapshot.h>
#include <remote/observe/flight_recorder/flight_dump.h>
#include <remote/observe/nccl_ras/ras_findings.h>
#include <remote/wire/frames.pb.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// What NCCL's RAS service, PyTorch's Flight Recorder and NCCL's profiler show of the collectives of a run, and when the
/// first two are asked: on a stall, and RAS slowly otherwise. Needs neither threads nor nodes; times are those of
/// monotonic_s().
class NcclWatch {
public:
    void set_sources(const NcclSources& sources) { sources_ = sources; }

    /// true: the collectives of a rank have advanced.
    bool observe(const Event& event);
    /// The processes of a look.
    void see(const std::string& node, const std::vector<RankSnapshot>& ranks);

    enum class Asks { Ras, FlightRecorder };
    struct Question {
        Asks asks = Asks::Ras;
        std::string node = {};
        wire::Request request = {};
        double timeout_s = 0;
    };
    /// What is to be asked now. Every question is to be answered by take().
    std::vector<Question> due(double now, bool stalls, const std::string& run_id, const LaunchPlan& plan);
    void take(double now, Asks asks, const std::string& node, const Result<wire::Reply>& reply,
              const LaunchPlan& plan);

    /// To be called once a look.
    std::vector<CollectiveFinding> findings(double now, const LaunchPlan& plan);
    /// The groups that the run has shown so far.
    RunMesh mesh(const LaunchPlan& plan) const { return mesh_of(mesh_, plan); }
    /// See tensor_across_nodes(): once, in the first minutes after communicators were opened.
    std::optional<NoticeEvent> take_crossing(double now, const LaunchPlan& plan);
    /// The run makes progress, or starts again: what was seen is over.
    void end_stall();

private:
    std::optional<Question> ras_question(double now, bool stalls, const std::string& run_id,
                                         const LaunchPlan& plan);
    void take_ras(double now, const wire::RasReply& reply, const LaunchPlan& plan);
    void take_flights(double now, const LaunchPlan& plan);

    NcclSources sources_;
    RankDirectory directory_;
    NcclCounters counters_;
    MeshRecord mesh_;
    bool stalls_ = false;

    bool ras_open_ = false;
    double ras_next_ = 0;
    std::size_t ras_node_ = 0;     ///< of the plan: which is asked
    std::size_t ras_refused_ = 0;  ///< nodes in a row that had no answer
    std::vector<RasFinding> ras_before_;
    std::vector<CollectiveFinding> ras_;

    std::size_t flights_open_ = 0;
    double flights_next_ = 0;
    int flight_rounds_ = 0;  ///< of this stall
    std::map<int, FlightDump> dumps_;
    std::vector<CollectiveFinding> flights_;

    double crossing_next_ = 0;
    int crossing_looks_ = 0;
    bool crossing_told_ = false;
    double counted_at_ = 0;
    std::vector<RasFinding> counters_before_;
    std::vector<CollectiveFinding> counted_;
};

}  // namespace rankscope::inline runs
