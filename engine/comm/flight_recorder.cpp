// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/flight_recorder.h>

#include <algorithm>

namespace rankscope::engine {

void GroupRecord::start(CollectiveKind operation, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    state_ = {state_.sequence + 1, operation, bytes, true};
}

void GroupRecord::finish() {
    const std::lock_guard lock(mutex_);
    state_.running = false;
}

GroupState GroupRecord::state() const {
    const std::lock_guard lock(mutex_);
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
