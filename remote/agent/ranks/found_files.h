// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure_id.h>
#include <base/metrics_line.h>
#include <remote/observe/metric_files/file_format.h>
#include <remote/observe/metric_lines/series_merge.h>
#include <remote/observe/tensorboard/tag_metrics.h>
#include <remote/wire/frames.pb.h>

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::agent {

/// Who has made an event file, as its name says: events.out.tfevents.<time>.<host>[.<pid>.<n>][<suffix>].
struct EventFileName {
    bool here = false;  ///< the host is this one
    std::string host;   ///< with what follows it, where it is another
    pid_t pid = 0;      ///< 0: the name does not say
};
/// False: not the name of an event file. `host` as of gethostname(2).
bool parse_event_file_name(const std::string& name, const std::string& host, EventFileName& out);

/// Finds and follows the files that the ranks of this node write their numbers to (metric_files::MetricFile): what a rank
/// holds open for writing, and what appears below its working folder, below folders that its command names, and next to
/// files that were found. TensorBoard's below folders that the job names (metrics.tensorboard), too. Polled, because a
/// folder may lie on a network file system. What was there before is left alone, and so is a file from its first damaged
/// record on.
///
/// A file is the rank's whose process writes it, or a process below it; below a named folder else that of the rank whose
/// folder it is alone, else the first rank's here. Elsewhere, what no process holds open when it is seen is rank 0's, where no
/// other process with the same program works in that folder. A file of a process or host that is not of this run is not
/// read.
class FoundFiles {
public:
    struct Metric {
        int rank = 0;
        MetricsLine line;
    };
    struct Notice {
        FailureId id;
        std::vector<std::string> args;
    };
    struct News {
        std::vector<Metric> metrics;
        std::vector<Notice> notices;
    };
    /// A rank's process, also when it has just ended, and what its lines have given.
    struct RankNow {
        int rank = 0;
        pid_t pid = 0;
        const metric_lines::SeriesMerge* lines = nullptr;
    };
    using Ranks = std::vector<RankNow>;

    /// Where the job names folders, only these are read. Nothing where the program is Rankscope's own. Takes stock of what is there: called before
    /// the ranks start.
    static std::unique_ptr<FoundFiles> of(const wire::StartRun& run);

    /// When to poll next, on monotonic_s()'s clock.
    double due_s() const { return due_s_; }
    /// What has been written since. `all`: up to the ends of the files, whatever that takes (within reason).
    News poll(const Ranks& ranks, bool all);
    /// What a person should know when the run is over and rank 0's folder has stayed empty.
    std::vector<Notice> missing() const;
    /// The rank has given these on its metrics pipe: they are not taken from its files as well.
    void given(int rank, const MetricsLine& line);

private:
    struct Folder {
        std::filesystem::path path;
        std::vector<int> ranks;  ///< ascending
        bool named = true;       ///< by the job; else it is only a likely place
        bool own = false;        ///< of its only rank, wherever that runs
        bool deep = true;        ///< what lies below it, too
        bool too_large = false;
        bool reported = false;  ///< that it is
    };
    struct File {
        std::string path;
        int rank = -1;  ///< negative: not read
        tensorboard::Source source;
        metric_files::MetricFile reader;
        std::uint64_t read = 0;
        std::string head;  ///< of one that may be rewritten: how it begins
    };

    FoundFiles() = default;
    void add_folder(const std::filesystem::path& path, int rank, bool own);
    void add_likely_folders(const wire::StartRun& run);
    void add_likely_folder(const std::filesystem::path& path, int rank, bool deep);
    bool search(const Folder& folder, const std::function<void(const std::string& path)>& found) const;
    void look(const Ranks& ranks, bool all, News& news);
    void look_at_descriptors(const Ranks& ranks);
    void find_new(Folder& folder, const Ranks& ranks, News& news);
    void add_file(const Folder& folder, const std::string& path, const Ranks& ranks, News& news);
    void add_open_file(const std::string& path, int rank, pid_t writer);
    int rank_of(const Folder& folder, const std::string& path, File& file, const Ranks& ranks, News& news);
    int rank_of_likely(const Folder& folder, const std::string& path, File& file, const Ranks& ranks) const;
    bool read_on(File& file, std::uint64_t room, News& news);
    void begin_again_if_rewritten(File& file, int fd, std::uint64_t size);
    void add(File& file, std::vector<metric_files::Scalars> scalars, metric_files::ReadState state,
             News& news);
    void take(File& file, std::string_view bytes, News& news);
    void make_metrics(const Ranks& ranks, News& news);
    void give_up(File& file, metric_files::ReadState why, News& news);
    void notify(FailureId id, std::vector<std::string> args, News& news);

    std::string host_;
    std::vector<Folder> folders_;
    std::map<std::string, std::uint64_t> seen_;  ///< → its size before the run; 0: made during it
    std::vector<File> files_;
    std::map<int, tensorboard::TagMetrics> tags_;
    /// What this poll has read, by rank and log.
    std::vector<std::pair<std::pair<int, tensorboard::Source>, std::vector<metric_files::Scalars>>> read_;
    std::set<pid_t> family_;  ///< every process of the ranks that was seen
    bool finds_ = false;      ///< files that the job does not name, too
    bool holds_first_ = false;
    double began_ = 0;             ///< seconds since 1970
    std::string of_another_host_;  ///< the first that was left to its own
    int told_ = 0;
    double due_s_ = 0;
    double next_look_ = 0;
    double last_found_ = 0;
};

}  // namespace rankscope::agent
