// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/nccl_profiler/event_ring.h>

#include <string>

namespace rankscope::nccl {

/// One JSON object, '\n' included:
///   {"nccl":"start","id":7,"t":<Unix s>,"comm":"0x…","rank":0,"ranks":8,"op":"AllReduce","seq":3,"count":…,
///    "dtype":"ncclFloat32","bytes":…,"root":0,"channels":2,"algo":"RING","proto":"LL"}      the operation
///    was taken
///   {"nccl":"enqueued","id":7,"t":…}                                                        it is on the
///   stream
///   {"nccl":"gpu","id":7,"t":…,"gpu_start_ns":…,"gpu_stop_ns":…}                            its kernel has
///   ended
/// "comm", "rank", "op" and "seq" are in every line; "peer" stands instead of "root" for send and receive.
std::string to_json_line(const Event& event);

/// Bytes of one element of NCCL's type name ("ncclFloat32"); 0 when unknown.
std::uint64_t element_size(const char* datatype);

/// Starts the thread that takes events from the ring to the file or pipe, once per process; false when it
/// cannot be opened. Never throws. flush_events() writes what is left, waiting a moment at most.
bool start_event_writer(EventRing& ring, const char* path);
void flush_events();

}  // namespace rankscope::nccl
