// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/frames.pb.h>
#include <remote/wire/nccl_event.h>

namespace rankscope {

/// NCCL's activity between its frame and its event. A number that the frame has and this version does not know becomes
/// the default.
NcclEvent nccl_from_wire(const wire::NcclActivity& frame);
void nccl_to_wire(const NcclEvent& event, wire::NcclActivity& frame);

}  // namespace rankscope
