// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/frames.pb.h>

#include <stop_token>
#include <string>

namespace rankscope::agent {

/// The user's configuration file of NCCL: NCCL_CONF_FILE of this process, or ~/.nccl.conf.
std::string nccl_user_file();

/// What this process's environment, `user_file` and /etc/nccl.conf set of NCCL, PyTorch and Gloo; of a variable that
/// several set, the one that NCCL obeys. false: the user's file did not answer within `patience` seconds and is left out.
bool read_node_settings(const std::string& user_file, double patience, const std::stop_token& stop,
                        wire::NodeSettings& found);

}  // namespace rankscope::agent
