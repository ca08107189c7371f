// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <map>
#include <string>
#include <string_view>

namespace rankscope::inline jobs {

using PlaceholderValues = std::map<std::string, std::string, std::less<>>;

/// Puts values for {rank}, {local_rank}, … in a variable's value or a word of the command, so that one line
/// serves all ranks (OMPI_COMM_WORLD_RANK: "{rank}"). What stands in other braces stays as it is, and so does
/// ${rank}: that is a shell's or torchrun's template.
std::string fill_placeholders(std::string_view text, const PlaceholderValues& values);

}  // namespace rankscope::inline jobs
