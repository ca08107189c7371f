// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/wire/nccl_event_wire.h>

#include <type_traits>

namespace rankscope {
namespace {

static_assert(EnumNames<NcclPhase>::names.size() == wire::NcclPhase_ARRAYSIZE);

// Fields of an event's part and of its frame, paired once for both directions.
#define RANKSCOPE_FIELD(name)                                             \
    copy(                                                                 \
        part.name, [&frame]() -> decltype(auto) { return frame.name(); }, \
        [&frame](const auto& value) { frame.set_##name(value); })

struct NcclFromFrame {
    template <typename T, typename Get, typename Set>
    void operator()(T& field, Get get, Set) const {
        field = get();
    }
    template <typename Get, typename Set>
    void operator()(CommunicatorHash& field, Get get, Set) const {
        field.value = get();
    }
    template <typename Get, typename Set>
    void operator()(NcclPhase& field, Get get, Set) const {
        field = enum_from_number<NcclPhase>(static_cast<int>(get())).value_or(NcclPhase::Abandoned);
    }
};

struct NcclToFrame {
    template <typename Get, typename Set>
    void operator()(CommunicatorHash field, Get, Set set) const {
        set(field.value);
    }

    template <typename T, typename Get, typename Set>
    void operator()(const T& field, Get, Set set) const {
        set(field);
    }
    template <typename Get, typename Set>
    void operator()(NcclPhase field, Get, Set set) const {
        set(static_cast<wire::NcclPhase>(field));
    }
};

template <typename Copy, typename Frame>
void copy_part(const Copy& copy, auto& part,
               Frame& frame) requires std::is_same_v<std::remove_const_t<Frame>, wire::NcclCommunicator> {
    RANKSCOPE_FIELD(id);
    RANKSCOPE_FIELD(name);
    RANKSCOPE_FIELD(rank);
    RANKSCOPE_FIELD(ranks);
    RANKSCOPE_FIELD(closed);
}

template <typename Copy, typename Frame>
void copy_part(const Copy& copy, auto& part,
               Frame& frame) requires std::is_same_v<std::remove_const_t<Frame>, wire::NcclTotals> {
    RANKSCOPE_FIELD(communicator);
    RANKSCOPE_FIELD(function);
    RANKSCOPE_FIELD(datatype);
    RANKSCOPE_FIELD(algorithm);
    RANKSCOPE_FIELD(protocol);
    RANKSCOPE_FIELD(size_class);
    RANKSCOPE_FIELD(operations);
    RANKSCOPE_FIELD(bytes);
    RANKSCOPE_FIELD(seconds);
    RANKSCOPE_FIELD(shortest_s);
    RANKSCOPE_FIELD(longest_s);
    RANKSCOPE_FIELD(network_s);
    RANKSCOPE_FIELD(peer_wait_s);
    RANKSCOPE_FIELD(gpu_times);
    RANKSCOPE_FIELD(untimed);
}

template <typename Copy, typename Frame>
void copy_part(const Copy& copy, auto& part,
               Frame& frame) requires std::is_same_v<std::remove_const_t<Frame>, wire::NcclOperation> {
    RANKSCOPE_FIELD(communicator);
    RANKSCOPE_FIELD(sequence);
    RANKSCOPE_FIELD(function);
    RANKSCOPE_FIELD(datatype);
    RANKSCOPE_FIELD(algorithm);
    RANKSCOPE_FIELD(protocol);
    RANKSCOPE_FIELD(bytes);
    RANKSCOPE_FIELD(channels);
    RANKSCOPE_FIELD(channels_done);
    RANKSCOPE_FIELD(peer_or_root);
    RANKSCOPE_FIELD(phase);
    RANKSCOPE_FIELD(start_us);
    RANKSCOPE_FIELD(seconds);
    RANKSCOPE_FIELD(gpu_s);
    RANKSCOPE_FIELD(network_s);
    RANKSCOPE_FIELD(point_to_point);
    RANKSCOPE_FIELD(replayed);
}

template <typename Copy, typename Frame>
void copy_part(const Copy& copy, auto& part,
               Frame& frame) requires std::is_same_v<std::remove_const_t<Frame>, wire::NcclProgress> {
    RANKSCOPE_FIELD(communicator);
    RANKSCOPE_FIELD(function);
    RANKSCOPE_FIELD(called);
    RANKSCOPE_FIELD(enqueued);
    RANKSCOPE_FIELD(finished);
}

template <typename Part, typename Frames>
void read_list(std::vector<Part>& parts, const Frames& frames) {
    parts.reserve(static_cast<std::size_t>(frames.size()));
    for (const auto& frame : frames) {
        copy_part(NcclFromFrame(), parts.emplace_back(), frame);
    }
}

template <typename Part, typename Frames>
void write_list(const std::vector<Part>& parts, Frames& frames) {
    for (const auto& part : parts) {
        copy_part(NcclToFrame(), part, *frames.Add());
    }
}

template <typename Copy, typename Part, typename Frame>
void copy_activity(const Copy& copy, Part& part, Frame& frame) {
    RANKSCOPE_FIELD(seconds);
    RANKSCOPE_FIELD(lost);
    RANKSCOPE_FIELD(api_version);
    RANKSCOPE_FIELD(unavailable);
}

#undef RANKSCOPE_FIELD

}  // namespace

NcclEvent nccl_from_wire(const wire::NcclActivity& frame) {
    NcclEvent event;
    copy_activity(NcclFromFrame(), event, frame);
    read_list(event.communicators, frame.communicators());
    read_list(event.totals, frame.totals());
    read_list(event.operations, frame.operations());
    read_list(event.open, frame.open());
    read_list(event.progress, frame.progress());
    return event;
}

void nccl_to_wire(const NcclEvent& event, wire::NcclActivity& frame) {
    copy_activity(NcclToFrame(), event, frame);
    write_list(event.communicators, *frame.mutable_communicators());
    write_list(event.totals, *frame.mutable_totals());
    write_list(event.operations, *frame.mutable_operations());
    write_list(event.open, *frame.mutable_open());
    write_list(event.progress, *frame.mutable_progress());
}

}  // namespace rankscope
