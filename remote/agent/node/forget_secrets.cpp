// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <remote/agent/node/forget_secrets.h>
#include <remote/wire/frames.pb.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace rankscope::agent {

void forget_secrets(const RunDir& dir) {
    wire::StartRun run;
    std::ifstream file(dir.spec(), std::ios::binary);
    if (!file || !run.ParseFromIstream(&file)) {
        return;
    }
    run.clear_token();
    for (auto& rank : *run.mutable_ranks()) {
        rank.clear_env();
        rank.clear_default_env();
    }
    if (write_file_atomically(dir.spec(), run.SerializeAsString()) != 0) {
        [[maybe_unused]] const int emptied = ::truncate(dir.spec().c_str(), 0);
    }
}

}  // namespace rankscope::agent
