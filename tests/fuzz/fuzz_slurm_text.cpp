// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What scontrol and sacct print: job names and comments in it are anybody's.

#include "target.h"

#include <base/utf8.h>
#include <remote/agent/slurm/slurm_job.h>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    const auto text = fuzz::as_text(data, size);
    for (const auto& state : {agent::parse_scontrol_job(text), agent::parse_sacct(text)}) {
        if (!state) {
            continue;
        }
        fuzz::require(state->job_id() != 0, "a job has a number");
        for (const auto& value :
             {state->state(), state->reason(), state->partition(), state->time_limit(), state->elapsed()}) {
            fuzz::require(as_utf8(value) == value, "what goes over the wire as text is UTF-8");
        }
        std::string bytes;
        fuzz::require(state->SerializeToString(&bytes), "it can be sent");
    }
    return 0;
}
