// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>

#include <string>
#include <vector>

namespace rankscope {

/// A job file's text with values changed: each assignment is "key=value" with dots between the levels
/// ("train.optimizer.lr=0.01"), the value as YAML would have it; an empty one takes the key out. Comments and
/// layout are not kept. What the values mean is checked when the job is read.
Result<std::string> with_assignments(const std::string& yaml, const std::vector<std::string>& assignments);

}  // namespace rankscope
