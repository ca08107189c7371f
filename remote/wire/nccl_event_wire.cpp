// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/wire/frame_fields.h>
#include <remote/wire/nccl_event_wire.h>

namespace rankscope {
namespace {

static_assert(EnumNames<NcclPhase>::names.size() == wire::NcclPhase_ARRAYSIZE);

void copy_part(const auto& copy, auto& event, FrameOf<wire::NcclCommunicator> auto& frame) {
    RANKSCOPE_FIELDS(id, name, rank, ranks, closed);
}

void copy_part(const auto& copy, auto& event, FrameOf<wire::NcclTotals> auto& frame) {
    RANKSCOPE_FIELDS(communicator, function, datatype, algorithm, protocol, size_class, operations, bytes,
                     seconds, shortest_s, longest_s, network_s, peer_wait_s, gpu_times, untimed);
}

void copy_part(const auto& copy, auto& event, FrameOf<wire::NcclOperation> auto& frame) {
    RANKSCOPE_FIELDS(communicator, sequence, function, datatype, algorithm, protocol, bytes, channels,
                     channels_done, peer_or_root, phase, start_us, seconds, gpu_s, network_s, point_to_point,
                     replayed);
}

void copy_part(const auto& copy, auto& event, FrameOf<wire::NcclProgress> auto& frame) {
    RANKSCOPE_FIELDS(communicator, function, called, enqueued, finished);
}

template <typename Part, typename Frames>
void read_list(std::vector<Part>& parts, const Frames& frames) {
    parts.reserve(static_cast<std::size_t>(frames.size()));
    for (const auto& frame : frames) {
        copy_part(FromFrame(), parts.emplace_back(), frame);
    }
}

template <typename Part, typename Frames>
void write_list(const std::vector<Part>& parts, Frames& frames) {
    for (const auto& part : parts) {
        copy_part(ToFrame(), part, *frames.Add());
    }
}

void copy_part(const auto& copy, auto& event, FrameOf<wire::NcclActivity> auto& frame) {
    RANKSCOPE_FIELDS(seconds, lost, api_version, unavailable);
}

}  // namespace

NcclEvent nccl_from_wire(const wire::NcclActivity& frame) {
    NcclEvent event;
    copy_part(FromFrame(), event, frame);
    read_list(event.communicators, frame.communicators());
    read_list(event.totals, frame.totals());
    read_list(event.operations, frame.operations());
    read_list(event.open, frame.open());
    read_list(event.progress, frame.progress());
    return event;
}

void nccl_to_wire(const NcclEvent& event, wire::NcclActivity& frame) {
    copy_part(ToFrame(), event, frame);
    write_list(event.communicators, *frame.mutable_communicators());
    write_list(event.totals, *frame.mutable_totals());
    write_list(event.operations, *frame.mutable_operations());
    write_list(event.open, *frame.mutable_open());
    write_list(event.progress, *frame.mutable_progress());
}

}  // namespace rankscope
