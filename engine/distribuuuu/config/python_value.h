// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// The few Python values that a yacs configuration holds. Independent of YAML and of the engine.
namespace rankscope::distribuuuu {

struct PythonNone {
    bool operator==(const PythonNone&) const = default;
};

struct PythonValue;
using PythonList = std::vector<PythonValue>;  ///< list or tuple: yacs turns one into the other

struct PythonValue {
    std::variant<PythonNone, bool, std::int64_t, double, std::string, PythonList> value;

    bool operator==(const PythonValue&) const = default;
    template <typename T>
    const T* as() const {
        return std::get_if<T>(&value);
    }
};

/// "int", "NoneType", …, as Python's type() names it.
std::string type_name(const PythonValue& value);
/// Python's repr().
std::string repr(const PythonValue& value);
/// repr() of a float: the shortest digits that read back the same, 5e-05 but 0.0001.
std::string repr(double number);

/// ast.literal_eval for None, booleans, numbers, strings, lists and tuples (nested, also without parentheses:
/// "0,30,60"); nothing for what is no such literal or does not fit into 64 bits.
std::optional<PythonValue> parse_python_literal(std::string_view text);

}  // namespace rankscope::distribuuuu
