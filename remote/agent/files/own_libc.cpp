// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <remote/agent/files/own_libc.h>
#include <remote/agent/node/command.h>

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string_view>
#include <system_error>
#include <vector>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "glibc-";
constexpr const char* kOwnFolder = "own-libc";
// The caller waits for the supervisor, which waits for this. A slow file server is no reason for a copy.
constexpr double kMostSeconds = 3;

bool starts(const fs::path& program) {
    auto command = Command::start({program.string(), "--version"}, kMostSeconds);
    if (!command) {
        return false;
    }
    command->wait();
    return command->timed_out() || command->status() == 0;
}

struct BundleNames {
    std::vector<std::string> libc;   ///< with their prefix
    std::vector<std::string> other;  ///< but for the worker
    std::string loader;              ///< without the prefix
};

BundleNames names_in(const fs::path& folder, const std::string& entry) {
    BundleNames names;
    std::error_code error;
    for (fs::directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
        const std::string name = file->path().filename().string();
        if (name.starts_with('.') || name == entry || name == kOwnFolder) {
            continue;
        }
        (name.starts_with(kPrefix) ? names.libc : names.other).push_back(name);
        if (name.starts_with(std::string(kPrefix) + "ld-")) {
            names.loader = name.substr(kPrefix.size());
        }
    }
    return names;
}

bool write_program(const fs::path& path, const std::string& content) {
    return write_file_atomically(path, content) == 0 && ::chmod(path.c_str(), 0755) == 0;
}

}  // namespace

std::optional<std::string> with_loader(std::string program, const std::string& loader) {
    Elf64_Ehdr head{};
    if (program.size() < sizeof head) {
        return std::nullopt;
    }
    std::memcpy(&head, program.data(), sizeof head);
    if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_phentsize != sizeof(Elf64_Phdr) || head.e_phoff > program.size() ||
        head.e_phnum > (program.size() - head.e_phoff) / sizeof(Elf64_Phdr)) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < head.e_phnum; ++i) {
        char* const place = program.data() + head.e_phoff + i * sizeof(Elf64_Phdr);
        Elf64_Phdr part{};
        std::memcpy(&part, place, sizeof part);
        if (part.p_type == PT_INTERP) {
            // The kernel reads the name from the file: behind its end there is room for any.
            part.p_offset = program.size();
            part.p_filesz = part.p_memsz = loader.size() + 1;
            std::memcpy(place, &part, sizeof part);
            program += loader;
            program += '\0';
            return program;
        }
    }
    return std::nullopt;
}

std::optional<std::string> make_copy_with_own_libc(const fs::path& folder, const std::string& entry) {
    const BundleNames names = names_in(folder, entry);
    const fs::path place = folder / kOwnFolder;
    const auto program = names.loader.empty() ? std::nullopt : read_file(folder / entry);
    const auto copy = program ? with_loader(*program, (place / names.loader).string()) : std::nullopt;
    if (!copy) {
        return std::nullopt;
    }
    // Nodes may share the folder: each makes its own, and the first that is whole stays.
    const fs::path fresh = folder / ("." + std::string(kOwnFolder) + "." + std::to_string(::getpid()));
    std::error_code error;
    fs::remove_all(fresh, error);
    fs::create_directory(fresh, error);
    bool whole = !error;
    const auto link = [&](const std::string& name, const std::string& as) {
        fs::create_symlink("../" + name, fresh / as, error);
        whole = whole && !error;
    };
    for (const auto& name : names.libc) {
        link(name, name.substr(kPrefix.size()));
    }
    for (const auto& name : names.other) {
        link(name, name);
    }
    if (whole && write_program(fresh / entry, *copy)) {
        fs::remove_all(place, error);
        fs::rename(fresh, place, error);
    }
    fs::remove_all(fresh, error);
    return fs::exists(place / entry, error) ? std::optional(std::string(kOwnFolder) + "/" + entry)
                                            : std::nullopt;
}

std::string startable_entry(const fs::path& folder, const std::string& entry) {
    std::string copy = std::string(kOwnFolder) + "/" + entry;
    if (starts(folder / entry)) {
        return entry;
    }
    if (starts(folder / copy)) {
        return copy;
    }
    const auto made = make_copy_with_own_libc(folder, entry);
    return made && starts(folder / *made) ? *made : entry;
}

}  // namespace rankscope::agent
