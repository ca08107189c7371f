// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <remote/agent/ranks/stack_hook.h>

__asm__(
    ".pushsection .rodata\n"
    "rankscope_stack_hook:\n"
    ".incbin \"" RANKSCOPE_STACK_HOOK
    "\"\n"
    "rankscope_stack_hook_end:\n"
    ".popsection\n");

extern "C" {
extern const char rankscope_stack_hook[];
extern const char rankscope_stack_hook_end[];
}

namespace rankscope::agent {

std::string_view stack_hook() {
    return {rankscope_stack_hook, static_cast<std::size_t>(rankscope_stack_hook_end - rankscope_stack_hook)};
}

std::filesystem::path stack_folder_of(const RunDir& dir, int rank) {
    return dir.rank_dir(rank) / "python";
}

void add_stack_hook(std::map<std::string, std::string>& variables, const RunDir& dir, int rank) {
    const auto wanted = variables.find(kStacksVariable);
    const auto folder = stack_folder_of(dir, rank);
    if ((wanted != variables.end() && wanted->second == "0") ||
        folder.string().find(':') != std::string::npos ||
        write_file_atomically(folder / "sitecustomize.py", stack_hook()) != 0) {
        return;
    }
    auto& path = variables["PYTHONPATH"];
    path = path.empty() ? folder.string() : folder.string() + ':' + path;
}

}  // namespace rankscope::agent
