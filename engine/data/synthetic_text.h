// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace rankscope::engine {

/// Talk in the manner of an old play, drawn from a small grammar: speakers, verses, rhythm, capitals and commas are there to
/// be learned, in ASCII. The same (seed, stream) gives the same text on every machine. For trying a language model out
/// where there are no files.
std::string synthetic_text(std::size_t bytes, std::uint64_t seed, std::uint64_t stream);

}  // namespace rankscope::engine
