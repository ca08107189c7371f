// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/slurm/slurm_job.h>
#include <remote/wire/frames.pb.h>

#include <filesystem>
#include <stop_token>

namespace rankscope::agent {

/// On the login node: a step of the run's job (`srun --overlap`) answers a request on one of its nodes; question and
/// answer are files of the run's folder, which the nodes share. Blocks as long as srun takes to start it and it to
/// answer. The reply has a failure "look-unavailable" where that is not possible, with what srun says.
void ask_slurm_node(const SlurmDir& dir, const wire::AskSlurmNode& asked, const std::stop_token& stop,
                    wire::Reply& reply);

/// On that node: answers the request in the file `question`, beside it. 0: it is written.
int answer_slurm_question(const RunDir& run, const std::filesystem::path& question);

}  // namespace rankscope::agent
