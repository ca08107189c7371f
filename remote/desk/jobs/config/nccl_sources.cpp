// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/nccl_sources.h>

namespace rankscope::inline jobs {

NcclSources nccl_sources_of(const Job& job) {
    if (job.backend == BackendChoice::Gloo) {
        return {};
    }
    if (!job.train) {
        return {.ras = true, .flight_recorder = true};
    }
    const auto device = job.train->find("device");
    const bool gpu = job.backend == BackendChoice::Nccl ||
                     (device != job.train->end() && device->is_string() && *device != "cpu");
    return {.ras = gpu, .flight_recorder = false};
}

}  // namespace rankscope::inline jobs
