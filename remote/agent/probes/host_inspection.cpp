// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/probes/host_inspection.h>

namespace rankscope::agent {

wire::HostInspection inspect_host(const NodePaths&, const wire::InspectHost&, const std::stop_token&) {
    return {};
}

}  // namespace rankscope::agent
