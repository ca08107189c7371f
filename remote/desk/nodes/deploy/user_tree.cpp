// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/fd.h>
#include <base/paths.h>
#include <remote/desk/nodes/deploy/user_tree.h>
#include <remote/desk/shared/text.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <span>

namespace rankscope::inline nodes {
namespace {

namespace fs = std::filesystem;

constexpr const char* kContext = "UserTree";

class Collector {
public:
    Collector(fs::path base, fs::path job_file, std::stop_token stop,
              const std::function<void(std::uint64_t)>& progress)
        : base_(std::move(base)),
          job_file_(std::move(job_file)),
          stop_(std::move(stop)),
          progress_(progress) {}

    Result<void> add_named(const std::string& name) {
        fs::path source = fs::path(expand_home(name));
        source = (source.is_absolute() ? source : base_ / source).lexically_normal();
        if (!source.has_filename()) {
            source = source.parent_path();  // "proj/"
        }
        struct stat info {};
        if (::stat(source.c_str(), &info) != 0) {
            return Failure{
                "push-missing", job_file_.string(),
                text(kContext, "push: %1 is not there: %2.", {source.string(), std::strerror(errno)}),
                text(kContext, "Paths count from the folder of the job file."), ""};
        }
        const fs::path inside = source.lexically_relative(base_);
        const bool elsewhere = inside.empty() || *inside.begin() == "..";
        const fs::path place = elsewhere ? source.filename() : inside;
        if (place != ".") {
            for (fs::path parent = place.parent_path(); !parent.empty(); parent = parent.parent_path()) {
                parents_.push_back(parent);
            }
            add_parents();
        }
        // What is named is meant, also behind a link.
        return S_ISDIR(info.st_mode) ? add_folder(source, place == "." ? fs::path() : place, info)
                                     : add_file(source, place, info);
    }

    UserTree take() { return std::move(tree_); }

private:
    // From the outermost on; the folder of the job file lends its mode to none of them.
    void add_parents() {
        for (auto parent = parents_.rbegin(); parent != parents_.rend(); ++parent) {
            if (seen_.insert(parent->string()).second) {
                tree_.files.push_back({parent->string(), TreeFile::Kind::Folder, 0755, 0, {}, {}, {}});
            }
        }
        parents_.clear();
    }

    Result<void> add_folder(const fs::path& source, const fs::path& place, const struct stat& info) {
        if (!place.empty() && seen_.insert(place.string()).second) {
            tree_.files.push_back(
                {place.string(), TreeFile::Kind::Folder, info.st_mode & 07777U, 0, {}, {}, source});
        }
        std::error_code error;
        std::vector<fs::path> entries;
        for (const auto& entry : fs::directory_iterator(source, error)) {
            entries.push_back(entry.path());
        }
        if (error) {
            return unreadable(source, error.value());
        }
        std::sort(entries.begin(), entries.end());
        for (const auto& entry : entries) {
            if (is_ignored_name(entry.filename().string()) || fs::exists(entry / "pyvenv.cfg", error)) {
                continue;
            }
            if (auto added = add(entry, place / entry.filename()); !added) {
                return added;
            }
        }
        return {};
    }

    Result<void> add(const fs::path& source, const fs::path& place) {
        struct stat info {};
        if (::lstat(source.c_str(), &info) != 0) {
            return unreadable(source, errno);
        }
        if (S_ISDIR(info.st_mode)) {
            return add_folder(source, place, info);
        }
        if (S_ISREG(info.st_mode)) {
            return add_file(source, place, info);
        }
        if (S_ISLNK(info.st_mode) && seen_.insert(place.string()).second) {
            std::error_code error;
            const auto target = fs::read_symlink(source, error);
            if (error) {
                return unreadable(source, error.value());
            }
            tree_.files.push_back(
                {place.string(), TreeFile::Kind::Link, 0777, 0, {}, target.string(), source});
        }
        return {};
    }

    Result<void> add_file(const fs::path& source, const fs::path& place, const struct stat& info) {
        if (!S_ISREG(info.st_mode) || !seen_.insert(place.string()).second) {
            return {};
        }
        if (tree_.files.size() >= kMaxTreeFiles) {
            return Failure{
                "push-too-many", job_file_.string(),
                text(kContext, "push: names more than %1 files.", {std::to_string(kMaxTreeFiles)}),
                text(kContext, "Name the folders that the program needs, and keep data sets on the nodes."),
                ""};
        }
        TreeFile file{place.string(), TreeFile::Kind::File, info.st_mode & 07777U, 0, {}, {}, source};
        const UniqueFd fd(::open(source.c_str(), O_RDONLY | O_CLOEXEC));
        if (!fd) {
            return unreadable(source, errno);
        }
        Sha256 hash;
        std::array<std::byte, 65536> bytes;
        for (;;) {
            if (stop_.stop_requested()) {
                return Failure{"cancelled", "", text(kContext, "Stopped."), "", ""};
            }
            const auto got = ::read(fd.get(), bytes.data(), bytes.size());
            if (got < 0) {
                return unreadable(source, errno);
            }
            if (got == 0) {
                break;
            }
            hash.update(std::span(bytes).first(static_cast<std::size_t>(got)));
            file.size += static_cast<std::uint64_t>(got);
        }
        file.sha256 = hash.finish();
        tree_.total_bytes += file.size;
        tree_.files.push_back(std::move(file));
        if (progress_) {
            progress_(tree_.total_bytes);
        }
        return {};
    }

    Failure unreadable(const fs::path& source, int error) const {
        return Failure{
            "push-unreadable", job_file_.string(),
            text(kContext, "push: %1 cannot be read: %2.", {source.string(), std::strerror(error)}),
            text(kContext, "Check its permissions, or name what the program needs one by one."), ""};
    }

    fs::path base_;
    fs::path job_file_;
    std::stop_token stop_;
    const std::function<void(std::uint64_t)>& progress_;
    std::set<std::string> seen_;
    std::vector<fs::path> parents_;
    UserTree tree_;
};

}  // namespace

bool is_ignored_name(const std::string& name) {
    static const std::set<std::string, std::less<>> names{
        ".git",  ".hg",  ".svn", "__pycache__",        ".mypy_cache",  ".pytest_cache", ".ruff_cache",
        ".venv", ".tox", ".nox", ".ipynb_checkpoints", "node_modules", ".DS_Store",     ".rankscope",
    };
    return names.count(name) != 0 || name.ends_with(".pyc") || name.ends_with(".swp") ||
           name.starts_with(".rankscope-part-");
}

Result<UserTree> collect_user_tree(const fs::path& job_file, const std::vector<std::string>& push,
                                   std::stop_token stop, const std::function<void(std::uint64_t)>& progress) {
    std::error_code ignored;
    const fs::path base = fs::absolute(job_file, ignored).parent_path().lexically_normal();
    Collector collector(base, job_file, std::move(stop), progress);
    for (const auto& name : push) {
        if (auto added = collector.add_named(name); !added) {
            return added.failure();
        }
    }
    return collector.take();
}

}  // namespace rankscope::inline nodes
