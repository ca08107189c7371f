// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/node/agent_failure.h>

#include <cerrno>
#include <cstring>

namespace rankscope::agent {
namespace {

const char* code_of(int error) {
    switch (error) {
        case ENOSPC:
        case EDQUOT:
            return "disk-full";
        case EACCES:
        case EPERM:
            return "no-permission";
        case EROFS:
            return "read-only";
        default:
            return "io-error";
    }
}

}  // namespace

AgentFailure failure_from_errno(int error, const std::string& what) {
    return {.code = code_of(error), .detail = what + ": " + std::strerror(error), .error = error};
}

wire::Failure to_wire(const AgentFailure& failure) {
    wire::Failure message;
    message.set_code(failure.code);
    message.set_detail(failure.detail);
    for (const auto& arg : failure.args) {
        message.add_args(arg);
    }
    return message;
}

AgentFailure from_wire(const wire::Failure& failure) {
    return {.code = failure.code(),
            .detail = failure.detail(),
            .args = {failure.args().begin(), failure.args().end()}};
}

}  // namespace rankscope::agent
