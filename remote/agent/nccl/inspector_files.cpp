// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <remote/agent/nccl/inspector_files.h>
#include <remote/agent/node/isolated_look.h>
#include <remote/observe/nccl_inspector/inspector_lines.h>
#include <remote/wire/nccl_event_wire.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr double kPatience = 5;
constexpr std::size_t kMostFiles = 65'536;    // in the folder
constexpr std::size_t kMostTotals = 512;      // as an event of the plugin has
constexpr std::size_t kMostOperations = 256;  // the newest
constexpr std::size_t kMostCommunicators = 256;

std::string variable(const wire::RankSpec& rank, const char* name) {
    if (const auto own = rank.env().find(name); own != rank.env().end()) {
        return own->second;
    }
    const char* of_node = std::getenv(name);
    return of_node != nullptr ? of_node : "";
}

fs::path workdir_of(const wire::RankSpec& rank) {
    return rank.workdir().empty() ? home_dir() : expand_home(rank.workdir());
}

class Sums {
public:
    void take(const InspectorLine& line) {
        const NcclOperation& operation = line.operation;
        if (communicators_.size() < kMostCommunicators || communicators_.contains(line.communicator.id)) {
            communicators_[line.communicator.id] = line.communicator;
        }
        const int size_class =
            operation.bytes == 0 ? 0 : static_cast<int>(std::bit_width(operation.bytes)) - 1;
        const auto key = std::tuple(operation.communicator, operation.function, size_class);
        auto known = totals_.find(key);
        if (known == totals_.end()) {
            if (totals_.size() >= kMostTotals) {
                ++left_out_;
                return;
            }
            known = totals_.emplace(key, NcclTotals()).first;
            known->second.communicator = operation.communicator;
            known->second.function = operation.function;
            known->second.size_class = size_class;
            known->second.shortest_s = operation.seconds;
        }
        NcclTotals& sum = known->second;
        ++sum.operations;
        sum.bytes += operation.bytes;
        sum.seconds += operation.seconds;
        sum.shortest_s = std::min(sum.shortest_s, operation.seconds);
        sum.longest_s = std::max(sum.longest_s, operation.seconds);
        sum.gpu_times = sum.gpu_times || operation.gpu_s > 0;
        newest_.push_back(operation);
        if (newest_.size() > kMostOperations) {
            newest_.pop_front();
        }
    }

    std::optional<NcclEvent> event() {
        if (totals_.empty()) {
            return std::nullopt;
        }
        NcclEvent event;
        for (auto& [id, communicator] : communicators_) {
            event.communicators.push_back(std::move(communicator));
        }
        for (auto& [key, sum] : totals_) {
            event.totals.push_back(std::move(sum));
        }
        event.operations.assign(newest_.begin(), newest_.end());
        event.lost = left_out_;
        return event;
    }

private:
    std::map<CommunicatorHash, NcclCommunicator> communicators_;
    std::map<std::tuple<CommunicatorHash, std::string, int>, NcclTotals> totals_;
    std::deque<NcclOperation> newest_;
    std::uint64_t left_out_ = 0;
};

void read_end(const fs::path& file, Sums& sums) {
    std::ifstream stream(file, std::ios::binary | std::ios::ate);
    const auto size = static_cast<std::uint64_t>(std::max<std::streamoff>(stream.tellg(), 0));
    const auto skipped = size > kMostInspectorBytes ? size - kMostInspectorBytes : 0;
    stream.seekg(static_cast<std::streamoff>(skipped));
    std::string line;
    if (skipped > 0) {
        std::getline(stream, line);  // the rest of one
    }
    while (std::getline(stream, line)) {
        if (const auto operation = read_inspector_line(line)) {
            sums.take(*operation);
        }
    }
}

}  // namespace

fs::path inspector_folder(const wire::RankSpec& rank) {
    const auto enabled = variable(rank, "NCCL_INSPECTOR_ENABLE");
    if (enabled.empty() || enabled == "0") {
        return {};
    }
    std::string folder = variable(rank, "NCCL_INSPECTOR_DUMP_DIR");
    if (folder.empty()) {
        const auto job = variable(rank, "SLURM_JOBID");
        folder = "nccl-inspector-" + (job.empty() ? "unknown-jobid" : job);
    }
    return workdir_of(rank) / folder;
}

std::optional<NcclEvent> read_inspector_files(const fs::path& folder, pid_t pid) {
    const std::string end = "-pid" + std::to_string(pid) + ".log";
    Sums sums;
    std::size_t seen = 0;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), last; !error && it != last && seen < kMostFiles;
         it.increment(error), ++seen) {
        if (it->path().filename().string().ends_with(end)) {
            read_end(it->path(), sums);
        }
    }
    return sums.event();
}

std::optional<NcclEvent> look_at_inspector_files(const fs::path& folder, pid_t pid) {
    IsolatedLook look(
        [&] {
            wire::NcclActivity frame;
            if (const auto event = read_inspector_files(folder, pid)) {
                nccl_to_wire(*event, frame);
            }
            return frame.SerializeAsString();
        },
        kPatience);
    const auto found = look.wait({});
    wire::NcclActivity frame;
    if (!found || found->empty() || !frame.ParseFromString(*found)) {
        return std::nullopt;
    }
    return nccl_from_wire(frame);
}

}  // namespace rankscope::agent
