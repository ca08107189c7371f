// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/flight_recorder/flight_dump.h>
#include <remote/wire/frames.pb.h>

#include <optional>
#include <string>
#include <string_view>

namespace rankscope::inline runs {

/// The dump as PyTorch wrote it; the agent packs it. Nothing: it is damaged, or larger than is read.
std::optional<std::string> unpacked_dump(std::string_view packed);

/// Nothing: the rank left no dump, or one that cannot be read.
std::optional<FlightDump> flight_dump_of(const wire::FlightDumpReply& reply);

}  // namespace rankscope::inline runs
