// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/fd.h>
#include <remote/agent/node/ask_program.h>
#include <remote/agent/nvml/nvml_program.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string_view>

__asm__(
    ".pushsection .rodata\n"
    ".balign 16\n"
    "rankscope_nvml_program:\n"
    ".incbin \"" RANKSCOPE_NVML_PROGRAM
    "\"\n"
    "rankscope_nvml_program_end:\n"
    ".popsection\n");

extern "C" {
extern const char rankscope_nvml_program[];
extern const char rankscope_nvml_program_end[];
}

namespace rankscope::agent {
namespace {

// A file in memory that may be executed, also where the user's folders are mounted noexec.
UniqueFd program_file() {
    constexpr unsigned kExecutable =
        0x10;  // MFD_EXEC, Linux 6.3: some systems make the others not executable
    const char* name = "rankscope-nvml";
    UniqueFd file(::memfd_create(name, MFD_CLOEXEC | kExecutable));
    if (!file && errno == EINVAL) {
        file.reset(::memfd_create(name, MFD_CLOEXEC));
    }
    std::string_view rest(rankscope_nvml_program,
                          static_cast<std::size_t>(rankscope_nvml_program_end - rankscope_nvml_program));
    while (file && !rest.empty()) {
        const ssize_t written = ::write(file.get(), rest.data(), rest.size());
        if (written < 0) {
            file.reset();
        } else {
            rest.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    return file;
}

std::string path_of(const UniqueFd& file) {
    return "/proc/self/fd/" + std::to_string(file.get());
}

}  // namespace

NvmlPlace NvmlPlace::of_this_node() {
    const char* library = std::getenv("RANKSCOPE_NVML");
    return {.library = library != nullptr ? library : ""};
}

bool NvmlPlace::has_driver() const {
    return !library.empty() || ::access(device.c_str(), F_OK) == 0 || ::access("/dev/dxg", F_OK) == 0;
}

std::optional<Command> watch_nvml(const NvmlPlace& place, double every_s) {
    const UniqueFd file = program_file();
    const auto every_ms = static_cast<long>(std::clamp(every_s, 0.01, 86400.0) * 1000);
    return file ? Command::start({path_of(file), place.library, "watch", std::to_string(every_ms)},
                                 std::numeric_limits<double>::infinity())
                : std::nullopt;
}

NvmlAnswer ask_nvml(const NvmlPlace& place, double seconds, const std::stop_token& stop) {
    NvmlAnswer found;
    const UniqueFd file = program_file();
    if (!file) {
        found.why = "the reader of the GPUs cannot be started";
        return found;
    }
    const auto answer =
        ask_program({.argv = {path_of(file), place.library, "list"}, .seconds = seconds}, stop);
    found.lines.add(answer.output);
    const auto& failure = found.lines.failure();
    // A driver that hangs prints nothing: its library is there.
    found.opened = answer.late || found.good() || (failure && failure->what != "open");
    if (!found.good()) {
        found.why = failure ? describe(*failure) : answer.why();
    }
    return found;
}

}  // namespace rankscope::agent
