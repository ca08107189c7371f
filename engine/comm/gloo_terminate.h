// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <functional>
#include <string>

namespace rankscope::engine {

/// Gloo's own thread throws when a peer goes away at the wrong moment, and it cannot be caught there. `lost`
/// is then called on that thread with Gloo's words and must end the process; other uncaught exceptions abort
/// as ever.
void end_on_exceptions_of_gloo(std::function<void(const std::string& what)> lost);

}  // namespace rankscope::engine
