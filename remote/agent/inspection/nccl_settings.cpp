// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/inspection/nccl_settings.h>
#include <remote/agent/node/node_settings.h>

namespace rankscope::agent {
namespace {

constexpr double kSettingsPatience = 1;
constexpr double kQuickSettingsPatience = 0.2;

}  // namespace

wire::HostInspection inspect_nccl_settings(const InspectionScope& scope) {
    wire::HostInspection found;
    wire::NodeSettings settings;
    const double patience = scope.patience(kSettingsPatience, kQuickSettingsPatience);
    if (!read_node_settings(nccl_user_file(), patience, scope.stop, settings)) {
        add_unseen(found, "nccl_settings", late_text(patience));
    }
    found.mutable_nccl_settings()->Swap(settings.mutable_settings());
    return found;
}

}  // namespace rankscope::agent
