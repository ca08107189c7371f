// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::inline jobs {

/// Whether a text is a configuration of Distribuuuu (MODEL, TRAIN, OPTIM, …) and no job file.
bool is_distribuuuu(const std::string& yaml);

/// The text of a job file in which the native engine trains what a configuration of Distribuuuu says. `overrides`: its
/// KEY VALUE pairs. `nodes`: names of the inventory, or "all". Fails for keys and values that Distribuuuu refuses, and for
/// models that the engine does not have.
Result<std::string> job_of_distribuuuu(const std::string& yaml, const std::filesystem::path& file,
                                       const std::vector<std::string>& overrides,
                                       const std::vector<std::string>& nodes);

}  // namespace rankscope::inline jobs
