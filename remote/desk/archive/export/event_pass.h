// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/store/run_store.h>

#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::inline archive {

/// Events that were read, of all of them in all passes; on the caller's thread, not more often than every few
/// thousand events.
using ExportProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Reads a stored run's events, as often as an export needs them, with one progress over all passes.
class EventPasses {
public:
    EventPasses(const RunStore& store, std::string run_id, int passes, ExportProgress progress,
                std::stop_token stop);

    /// One pass, without values that a file has replaced. Failures: the store cannot be read, cancelled.
    Result<void> each(const std::function<void(const Event&)>& sink);

private:
    /// From the event with this number on, what a rank had given a name before it is void behind a step.
    struct Void {
        std::uint64_t number = 0;
        std::int64_t after = 0;  ///< the least of this one and all later ones
    };
    Result<void> find_voids();
    bool is_void(std::uint64_t number, int rank, const std::string& name, std::int64_t step) const;
    Result<void> replay(const std::function<void(const Event&)>& sink);

    const RunStore& store_;
    const std::string run_id_;
    const ExportProgress progress_;
    const std::stop_token stop_;
    std::uint64_t total_ = 0;
    std::uint64_t done_ = 0;
    std::map<std::pair<int, std::string>, std::vector<Void>> voids_;
    bool voids_known_ = false;
};

}  // namespace rankscope::inline archive
