// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/spool/run_events.h>

namespace rankscope::agent {
namespace {

const char* name_of(StageText status) {
    switch (status) {
        case StageText::Begin:
            return "begin";
        case StageText::Progress:
            return "progress";
        case StageText::Done:
            return "done";
        case StageText::Failed:
            break;
    }
    return "failed";
}

}  // namespace

void add_stage(SpoolWriter& spool, int rank, const char* name, StageText status, const std::string& detail,
               double progress) {
    wire::Event event;
    event.set_rank(rank);
    event.mutable_stage()->set_name(name);
    event.mutable_stage()->set_status(name_of(status));
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
