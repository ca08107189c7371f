// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/collective_kind.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::engine {

/// What a rank is doing in one group, or did last.
struct GroupState {
    std::uint64_t sequence = 0;  ///< counts the group's operations; 0: none yet
    CollectiveKind operation = CollectiveKind::barrier;
    std::uint64_t bytes = 0;
    bool running = false;  ///< else it is finished
    bool operator==(const GroupState&) const = default;
};

/// One group's entry in the recorder. start() and finish() cost some ten nanoseconds. Each operation has the same number
/// on every rank that starts the same operations in the same order.
class GroupRecord {
public:
    GroupRecord(std::string name, std::vector<int> members, std::function<void(const std::string&)> abort)
        : name_(std::move(name)), members_(std::move(members)), abort_(std::move(abort)) {}

    void start(CollectiveKind operation, std::size_t bytes);
    void finish();
    /// An operation that waits in a device's queue: it begins when those before it have ended, and runs until `ended`
    /// says so. `ended` is called under the record's lock, from any thread, and not again once it has said yes.
    void start_queued(CollectiveKind operation, std::size_t bytes, std::function<bool()> ended);

    const std::string& name() const { return name_; }
    const std::vector<int>& members() const { return members_; }
    GroupState state() const;

private:
    friend class FlightRecorder;
    struct Queued {
        CollectiveKind operation = CollectiveKind::step;
        std::uint64_t bytes = 0;
        std::function<bool()> ended;
    };
    void begin(CollectiveKind operation, std::uint64_t bytes) const;
    /// Takes away what has ended.
    void advance() const;

    std::string name_;
    std::vector<int> members_;
    std::function<void(const std::string&)> abort_;
    mutable std::mutex mutex_;
    mutable GroupState state_;
    mutable std::deque<Queued> queued_;  ///< the first one is state_
};

/// Holds every group of this rank: what the watchdog looks at, what the other ranks get, and whom to
/// stop when a rank is lost. (PyTorch calls its own a flight recorder.)
class FlightRecorder {
public:
    /// `abort` must end whatever the group runs; it is called on the watchdog's thread, not after
    /// the record was dropped.
    std::shared_ptr<GroupRecord> add(std::string name, std::vector<int> members,
                                     std::function<void(const std::string&)> abort);
    void drop(const std::shared_ptr<GroupRecord>& record);
    std::vector<std::shared_ptr<GroupRecord>> records() const;
    void abort_all(const std::string& why);

private:
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<GroupRecord>> records_;
    std::string aborted_;
};

}  // namespace rankscope::engine
