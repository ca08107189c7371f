// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/fd.h>
#include <base/paths.h>
#include <base/text.h>
#include <base/utf8.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/ranks/file_search.h>
#include <remote/agent/ranks/found_files.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

using metric_files::MetricFile;
using metric_files::ReadState;
using metric_files::Scalars;

constexpr double kEvery = 0.5;      // seconds
constexpr double kLookEvery = 0.5;  // for new files, in the minute after one was found
constexpr double kLookSeldom = 5;   // afterwards
constexpr double kBusy = 60;
constexpr double kShare = 20;       // a poll that takes 0.1 s is followed by 2 s of rest
constexpr double kLookShare = 200;  // and a look of 10 ms as well
constexpr SearchLimits kNamed{};
constexpr SearchLimits kLikely{.entries = 4000, .depth = 8, .skips_code = true};
constexpr SearchLimits kNextTo{.entries = 1000, .depth = 0, .skips_code = true};
constexpr std::size_t kMostFolders = 32;
constexpr std::size_t kMostFiles = 1000;
constexpr std::size_t kMostAtFirst = 20'000;  // more rows at once than a log has in a look: data
constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 20;  // of one file
constexpr std::uint64_t kMostAtEnd = std::uint64_t{1} << 28;
constexpr std::size_t kHead = 512;
constexpr int kMostNotices = 20;
constexpr double kClockSlack = 1;  // of a file system's clock against ours, seconds

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

// Where Trackio keeps its databases.
fs::path trackio_folder(const wire::RankSpec& rank) {
    const auto value = [&rank](const char* name) {
        const auto found = rank.env().find(name);
        return found != rank.env().end() ? found->second : std::string();
    };
    if (const auto own = value("TRACKIO_DIR"); !own.empty()) {
        return expand_home(own);
    }
    const auto cache = value("HF_HOME");
    return (cache.empty() ? home_dir() / ".cache/huggingface" : fs::path(expand_home(cache))) / "trackio";
}

// The next field of "a.b.c" as a number; what is none stays.
std::optional<pid_t> take_number(std::string_view& fields) {
    const auto field = fields.substr(0, fields.find('.'));
    const auto number = parse_number<pid_t>(field);
    if (!number || *number < 0) {
        return std::nullopt;
    }
    fields.remove_prefix(std::min(fields.size(), field.size() + 1));
    return number;
}

bool is_event_file(const std::string& path) {
    return base_name(path).starts_with("events.out.tfevents.");
}

// The other files of wandb say the same as its log.
bool may_be_log(const std::string& path) {
    const bool of_wandb = path.find("/wandb/") != std::string::npos && !path.ends_with(".wandb");
    return (!of_wandb || is_event_file(path)) && MetricFile::of(path).has_value();
}

enum class Owner { Rank, Run, Other, Gone };

// Whose a process is, by those above it.
Owner owner_of(pid_t pid, const FoundFiles::Ranks& ranks, int& rank) {
    for (pid_t at = pid; at > 1; at = parent_of(at)) {
        for (const auto& one : ranks) {
            if (one.pid == at) {
                rank = one.rank;
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
pid_t writer_of(const std::string& path, const FoundFiles::Ranks& ranks) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) {
        return 0;
    }
    for (const auto& one : ranks) {
        auto family = descendants_of(one.pid);
        family.push_back(one.pid);
        for (const pid_t pid : family) {
            if (has_open(pid, info.st_dev, info.st_ino)) {
                return pid;
            }
        }
    }
    return 0;
}

std::uint64_t size_of(const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

bool holds(const fs::path& folder, const std::string& path, bool deep) {
    const std::string beginning = folder.string() + '/';
    return path.starts_with(beginning) && (deep || path.find('/', beginning.size()) == std::string::npos);
}

tensorboard::Source source_of(const MetricFile& reader, const std::string& path, const fs::path& folder) {
    tensorboard::Source source;
    if (!reader.log_folder().empty()) {
        source.file = "mlflow";
        return source;
    }
    source.folder = fs::path(path).parent_path().lexically_relative(folder).string();
    if (source.folder == ".") {
        source.folder.clear();
    }
    if (!reader.is_event_file()) {
        source.file = fs::path(path).stem().string();
        if (path.ends_with(".wandb")) {
            source = {.folder = {}, .file = "wandb"};
        }
    }
    return source;
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

std::unique_ptr<FoundFiles> FoundFiles::of(const wire::StartRun& run) {
    std::unique_ptr<FoundFiles> files(new FoundFiles);
    files->host_ = host_name();
    files->began_ = static_cast<double>(now_us()) * 1e-6;
    files->last_found_ = monotonic_s();
    for (const auto& rank : run.ranks()) {
        if (!rank.event_folder().empty()) {
            files->add_folder(folder_of(rank), rank.rank(), rank.event_folder_is_own());
        }
    }
    files->finds_ = run.has_own() && !run.own().leave_files() && files->folders_.empty();
    if (files->finds_) {
        files->add_likely_folders(run);
    }
    for (auto& folder : files->folders_) {
        folder.too_large = !files->search(folder, [&files](const std::string& path) {
            // A database continues with each run: only new rows are read.
            if (auto reader = MetricFile::of(path); !reader || reader->database() == nullptr) {
                files->seen_.emplace(path, size_of(path));
            }
        });
    }
    return files->folders_.empty() && !files->finds_ ? nullptr : std::move(files);
}

void FoundFiles::add_folder(const fs::path& path, int rank, bool own) {
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

// Everywhere for what is there before. Loggers write on rank 0: what no process holds open is looked for where that runs.
void FoundFiles::add_likely_folders(const wire::StartRun& run) {
    for (const auto& rank : run.ranks()) {
        holds_first_ = holds_first_ || rank.rank() == 0;
        const fs::path workdir =
            (home_dir() / (rank.workdir().empty() ? home_dir() : expand_home(rank.workdir())))
                .lexically_normal();
        // Those first: the working folder may hold more than is looked through.
        for (const auto& folder : folders_of_command({rank.argv().begin(), rank.argv().end()}, workdir)) {
            add_likely_folder(folder, 0, true);
        }
        add_likely_folder(workdir, 0, true);
        add_likely_folder(trackio_folder(rank), 0, false);
    }
}

void FoundFiles::add_likely_folder(const fs::path& path, int rank, bool deep) {
    const std::string text = path.string();
    const bool known = std::any_of(folders_.begin(), folders_.end(), [&text](const Folder& folder) {
        return !folder.named && (folder.path == text || holds(folder.path, text, folder.deep));
    });
    if (!known && folders_.size() < kMostFolders) {
        Folder folder;
        folder.path = text.ends_with('/') ? fs::path(text).parent_path() : path;
        folder.ranks = {rank};
        folder.named = false;
        folder.deep = deep;
        folders_.push_back(std::move(folder));
    }
}

bool FoundFiles::search(const Folder& folder,
                        const std::function<void(const std::string& path)>& found) const {
    return folder.named ? search_files(folder.path, kNamed, is_event_file, found)
                        : search_files(folder.path, folder.deep ? kLikely : kNextTo, may_be_log, found);
}

void FoundFiles::notify(FailureId id, std::vector<std::string> args, News& news) {
    if (told_++ < kMostNotices) {
        for (auto& arg : args) {
            arg = as_utf8(std::move(arg));
        }
        news.notices.push_back({id, std::move(args)});
    }
}

FoundFiles::News FoundFiles::poll(const Ranks& ranks, bool all) {
    News news;
    const double begin = monotonic_s();
    for (auto& folder : folders_) {
        if (folder.named) {
            find_new(folder, ranks, news);
        }
    }
    look(ranks, all, news);
    bool more = false;
    for (auto& file : files_) {
        more = read_on(file, all ? kMostAtEnd : kMostAtOnce, news) || more;
    }
    make_metrics(ranks, news);
    const double now = monotonic_s();
    const bool nothing = files_.empty() && std::none_of(folders_.begin(), folders_.end(),
                                                        [](const Folder& folder) { return folder.named; });
    due_s_ = more ? now : nothing ? next_look_ : now + std::max(kEvery, kShare * (now - begin));
    return news;
}

void FoundFiles::look(const Ranks& ranks, bool all, News& news) {
    const double begin = monotonic_s();
    if (!finds_ || (begin < next_look_ && !all)) {
        return;
    }
    const std::size_t before = files_.size();
    look_at_descriptors(ranks);
    for (std::size_t i = 0; i < folders_.size() && holds_first_; ++i) {
        if (!folders_[i].named) {
            find_new(folders_[i], ranks, news);
        }
    }
    const double now = monotonic_s();
    last_found_ = files_.size() > before ? now : last_found_;
    next_look_ =
        now + std::max(now - last_found_ < kBusy ? kLookEvery : kLookSeldom, kLookShare * (now - begin));
}

void FoundFiles::look_at_descriptors(const Ranks& ranks) {
    const auto children = all_children();
    std::set<pid_t> done;
    // Ranks inside ranks stand behind those that Rankscope has started: their processes are theirs.
    for (auto one = ranks.rbegin(); one != ranks.rend(); ++one) {
        if (one->pid <= 0) {
            continue;
        }
        auto family = descendants_of(one->pid, children);
        family.push_back(one->pid);
        for (const pid_t pid : family) {
            if (!done.insert(pid).second) {
                continue;
            }
            family_.insert(pid);
            for (const auto& path : files_written_by(pid, may_be_log)) {
                add_open_file(path, one->rank, pid);
            }
        }
    }
}

void FoundFiles::add_open_file(const std::string& path, int rank, pid_t writer) {
    const bool named = std::any_of(folders_.begin(), folders_.end(), [&path](const Folder& folder) {
        return folder.named && holds(folder.path, path, true);
    });
    const bool known =
        std::any_of(files_.begin(), files_.end(), [&path](const File& file) { return file.path == path; });
    if ((named && is_event_file(path)) || known || files_.size() >= kMostFiles) {
        return;
    }
    const auto before = seen_.find(path);
    const auto born = born_at(path);
    const bool old = before != seen_.end() ? before->second > 0 : born && *born < began_ - kClockSlack;
    auto reader = MetricFile::of(path);
    const bool database = reader && reader->database() != nullptr;
    if (!reader || (old && !database && (!reader->has_no_beginning() || before == seen_.end()))) {
        seen_.emplace(path, 1);
        return;
    }
    const fs::path folder = fs::path(path).parent_path();
    File file{.path = path,
              .rank = rank,
              .source = {},
              .reader = std::move(*reader),
              .read = old ? before->second : 0,
              .head = {}};
    const auto root = std::find_if(folders_.begin(), folders_.end(),
                                   [&path](const Folder& one) { return holds(one.path, path, one.deep); });
    file.source = source_of(file.reader, path, root == folders_.end() ? folder : root->path);
    file.source.writer = writer;
    files_.push_back(std::move(file));
    seen_.emplace(path, 0);
    if (rank == 0 && holds_first_) {
        add_likely_folder(folder, 0, false);
    }
}

void FoundFiles::find_new(Folder& folder, const Ranks& ranks, News& news) {
    if (folder.too_large && folder.named) {
        if (!folder.reported) {
            folder.reported = true;
            notify("event-folder-large",
                   {folder.path.string(), std::to_string(kNamed.entries), std::to_string(kMostFiles)}, news);
        }
        return;
    }
    std::vector<std::string> found;
    folder.too_large = !search(folder, [&](const std::string& path) {
        if (seen_.emplace(path, 0).second) {
            found.push_back(path);
        }
    });
    // Names begin with the time: those of one folder in the order they were begun.
    std::sort(found.begin(), found.end());
    const Folder place = folder;  // more may be added
    for (const auto& path : found) {
        add_file(place, path, ranks, news);
    }
    folder.too_large = folder.too_large || files_.size() >= kMostFiles;
    if (folder.too_large && folder.named) {
        find_new(folder, ranks, news);
    }
}

void FoundFiles::add_file(const Folder& folder, const std::string& path, const Ranks& ranks, News& news) {
    auto reader = MetricFile::of(path);
    if (!reader || files_.size() >= kMostFiles) {
        return;
    }
    File file{.path = path, .rank = -1, .source = {}, .reader = std::move(*reader), .read = 0, .head = {}};
    file.source = source_of(file.reader, path, folder.path);
    file.rank =
        folder.named ? rank_of(folder, path, file, ranks, news) : rank_of_likely(folder, path, file, ranks);
    if (file.rank >= 0) {
        files_.push_back(std::move(file));
    }
}

int FoundFiles::rank_of(const Folder& folder, const std::string& path, File& file, const Ranks& ranks,
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

// In a place that the job has not named, a file needs a reason to be this run's.
int FoundFiles::rank_of_likely(const Folder& folder, const std::string& path, File& file,
                               const Ranks& ranks) const {
    const auto born = born_at(path);
    if (born && *born < began_ - kClockSlack && file.reader.database() == nullptr) {
        return -1;
    }
    if (is_event_file(path)) {
        EventFileName name;
        if (!parse_event_file_name(fs::path(path).filename().string(), host_, name) || !name.here) {
            return -1;
        }
        file.source.writer = name.pid;
        int rank = -1;
        const Owner owner = name.pid > 0 ? owner_of(name.pid, ranks, rank) : Owner::Gone;
        if (owner == Owner::Rank) {
            return rank;
        }
        if (owner == Owner::Other) {
            return -1;
        }
        if (owner == Owner::Run || family_.contains(name.pid)) {
            return folder.ranks.front();
        }
    }
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0 || info.st_uid != ::geteuid() ||
        is_shared_with_others(folder.path, family_)) {
        return -1;
    }
    return folder.ranks.front();
}

// True: there is more.
bool FoundFiles::read_on(File& file, std::uint64_t room, News& news) {
    if (auto* database = file.rank < 0 ? nullptr : file.reader.database(); database != nullptr) {
        std::vector<Scalars> scalars;
        const ReadState state = database->read(file.path, began_ - kClockSlack, scalars);
        add(file, std::move(scalars), state, news);
        return database->has_more();
    }
    struct stat info {};
    if (file.rank < 0 || ::stat(file.path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
        return false;
    }
    const auto size = static_cast<std::uint64_t>(info.st_size);
    const bool rewritten = file.reader.may_be_rewritten();
    if (size < file.read && !rewritten) {
        if (file.reader.is_certain()) {
            notify("event-file-shrunk", {file.path, "shrunk", std::to_string(file.reader.offset())}, news);
        }
        file.rank = -1;
        return false;
    }
    if (size == file.read) {
        return false;
    }
    const UniqueFd fd(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    if (rewritten && fd) {
        begin_again_if_rewritten(file, fd.get(), size);
    }
    std::string bytes(1 << 18, '\0');
    for (std::uint64_t taken = 0; fd && file.rank >= 0 && taken < room;) {
        const auto got = ::pread(fd.get(), bytes.data(), bytes.size(), static_cast<off_t>(file.read));
        if (got <= 0) {
            return false;
        }
        const auto text = std::string_view(bytes).substr(0, static_cast<std::size_t>(got));
        if (rewritten && file.head.size() < kHead && file.head.size() == file.read) {
            file.head += text.substr(0, kHead - file.head.size());
        }
        file.read += text.size();
        taken += text.size();
        take(file, text, news);
    }
    return fd && file.rank >= 0;
}

void FoundFiles::begin_again_if_rewritten(File& file, int fd, std::uint64_t size) {
    std::string now(file.head.size(), '\0');
    const auto got = ::pread(fd, now.data(), now.size(), 0);
    if (size < file.read || got != static_cast<ssize_t>(now.size()) || now != file.head) {
        file.reader.begin_again();
        file.read = 0;
        file.head.clear();
    }
}

void FoundFiles::take(File& file, std::string_view bytes, News& news) {
    std::vector<Scalars> scalars;
    const bool first = file.read == bytes.size();
    const ReadState state = file.reader.feed(bytes, scalars);
    if (first && scalars.size() > kMostAtFirst && !file.reader.is_certain()) {
        file.rank = -1;
        return;
    }
    add(file, std::move(scalars), state, news);
}

void FoundFiles::add(File& file, std::vector<Scalars> scalars, ReadState state, News& news) {
    const auto same = std::find_if(read_.begin(), read_.end(), [&file](const auto& log) {
        return log.first.first == file.rank && log.first.second.folder == file.source.folder &&
               log.first.second.file == file.source.file && log.first.second.writer == file.source.writer;
    });
    auto& into = same != read_.end()
                     ? same->second
                     : read_.emplace_back(std::pair(file.rank, file.source), std::vector<Scalars>()).second;
    into.insert(into.end(), std::make_move_iterator(scalars.begin()), std::make_move_iterator(scalars.end()));
    if (state != ReadState::Good) {
        give_up(file, state, news);
    }
}

void FoundFiles::make_metrics(const Ranks& ranks, News& news) {
    for (auto& [place, scalars] : read_) {
        const auto& [rank, source] = place;
        // Each name of MLflow's has a file of its own: in the order they were logged.
        std::stable_sort(scalars.begin(), scalars.end(),
                         [](const Scalars& a, const Scalars& b) { return a.wall_time < b.wall_time; });
        const auto number = rank;
        const auto now = std::find_if(ranks.begin(), ranks.end(),
                                      [number](const RankNow& one) { return one.rank == number; });
        const metric_lines::SeriesMerge none;
        const auto& lines = now == ranks.end() || now->lines == nullptr ? none : *now->lines;
        for (auto& line : tags_[rank].read(source, scalars, lines)) {
            for (auto& [name, value] : line.values) {
                name = as_utf8(std::move(name));
            }
            news.metrics.push_back({rank, std::move(line)});
        }
    }
    read_.clear();
}

void FoundFiles::give_up(File& file, ReadState why, News& news) {
    if (why == ReadState::Damaged && file.reader.is_certain()) {
        notify("event-file-damaged", {file.path, "checksum", std::to_string(file.reader.offset())}, news);
    }
    file.rank = -1;
}

std::vector<FoundFiles::Notice> FoundFiles::missing() const {
    for (const auto& folder : folders_) {
        if (folder.named && files_.empty() && !folder.too_large && folder.ranks.front() == 0) {
            return {{"event-files-absent", {as_utf8(folder.path.string()), as_utf8(of_another_host_)}}};
        }
    }
    return {};
}

void FoundFiles::given(int rank, const MetricsLine& line) {
    tags_[rank].given(line);
}

}  // namespace rankscope::agent
