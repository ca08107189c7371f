// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/log.h>
#include <remote/agent/node/node_paths.h>
#include <remote/agent/serve/serve.h>
#include <remote/agent/slurm/slurm_supervise.h>
#include <remote/agent/supervise/supervisor.h>

#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>

namespace {

int usage() {
    std::fputs("rankscope-agent " RANKSCOPE_VERSION
               "\n"
               "  serve                    speak frames with a desk on stdin and stdout\n"
               "  supervise DIR READY_FD   run the ranks described in DIR (started by serve)\n"
               "  slurm-supervise DIR      the same on a node of a Slurm job (started by its script)\n"
               "  --version\n",
               stderr);
    return 2;
}

int run(int argc, char** argv) {
    using namespace rankscope::agent;
    ::umask(0077);
    const NodePaths paths = NodePaths::from_environment();
    if (argc == 2 && std::strcmp(argv[1], "serve") == 0) {
        return serve(paths);
    }
    if (argc == 4 && std::strcmp(argv[1], "supervise") == 0) {
        return run_guarded_supervisor(RunDir{argv[2]}, paths, std::atoi(argv[3]));
    }
    if (argc == 3 && std::strcmp(argv[1], "slurm-supervise") == 0) {
        return slurm_supervise(RunDir{argv[2]});
    }
    if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
        std::puts("rankscope-agent " RANKSCOPE_VERSION);
        return 0;
    }
    return usage();
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        rankscope::log_message(rankscope::LogLevel::Error, error.what());
        return 1;
    }
}
