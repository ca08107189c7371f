// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <filesystem>

namespace rankscope::inline runs {

class RunStore;

/// The file of an opened store, for parts that keep a table of their own in it. Any thread, while the store lives.
std::filesystem::path file_of(const RunStore& store);

}  // namespace rankscope::inline runs
