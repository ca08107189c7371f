// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/flight_recorder.h>

#include <algorithm>

namespace rankscope::engine {

void GroupRecord::start(CollectiveKind operation, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    // Its own queue: what lies in the other one keeps its numbers, as on the other ranks.
    advance();
    state_.sequence += queued_.empty() ? 0 : queued_.size() - 1;
    queued_.clear();
    begin(operation, bytes);
}

void GroupRecord::start_queued(CollectiveKind operation, std::size_t bytes, std::function<bool()> ended) {
    const std::lock_guard lock(mutex_);
    advance();
    queued_.push_back({operation, bytes, std::move(ended)});
    if (queued_.size() == 1) {
        begin(operation, bytes);
    }
}

void GroupRecord::begin(CollectiveKind operation, std::uint64_t bytes) const {
    state_ = {state_.sequence + 1, operation, bytes, true};
}

void GroupRecord::advance() const {
    while (!queued_.empty() && queued_.front().ended()) {
        queued_.pop_front();
        state_.running = false;
        if (!queued_.empty()) {
            begin(queued_.front().operation, queued_.front().bytes);
        }
    }
}

void GroupRecord::finish() {
    const std::lock_guard lock(mutex_);
    state_.running = false;
}

GroupState GroupRecord::state() const {
    const std::lock_guard lock(mutex_);
    advance();
    return state_;
}

std::shared_ptr<GroupRecord> FlightRecorder::add(std::string name, std::vector<int> members,
                                                 std::function<void(const std::string&)> abort) {
    auto record = std::make_shared<GroupRecord>(std::move(name), std::move(members), std::move(abort));
    const std::lock_guard lock(mutex_);
    records_.push_back(record);
    if (!aborted_.empty()) {
        record->abort_(aborted_);
    }
    return record;
}

void FlightRecorder::drop(const std::shared_ptr<GroupRecord>& record) {
    const std::lock_guard lock(mutex_);
    std::erase(records_, record);
}

std::vector<std::shared_ptr<GroupRecord>> FlightRecorder::records() const {
    const std::lock_guard lock(mutex_);
    return records_;
}

void FlightRecorder::abort_all(const std::string& why) {
    const std::lock_guard lock(mutex_);
    aborted_ = why;
    for (const auto& record : records_) {
        record->abort_(why);
    }
}

}  // namespace rankscope::engine
