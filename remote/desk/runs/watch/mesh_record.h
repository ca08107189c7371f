// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/run_mesh.h>
#include <remote/observe/nccl_activity/collective_report.h>
#include <remote/wire/event.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::inline runs {

/// What a run's events say about its process groups, folded as they come: sizes and groups that rank 0 prints, communicators of
/// NCCL's log lines and of its profiler. A plain value; mesh_of() makes the mesh of it.
class MeshRecord {
public:
    void apply_log(int rank, const LogEvent& log);
    /// From the first step on, output states no sizes any more.
    void apply_metric(int rank, const MetricEvent& metric) {
        trains_ = trains_ || (rank == 0 && metric.step > 0);
    }
    void apply_nccl(int rank, const NcclEvent& nccl);
    /// `size`: ranks of the communicator.
    void add_members(std::uint64_t communicator, int size, const std::vector<int>& ranks);
    /// All ranks start again.
    void restart();

    /// That were seen of all their ranks, by the names of findings ("communicator 0xc0ffee").
    std::vector<ObservedGroup> communicators() const;
    const std::vector<ObservedGroup>& listed() const { return listed_; }
    const std::vector<throughput::StatedSize>& sizes() const { return sizes_; }
    /// Another number after every change of these.
    std::uint64_t revision() const { return revision_; }

private:
    struct Communicator {
        std::string name = {};
        int size = 0;  ///< 0: not known
        std::set<int> ranks = {};
        std::map<std::string, std::uint64_t> called = {};  ///< by function, of the rank with the most
    };

    void read_opening(int rank, std::string_view line);
    void read_statement(std::string_view line);

    std::map<std::uint64_t, Communicator> communicators_;  ///< by the hash, which is commId in the log
    std::vector<ObservedGroup> listed_;
    std::vector<throughput::StatedSize> sizes_;
    std::size_t heard_ = 0;  ///< bytes of rank 0's output
    bool trains_ = false;
    std::uint64_t revision_ = 0;
};

/// With `others` next to its communicators.
RunMesh mesh_of(const MeshRecord& record, const LaunchPlan& plan, std::vector<ObservedGroup> others = {});
/// Names the communicators of the report that have no name and whose ranks are those of a group. The same report: there are none.
std::shared_ptr<const CollectiveReport> with_axes(std::shared_ptr<const CollectiveReport> report,
                                                  const RunMesh& mesh);

}  // namespace rankscope::inline runs
