// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/logs/read/file_walk.h>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

namespace rankscope::logs {
namespace {

namespace fs = std::filesystem;

/// Numbers by their value, all else by bytes.
bool natural_less(std::string_view a, std::string_view b) {
    while (!a.empty() && !b.empty()) {
        if (is_digit(a[0]) && is_digit(b[0])) {
            const auto number = [](std::string_view& text) {
                text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
                const auto all = text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
                text.remove_prefix(all.size());
                return all;
            };
            const auto first = number(a);
            const auto second = number(b);
            if (first.size() != second.size()) {
                return first.size() < second.size();
            }
            if (first != second) {
                return first < second;
            }
        } else {
            if (a[0] != b[0]) {
                return a[0] < b[0];
            }
            a.remove_prefix(1);
            b.remove_prefix(1);
        }
    }
    return a.size() < b.size();
}

void add_file(const fs::path& path, std::string name, bool in_folder, std::vector<FoundFile>& files,
              RemarkBook& remarks) {
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0) {
        const bool missing = errno == ENOENT || errno == ENOTDIR;
        remarks.add({.kind = missing ? RemarkKind::NotFound : RemarkKind::Unreadable,
                     .source = Remark::kNoSource,
                     .name = std::move(name),
                     .detail = std::generic_category().message(errno)});
        return;
    }
    if (!S_ISREG(about.st_mode) && in_folder) {
        remarks.add({.kind = RemarkKind::NotRegular, .source = Remark::kNoSource, .name = std::move(name)});
        return;
    }
    files.push_back({path, std::move(name),
                     S_ISREG(about.st_mode) ? static_cast<std::uint64_t>(about.st_size) : 0,
                     static_cast<std::int64_t>(about.st_mtime)});
}

void add_folder(const fs::path& folder, const std::string& name, std::size_t most,
                std::vector<FoundFile>& files, RemarkBook& remarks) {
    std::error_code error;
    std::vector<std::pair<std::string, fs::path>> below;
    const auto remark = [&](RemarkKind kind, const std::string& what, std::string detail) {
        remarks.add(
            {.kind = kind, .source = Remark::kNoSource, .name = name + what, .detail = std::move(detail)});
    };
    fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
    const auto prefix = folder.native().size();
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        std::error_code ignored;
        if (entry->is_directory(ignored)) {
            continue;
        }
        auto rest = entry->path().native().substr(prefix);
        if (names_no_log(rest)) {
            remark(RemarkKind::NotALog, rest, {});
            continue;
        }
        if (below.size() == most) {
            remark(RemarkKind::FileLimit, {}, {});
            break;
        }
        below.emplace_back(std::move(rest), entry->path());
    }
    if (error) {
        remark(RemarkKind::Unreadable, {}, error.message());
    }
    std::sort(below.begin(), below.end(),
              [](const auto& a, const auto& b) { return natural_less(a.first, b.first); });
    for (const auto& [rest, path] : below) {
        add_file(path, name + rest, true, files, remarks);
    }
}

}  // namespace

bool names_no_log(std::string_view name) {
    constexpr std::array<std::string_view, 27> kOthers = {
        ".py",  ".pyc", ".so",    ".pt",   ".pth", ".bin", ".ckpt", ".safetensors", ".npy",
        ".npz", ".png", ".jpg",   ".jpeg", ".gif", ".svg", ".pdf",  ".html",        ".css",
        ".js",  ".ts",  ".ipynb", ".c",    ".cpp", ".cu",  ".h",    ".md",          ".whl"};
    const std::string lower = lower_case(base_name(name));
    return std::any_of(kOthers.begin(), kOthers.end(),
                       [&](std::string_view end) { return lower.ends_with(end); });
}

std::vector<FoundFile> find_log_files(const std::vector<std::string>& paths, std::size_t most,
                                      RemarkBook& remarks) {
    std::vector<FoundFile> files;
    for (const auto& path : paths) {
        std::error_code ignored;
        if (path == "-") {
            files.push_back({{}, "-", 0, 0});
        } else if (fs::is_directory(path, ignored)) {
            auto name = path;
            while (name.size() > 1 && name.ends_with('/')) {
                name.pop_back();
            }
            add_folder(name, name, most, files, remarks);
        } else {
            add_file(path, path, false, files, remarks);
        }
    }
    if (files.size() > most) {
        remarks.add({.kind = RemarkKind::FileLimit, .source = Remark::kNoSource, .name = files[most].name});
        files.resize(most);
    }
    return files;
}

}  // namespace rankscope::logs
