// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/mesh_record.h>
#include <remote/desk/runs/watch/ras_watch.h>
#include <remote/logs/facts/nccl_message.h>
#include <remote/observe/mesh/listed_groups.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr std::size_t kMostHeard = std::size_t{1} << 19;
constexpr std::size_t kMostSizes = 64;
constexpr std::size_t kMostListed = std::size_t{1} << 12;
constexpr std::size_t kMostCommunicators = std::size_t{1} << 14;

/// "0xcfd2979cb3ba7807".
std::optional<std::uint64_t> hash_of(std::string_view id) {
    std::uint64_t hash = 0;
    id.remove_prefix(id.starts_with("0x") ? 2 : 0);
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), hash, 16);
    return error == std::errc() && end == id.data() + id.size() ? std::optional(hash) : std::nullopt;
}

}  // namespace

void MeshRecord::apply_log(int rank, const LogEvent& log) {
    // All ranks open communicators; of a pipe that several share, nothing says which of them has.
    constexpr std::string_view kOpened = " commId ";
    const bool opens = rank >= 0 && !log.shared && log.text.find(kOpened) != std::string::npos;
    const bool states = rank == 0 && !trains_ && heard_ <= kMostHeard;
    heard_ += states ? log.text.size() : 0;
    std::string_view rest = opens || states ? std::string_view(log.text) : std::string_view();
    while (!rest.empty()) {
        const auto end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        if (opens && line.find(kOpened) != std::string_view::npos) {
            read_opening(rank, line);
        } else if (states) {
            read_statement(line);
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

void MeshRecord::read_opening(int rank, std::string_view line) {
    constexpr std::string_view kPrefix = "NCCL INFO ";
    const std::size_t at = line.find(kPrefix);
    const auto found =
        at == std::string_view::npos ? std::nullopt : logs::comm_line(line.substr(at + kPrefix.size()));
    const auto hash = found ? hash_of(found->id) : std::nullopt;
    if (hash && found->nranks > 0 &&
        (found->event == logs::CommEvent::InitStart || found->event == logs::CommEvent::InitComplete)) {
        add_members(*hash, found->nranks, {rank});
    }
}

void MeshRecord::read_statement(std::string_view line) {
    // Of a DeviceMesh, which may be a part of another, only the whole counts.
    const bool mesh = line.find("DeviceMesh(") != std::string_view::npos;
    for (throughput::StatedSize& size :
         mesh ? std::vector<throughput::StatedSize>() : throughput::sizes_of_line(line)) {
        if (is_axis(size) && sizes_.size() < kMostSizes &&
            std::find(sizes_.begin(), sizes_.end(), size) == sizes_.end()) {
            sizes_.push_back(std::move(size));
            ++revision_;
        }
    }
    std::vector<ObservedGroup> groups =
        listed_.size() < kMostListed ? groups_of_line(line) : std::vector<ObservedGroup>();
    std::set<std::pair<std::string, std::vector<int>>> known;
    for (std::size_t i = 0; !groups.empty() && i < listed_.size(); ++i) {
        known.emplace(listed_[i].description, listed_[i].ranks);
    }
    for (ObservedGroup& group : groups) {
        if (listed_.size() < kMostListed && known.emplace(group.description, group.ranks).second) {
            listed_.push_back(std::move(group));
            ++revision_;
        }
    }
}

void MeshRecord::apply_nccl(int rank, const NcclEvent& nccl) {
    for (const NcclCommunicator& one : nccl.communicators) {
        if (one.closed) {
            const auto known = communicators_.find(one.id.value);
            revision_ += known != communicators_.end() && known->second.ranks.erase(rank) > 0 ? 1U : 0U;
            continue;
        }
        add_members(one.id.value, one.ranks, {rank});
        if (const auto known = communicators_.find(one.id.value); known != communicators_.end()) {
            known->second.name = one.name;
        }
    }
    for (const NcclProgress& progress : nccl.progress) {
        const auto known = communicators_.find(progress.communicator.value);
        if (known == communicators_.end()) {
            continue;
        }
        std::uint64_t& called = known->second.called[progress.function];
        // Only the order of magnitude may change a purpose.
        revision_ += std::bit_width(progress.called) > std::bit_width(called) ? 1U : 0U;
        called = std::max(called, progress.called);
    }
}

void MeshRecord::add_members(std::uint64_t communicator, int size, const std::vector<int>& ranks) {
    if (communicators_.size() >= kMostCommunicators && !communicators_.contains(communicator)) {
        return;
    }
    Communicator& known = communicators_[communicator];
    known.size = size;
    for (const int rank : ranks) {
        revision_ += known.ranks.insert(rank).second ? 1U : 0U;
    }
}

void MeshRecord::restart() {
    communicators_.clear();
    listed_.clear();
    sizes_.clear();
    heard_ = 0;
    trains_ = false;
    ++revision_;
}

std::vector<ObservedGroup> MeshRecord::communicators() const {
    std::vector<ObservedGroup> groups;
    for (const auto& [hash, communicator] : communicators_) {
        if (communicator.ranks.empty() ||
            (communicator.size > 0 && static_cast<int>(communicator.ranks.size()) != communicator.size)) {
            continue;
        }
        ObservedGroup& group = groups.emplace_back();
        group.name = communicator_name(hash);
        group.description = communicator.name;
        group.ranks.assign(communicator.ranks.begin(), communicator.ranks.end());
        for (const auto& [function, times] : communicator.called) {
            group.traffic.add(function, times);
        }
    }
    return groups;
}

std::shared_ptr<const CollectiveReport> with_axes(std::shared_ptr<const CollectiveReport> report,
                                                  const RunMesh& mesh) {
    std::map<std::vector<int>, std::size_t> groups;
    for (std::size_t i = 0; !mesh.empty() && i < mesh.groups.size(); ++i) {
        if (!mesh.mesh.places[i].axis.empty()) {
            groups.emplace(mesh.groups[i].ranks, i);
        }
    }
    const auto unnamed = [&](const ReportCommunicator& one) {
        return one.axis.empty() && groups.contains(one.members);
    };
    if (!report || std::none_of(report->communicators.begin(), report->communicators.end(), unnamed)) {
        return report;
    }
    auto named = std::make_shared<CollectiveReport>(*report);
    for (ReportCommunicator& one : named->communicators) {
        if (unnamed(one)) {
            const GroupPlace& place = mesh.mesh.places[groups.at(one.members)];
            one.axis = place.axis;
            one.number = place.number;
        }
    }
    return named;
}

RunMesh mesh_of(const MeshRecord& record, const LaunchPlan& plan, std::vector<ObservedGroup> others) {
    SeenGroups seen{.listed = record.listed(), .sizes = record.sizes(), .opened = record.communicators()};
    std::move(others.begin(), others.end(), std::back_inserter(seen.opened));
    return mesh_of(plan, std::move(seen));
}

}  // namespace rankscope::inline runs
