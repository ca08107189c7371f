// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/jobs/launchers/slurm/slurm_options.h>

#include <vector>

namespace rankscope::inline jobs {

const std::vector<JobLauncher>& job_launchers() {
    static const std::vector<JobLauncher> launchers{{.name = "ssh", .help = "the nodes of the job"},
                                                    slurm_job_launcher()};
    return launchers;
}

}  // namespace rankscope::inline jobs
