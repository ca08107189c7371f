// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/metric_lines/reading.h>

#include <optional>
#include <string_view>
#include <vector>

namespace rankscope::metric_lines {

/// One reader for each shape of line that training programs print; each in a file of its own, with examples
/// of real lines in tests/remote/metric_lines_test.cpp. A reader that does not know the line returns nothing.
using ShapeReader = std::optional<Reading> (*)(std::string_view line);

struct Shape {
    const char* name;
    ShapeReader read;
};

/// In the order they are asked; the first that knows the line has it.
const std::vector<Shape>& known_shapes();

std::optional<Reading> read_distribuuuu(std::string_view line);
std::optional<Reading> read_hf_trainer(std::string_view line);
std::optional<Reading> read_llmc(std::string_view line);
std::optional<Reading> read_megatron(std::string_view line);
std::optional<Reading> read_paddle(std::string_view line);
std::optional<Reading> read_torch_examples(std::string_view line);
std::optional<Reading> read_torch_tutorials(std::string_view line);
/// Lightning's bar is one of tqdm's.
std::optional<Reading> read_tqdm(std::string_view line);

}  // namespace rankscope::metric_lines
