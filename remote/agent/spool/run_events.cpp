// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/spool/run_events.h>

namespace rankscope::agent {
void add_stage(SpoolWriter& spool, int rank, StageName name, StageStatus status, const std::string& detail,
               double progress) {
    wire::Event event;
    event.set_rank(rank);
    event.mutable_stage()->set_name(static_cast<wire::StageName>(name));
    event.mutable_stage()->set_status(static_cast<wire::StageStatus>(status));
    event.mutable_stage()->set_detail(detail);
    event.mutable_stage()->set_progress(progress);
    spool.add(std::move(event));
}

void add_notice(SpoolWriter& spool, int rank, FailureId id, const std::vector<std::string>& args) {
    wire::Event event;
    event.set_rank(rank);
    event.mutable_notice()->set_id(id.str());
    for (const auto& arg : args) {
        event.mutable_notice()->add_args(arg);
    }
    spool.add(std::move(event));
}

}  // namespace rankscope::agent
