// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/train/version.h>

namespace rankscope::engine {

std::string worker_version() {
    return RANKSCOPE_VERSION;
}

}  // namespace rankscope::engine
