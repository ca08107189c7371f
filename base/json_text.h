// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace rankscope {

/// What a JSON text may have. nlohmann's functions recurse once per level when they write, copy or compare a value, a
/// value takes many times its text, and an ordered object compares each new key with all others.
struct JsonLimits {
    std::size_t bytes = std::size_t{64} << 20;
    std::size_t depth = 64;
    std::size_t values = 1'000'000;  ///< of all levels together
    std::size_t members = values;    ///< of one object or list
};

/// Reads a text that a node, a file or another program wrote: the only way to do so. The limits are checked before
/// anything is built. Discarded where the text is not JSON or exceeds a limit; `*why` then says so, in English.
nlohmann::json read_json(std::string_view text, const JsonLimits& limits = {}, std::string* why = nullptr);
/// The same, with the keys in the order of the text: at most 16,384 in one object.
nlohmann::ordered_json read_ordered_json(std::string_view text, JsonLimits limits = {},
                                         std::string* why = nullptr);

/// One line for a file, a pipe or a terminal. Bytes that are not UTF-8 are replaced; DEL and the C1 controls, which JSON
/// allows and a terminal obeys, are escaped.
std::string json_line(const nlohmann::json& value);
std::string json_line(const nlohmann::ordered_json& value);

}  // namespace rankscope
