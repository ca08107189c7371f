// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/log.h>
#include <base/text.h>
#include <remote/agent/container/container_init.h>
#include <remote/agent/inspection/container_look.h>
#include <remote/agent/mpi/mpi_launch.h>
#include <remote/agent/node/node_paths.h>
#include <remote/agent/node/users_umask.h>
#include <remote/agent/serve/serve.h>
#include <remote/agent/serve/slurm_node.h>
#include <remote/agent/slurm/slurm_supervise.h>
#include <remote/agent/supervise/supervisor.h>

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>

namespace {

int usage() {
    std::fputs(
        "rankscope-agent " RANKSCOPE_VERSION
        "\n"
        "  serve                    speak frames with a desk on stdin and stdout\n"
        "  supervise DIR READY_FD   run the ranks described in DIR (started by serve)\n"
        "  slurm-supervise DIR      the same on a node of a Slurm job (started by its script)\n"
        "  slurm-answer DIR FILE    look at a node of a Slurm job (started by serve on the login node)\n"
        "  container-init DIR ROOT HOME   start ranks within a container (started by supervise)\n"
        "  container-look ROOT REQUEST   look at a node from within a container (started by serve)\n"
        "  mpi-head, mpi-node, mpi-rsh   start mpirun over the nodes of a run (started by supervise)\n"
        "  --version\n",
        stderr);
    return 2;
}

// The desk starts the open file that it has checked (remote/desk/nodes/session/agent_script.cpp). The ranks do not inherit it, and
// ps shows a name.
void take_name(char* program) {
    constexpr std::string_view kOpen = "/proc/self/fd/";
    constexpr std::string_view kName = "rankscope-agent";
    const std::string_view given(program);
    const auto fd =
        given.starts_with(kOpen) ? rankscope::parse_number<int>(given.substr(kOpen.size())) : std::nullopt;
    struct stat opened {};
    struct stat own {};
    if (!fd || *fd <= STDERR_FILENO) {
        return;
    }
    if (::fstat(*fd, &opened) == 0 && ::stat("/proc/self/exe", &own) == 0 && opened.st_dev == own.st_dev &&
        opened.st_ino == own.st_ino) {
        ::close(*fd);
    }
    ::prctl(PR_SET_NAME, kName.data());
    if (given.size() >= kName.size()) {
        std::memset(program, 0, given.size());
        std::memcpy(program, kName.data(), kName.size());
    }
}

int run(int argc, char** argv) {
    using namespace rankscope::agent;
    if (argc < 2 || std::strncmp(argv[1], "mpi-", 4) != 0) {  // those start the user's programs
        keep_files_private();
    }
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
    if (argc == 4 && std::strcmp(argv[1], "slurm-answer") == 0) {
        return answer_slurm_question(RunDir{argv[2]}, argv[3]);
    }
    if (argc == 5 && std::strcmp(argv[1], "container-init") == 0) {
        return container_init(RunDir{argv[2]}, NodePaths(argv[3]), argv[4]);
    }
    if (argc == 4 && std::strcmp(argv[1], "container-look") == 0) {
        return container_look(NodePaths(argv[2]), argv[3]);
    }
    if (argc > 2 && std::strcmp(argv[1], "mpi-head") == 0) {
        return mpi_head(argc - 2, argv + 2);
    }
    if (argc > 2 && std::strcmp(argv[1], "mpi-node") == 0) {
        return mpi_node(argc - 2, argv + 2);
    }
    if (argc > 2 && std::strcmp(argv[1], "mpi-rsh") == 0) {
        return mpi_rsh(argc - 2, argv + 2);
    }
    return usage();
}

}  // namespace

int main(int argc, char** argv) {
    try {
        take_name(argv[0]);
        return run(argc, argv);
    } catch (const std::exception& error) {
        rankscope::log_message(rankscope::LogLevel::Error, error.what());
        return 1;
    }
}
