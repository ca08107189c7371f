// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/nccl_plugin_variables.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::test {

/// tests/engine/nccl_profiler/nccl_rank.cpp as a child.
class NcclRank {
public:
    NcclRank(const std::filesystem::path& folder, const std::vector<std::string>& options,
             const char* level = "2", const char* rank = "0") {
        pid_ = ::fork();
        if (pid_ == 0) {
            ::setenv(kNcclPluginVariable, RANKSCOPE_NCCL_PLUGIN, 1);
            ::setenv(kNcclFolderVariable, folder.c_str(), 1);
            ::setenv(kNcclLevelVariable, level, 1);
            ::setenv("RANK", rank, 1);
            ::setenv("WORLD_SIZE", "2", 1);
            std::vector<std::string> words{RANKSCOPE_NCCL_RANK};
            words.insert(words.end(), options.begin(), options.end());
            std::vector<char*> argv;
            for (auto& word : words) {
                argv.push_back(word.data());
            }
            argv.push_back(nullptr);
            ::execv(argv[0], argv.data());
            ::_exit(127);
        }
    }
    ~NcclRank() { end(SIGKILL); }
    pid_t pid() const { return pid_; }
    NcclRank(const NcclRank&) = delete;
    NcclRank& operator=(const NcclRank&) = delete;

    /// Its wait status.
    int end(int signal = 0) {
        int status = status_;
        if (pid_ > 0) {
            if (signal != 0) {
                ::kill(pid_, signal);
            }
            ::waitpid(pid_, &status, 0);
            status_ = status;
            pid_ = -1;
        }
        return status;
    }

private:
    pid_t pid_ = -1;
    int status_ = 0;
};

}  // namespace rankscope::test
