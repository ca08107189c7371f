// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/launch/run_launcher.h>
#include <remote/desk/launch/slurm/slurm_launcher.h>
#include <remote/desk/launch/ssh/ssh_launcher.h>

#include <array>

namespace rankscope {
namespace {

// In the order of the enumeration of the job (remote/desk/config/job.h).
const std::array<LauncherKind, 2> kKinds{ssh_launcher(), slurm_launcher()};

}  // namespace

const LauncherKind& launcher_kind(const Job& job) {
    return kKinds.at(static_cast<std::size_t>(job.launcher));
}

const LauncherKind* launcher_kind(const std::string& name) {
    for (const auto& kind : kKinds) {
        if (name == kind.name) {
            return &kind;
        }
    }
    return nullptr;
}

}  // namespace rankscope
