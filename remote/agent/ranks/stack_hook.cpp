// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <remote/agent/ranks/rank_identity.h>
#include <remote/agent/ranks/stack_hook.h>

#include <sys/stat.h>

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

std::filesystem::path inner_folder_of(const RunDir& dir, int rank) {
    return stack_folder_of(dir, rank) / "inner";
}

void note_streams(const RunDir& dir, int rank, int out, int err) {
    std::error_code ignored;
    const auto folder = inner_folder_of(dir, rank);
    if (!std::filesystem::is_directory(folder, ignored)) {
        return;
    }
    std::string text;
    for (const int fd : {out, err}) {
        struct stat state {};
        ::fstat(fd, &state);
        text += std::to_string(state.st_dev) + ':' + std::to_string(state.st_ino) + '\n';
    }
    write_file_atomically(folder / "streams", text);
}

namespace {

// For what the rank starts: the hook again, and the variables by which it sees that it is another rank.
void add_inner_hook(std::map<std::string, std::string>& variables, const std::filesystem::path& folder) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored) ||
        write_file_atomically(folder / "sitecustomize.py", stack_hook()) != 0) {
        return;
    }
    std::string environment;
    for (const auto& [key, value] : variables) {
        environment += key + '=' + value;
        environment += '\0';
    }
    variables["RANKSCOPE_RANK_VARIABLES"] = rank_variables(environment);
}

}  // namespace

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
    add_inner_hook(variables, inner_folder_of(dir, rank));
}

}  // namespace rankscope::agent
