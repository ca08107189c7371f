// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/probes/proc_text.h>

#include <optional>
#include <string>

namespace rankscope::agent {

/// "read" of its number on this machine's architecture; "#451" where the name is not known here.
std::string name_of(const SystemCall& call);

/// The descriptor that the call works on; nothing: it takes none.
std::optional<int> descriptor_of(const SystemCall& call);

/// The address, in the process, of the path that the call is about; 0: it takes none.
std::uint64_t path_address_of(const SystemCall& call);

}  // namespace rankscope::agent
