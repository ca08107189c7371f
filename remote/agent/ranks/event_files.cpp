// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/fd.h>
#include <base/paths.h>
#include <base/utf8.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/ranks/event_files.h>
#include <remote/observe/tensorboard/scalars.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

constexpr double kEvery = 0.5;  // seconds
constexpr double kShare = 20;   // a poll that takes 0.1 s is followed by 2 s of rest
constexpr std::size_t kMostEntries = 50000;
constexpr std::size_t kMostFiles = 1000;
constexpr int kDeepest = 16;
constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 20;  // of one file
constexpr std::uint64_t kMostAtEnd = std::uint64_t{1} << 28;
constexpr int kMostNotices = 20;

std::string host_name() {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    return host.data();
}

// The folder of the job's as the program sees it: from the rank's workdir.
fs::path folder_of(const wire::RankSpec& rank) {
    const fs::path workdir = rank.workdir().empty() ? home_dir() : expand_home(rank.workdir());
    return (home_dir() / workdir / expand_home(rank.event_folder())).lexically_normal();
}

// The next field of "a.b.c" as a number; what is none stays.
std::optional<pid_t> take_number(std::string_view& fields) {
    const auto field = fields.substr(0, fields.find('.'));
    pid_t number = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
    if (field.empty() || error != std::errc() || end != field.data() + field.size() || number < 0) {
        return std::nullopt;
    }
    fields.remove_prefix(std::min(fields.size(), field.size() + 1));
    return number;
}

// Every event file below the folder. False: there is more than anybody wants to look through twice a second.
template <typename Found>
bool for_each_event_file(const fs::path& folder, const Found& found) {
    std::size_t entries = 0;
    std::error_code error;
    auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && at != fs::end(at); at.increment(error)) {
        if (++entries > kMostEntries) {
            return false;
        }
        if (at.depth() >= kDeepest) {
            at.disable_recursion_pending();
        }
        std::error_code ignored;
        if (at->path().filename().string().starts_with("events.out.tfevents.") &&
            at->symlink_status(ignored).type() == fs::file_type::regular) {
            found(at->path().string());
        }
    }
    return true;
}

enum class Owner { Rank, Run, Other, Gone };

// Whose a process is, by those above it.
Owner owner_of(pid_t pid, const EventFiles::Processes& ranks, int& rank) {
    for (pid_t at = pid; at > 1; at = parent_of(at)) {
        for (const auto& [number, process] : ranks) {
            if (process == at) {
                rank = number;
                return Owner::Rank;
            }
        }
        if (at == ::getpid()) {
            return Owner::Run;
        }
        if (at == pid && parent_of(at) == 0) {
            return Owner::Gone;
        }
    }
    return Owner::Other;
}

// Where the name does not contain the process id, the process can be found as long as it has the file open.
pid_t writer_of(const std::string& path, const EventFiles::Processes& ranks) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) {
        return 0;
    }
    for (const auto& [rank, process] : ranks) {
        auto family = descendants_of(process);
        family.push_back(process);
        for (const pid_t pid : family) {
            if (has_open(pid, info.st_dev, info.st_ino)) {
                return pid;
            }
        }
    }
    return 0;
}

}  // namespace

bool parse_event_file_name(const std::string& name, const std::string& host, EventFileName& out) {
    constexpr std::string_view kPrefix = "events.out.tfevents.";
    std::string_view rest = name;
    if (!rest.starts_with(kPrefix)) {
        return false;
    }
    rest.remove_prefix(kPrefix.size());
    if (!take_number(rest)) {  // time(2)
        return false;
    }
    out = EventFileName();
    out.here = rest == host || rest.starts_with(host + '.');
    out.host = rest;
    if (out.here) {
        out.host = host;
        rest.remove_prefix(std::min(rest.size(), host.size() + 1));
        const auto pid = take_number(rest);
        out.pid = pid && take_number(rest) ? *pid : 0;
    }
    return true;
}

std::unique_ptr<EventFiles> EventFiles::of(const wire::StartRun& run) {
    std::unique_ptr<EventFiles> files(new EventFiles);
    files->host_ = host_name();
    for (const auto& rank : run.ranks()) {
        if (!rank.event_folder().empty()) {
            files->add_folder(folder_of(rank), rank.rank(), rank.event_folder_is_own());
        }
    }
    for (auto& folder : files->folders_) {
        folder.too_large = !for_each_event_file(
            folder.path, [&files](const std::string& path) { files->seen_.insert(path); });
    }
    return files->folders_.empty() ? nullptr : std::move(files);
}

void EventFiles::add_folder(const fs::path& path, int rank, bool own) {
    auto known = std::find_if(folders_.begin(), folders_.end(),
                              [&path](const Folder& folder) { return folder.path == path; });
    if (known == folders_.end()) {
        folders_.emplace_back();
        known = std::prev(folders_.end());
        known->path = path;
    }
    known->ranks.push_back(rank);
    std::sort(known->ranks.begin(), known->ranks.end());
    known->own = own && known->ranks.size() == 1;
}

void EventFiles::notify(FailureId id, std::vector<std::string> args, News& news) {
    if (told_++ < kMostNotices) {
        for (auto& arg : args) {
            arg = as_utf8(std::move(arg));
        }
        news.notices.push_back({id, std::move(args)});
    }
}

EventFiles::News EventFiles::poll(const Processes& ranks, bool all) {
    News news;
    const double begin = monotonic_s();
    for (auto& folder : folders_) {
        find_new(folder, ranks, news);
    }
    bool more = false;
    for (auto& file : files_) {
        more = read_on(file, all ? kMostAtEnd : kMostAtOnce, news) || more;
    }
    const double now = monotonic_s();
    due_s_ = more ? now : now + std::max(kEvery, kShare * (now - begin));
    return news;
}

void EventFiles::find_new(Folder& folder, const Processes& ranks, News& news) {
    if (!folder.too_large) {
        std::vector<std::string> found;
        folder.too_large = !for_each_event_file(folder.path, [&](const std::string& path) {
            if (seen_.insert(path).second) {
                found.push_back(path);
            }
        });
        // Names begin with the time: those of one folder in the order they were begun.
        std::sort(found.begin(), found.end());
        for (const auto& path : found) {
            add_file(folder, path, ranks, news);
        }
        folder.too_large = folder.too_large || files_.size() >= kMostFiles;
    }
    if (folder.too_large && !folder.reported) {
        folder.reported = true;
        notify("event-folder-large",
               {folder.path.string(), std::to_string(kMostEntries), std::to_string(kMostFiles)}, news);
    }
}

void EventFiles::add_file(const Folder& folder, const std::string& path, const Processes& ranks, News& news) {
    if (files_.size() >= kMostFiles) {
        return;
    }
    File file;
    file.path = path;
    file.source.folder = fs::path(path).parent_path().lexically_relative(folder.path).string();
    if (file.source.folder == ".") {
        file.source.folder.clear();
    }
    file.rank = rank_of(folder, path, file, ranks, news);
    if (file.rank >= 0) {
        files_.push_back(std::move(file));
    }
}

int EventFiles::rank_of(const Folder& folder, const std::string& path, File& file, const Processes& ranks,
                        News& news) {
    EventFileName name;
    if (!parse_event_file_name(fs::path(path).filename().string(), host_, name)) {
        return -1;
    }
    const pid_t pid = !name.here ? 0 : name.pid > 0 ? name.pid : writer_of(path, ranks);
    int rank = -1;
    const Owner owner = pid > 0 ? owner_of(pid, ranks, rank) : Owner::Gone;
    file.source.writer = pid;
    if (owner == Owner::Rank) {
        return rank;
    }
    if (folder.own) {
        return folder.ranks.front();
    }
    if (!name.here) {
        of_another_host_ = of_another_host_.empty() ? path : of_another_host_;
        return -1;
    }
    if (owner == Owner::Other) {
        notify("event-file-foreign", {path, describe_process(pid)}, news);
        return -1;
    }
    return folder.ranks.front();
}

// True: there is more.
bool EventFiles::read_on(File& file, std::uint64_t room, News& news) {
    struct stat info {};
    if (file.rank < 0 || ::stat(file.path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
        return false;
    }
    const auto size = static_cast<std::uint64_t>(info.st_size);
    if (size < file.read) {
        give_up(file, "shrunk", news);
        return false;
    }
    if (size == file.read) {
        return false;
    }
    const UniqueFd fd(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    std::string bytes(std::min<std::uint64_t>(size - file.read, 1 << 18), '\0');
    for (std::uint64_t taken = 0; fd && file.rank >= 0 && taken < room;) {
        const auto got = ::pread(fd.get(), bytes.data(), bytes.size(), static_cast<off_t>(file.read));
        if (got <= 0) {
            return false;
        }
        file.read += static_cast<std::uint64_t>(got);
        taken += static_cast<std::uint64_t>(got);
        take(file, std::string_view(bytes).substr(0, static_cast<std::size_t>(got)), news);
    }
    return fd && file.rank >= 0;
}

void EventFiles::take(File& file, std::string_view bytes, News& news) {
    std::vector<tensorboard::Scalars> scalars;
    const char* why = nullptr;
    for (const auto& record : file.records.feed(bytes)) {
        if (auto read = tensorboard::read_scalars(record)) {
            scalars.push_back(std::move(*read));
        } else {
            why = "no-event";
            break;
        }
    }
    for (auto& line : tags_[file.rank].read(file.source, scalars)) {
        for (auto& [name, value] : line.values) {
            name = as_utf8(std::move(name));
        }
        news.metrics.push_back({file.rank, std::move(line)});
    }
    if (why != nullptr || file.records.damaged()) {
        give_up(file, why != nullptr ? why : "checksum", news);
    }
}

void EventFiles::give_up(File& file, const char* why, News& news) {
    notify(
        std::string_view(why) == "shrunk" ? FailureId("event-file-shrunk") : FailureId("event-file-damaged"),
        {file.path, why, std::to_string(file.records.offset())}, news);
    file.rank = -1;
}

std::vector<EventFiles::Notice> EventFiles::missing() const {
    for (const auto& folder : folders_) {
        if (files_.empty() && !folder.too_large && folder.ranks.front() == 0) {
            return {{"event-files-absent", {as_utf8(folder.path.string()), as_utf8(of_another_host_)}}};
        }
    }
    return {};
}

void EventFiles::given(int rank, const MetricsLine& line) {
    tags_[rank].given(line);
}

}  // namespace rankscope::agent
