// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/train/run_worker.h>
#include <engine/worker/sibling_program.h>

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

namespace rankscope::engine {

bool is_sibling_command(std::string_view command) {
    return command == "bench" || command == "distribuuuu";
}

int run_sibling_program(char** argv) {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    const std::string program = (folder / ("rankscope-worker-" + std::string(argv[1]))).string();
    execv(program.c_str(), argv + 1);
    const int why = errno;
    if (why == ENOENT) {
        std::fprintf(
            stderr,
            "rankscope-worker: the command \"%s\" is a program of its own, which is not installed here: "
            "%s. It is part of a build and of the package, not of the bundle that Rankscope copies to "
            "the nodes.\n",
            argv[1], program.c_str());
    } else {
        std::fprintf(stderr, "rankscope-worker: cannot run %s: %s\n", program.c_str(), std::strerror(why));
    }
    return kExitWrongUse;
}

}  // namespace rankscope::engine
