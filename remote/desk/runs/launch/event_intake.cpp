// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/session/notices.h>
#include <remote/desk/runs/launch/event_intake.h>
#include <remote/desk/shared/text.h>
#include <remote/wire/event_wire.h>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "EventIntake";

}  // namespace

std::vector<Event> take_in(const wire::EventBatch& batch, const std::string& node, double clock_offset_s,
                           std::uint64_t& next_seq, std::vector<std::string>& missing) {
    const auto offset_us = static_cast<std::int64_t>(clock_offset_s * 1e6);
    std::vector<Event> events;
    events.reserve(static_cast<std::size_t>(batch.events_size()));
    for (const auto& frame : batch.events()) {
        if (frame.seq() < next_seq) {
            continue;
        }
        if (frame.seq() > next_seq) {
            missing.push_back(
                text(kContext,
                     "events %1 to %2 are missing: thinned, or the spool was damaged there (check the disk); "
                     "all others are kept",
                     {std::to_string(next_seq), std::to_string(frame.seq() - 1)}));
        }
        next_seq = frame.seq() + 1;
        Event event = from_wire(frame, node);
        event.t_us -= offset_us;
        describe_notice(event);
        if (auto* exit = std::get_if<ExitEvent>(&event.body); exit != nullptr && exit->failed_us != 0) {
            exit->failed_us -= offset_us;
        }
        if (auto* nccl = std::get_if<NcclEvent>(&event.body)) {
            for (auto* operations : {&nccl->operations, &nccl->open}) {
                for (auto& operation : *operations) {
                    operation.start_us -= operation.start_us != 0 ? offset_us : 0;
                }
            }
        }
        events.push_back(std::move(event));
    }
    return events;
}

}  // namespace rankscope::inline runs
