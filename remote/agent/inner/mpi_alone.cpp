// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/agent/inner/mpi_alone.h>
#include <remote/agent/probes/proc_folder.h>

#include <algorithm>
#include <array>

namespace rankscope::agent {
namespace {

// Where a launcher of MPI can be reached: PMIx, PMI 1, PMI 2.
constexpr std::array<std::string_view, 4> kReached{"PMIX_NAMESPACE=", "PMI_FD=", "PMI_PORT=", "PMI2_"};

bool has_launcher(std::string_view environment) {
    while (!environment.empty()) {
        const auto end = std::min(environment.find('\0'), environment.size());
        const auto entry = environment.substr(0, end);
        if (std::any_of(kReached.begin(), kReached.end(),
                        [&](std::string_view name) { return entry.starts_with(name); })) {
            return true;
        }
        environment.remove_prefix(std::min(end + 1, environment.size()));
    }
    return false;
}

}  // namespace

bool maps_mpi(std::string_view maps) {
    return maps.find("/libmpi.so") != std::string_view::npos ||
           maps.find("/libmpich.so") != std::string_view::npos ||
           maps.find("/libmpi_abi.so") != std::string_view::npos;
}

bool is_alone_in_mpi(const wire::RankSpec& rank, const std::vector<TreeProcess>& tree) {
    const auto size = rank.env().find("OMPI_COMM_WORLD_SIZE");
    if (size == rank.env().end() || parse_number<int>(size->second).value_or(1) < 2) {
        return false;
    }
    return std::any_of(tree.begin(), tree.end(), [](const TreeProcess& process) {
        return !has_launcher(process.environment) &&
               maps_mpi(ProcFolder("/proc/" + std::to_string(process.pid)).read("maps"));
    });
}

}  // namespace rankscope::agent
