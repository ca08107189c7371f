// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure_id.h>
#include <base/metrics_line.h>
#include <remote/observe/tensorboard/record_stream.h>
#include <remote/observe/tensorboard/tag_metrics.h>
#include <remote/wire/frames.pb.h>

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
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

/// Follows the TensorBoard event files that the ranks of this node write during the run, below the folders
/// that the job names (metrics.tensorboard): polled, because a folder may lie on a network file system. What
/// was there before is left alone, and so is a file from its first damaged record on.
///
/// A file is the rank's whose process wrote it, or a process below it; else that of the rank whose folder it
/// is alone; else the first rank's here. A file of a process or host that is not of this run is not read.
class EventFiles {
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
    /// Rank → its process, also when it has just ended.
    using Processes = std::map<int, pid_t>;

    /// Nothing when no rank has a folder. Takes stock of what is there: called before the ranks start.
    static std::unique_ptr<EventFiles> of(const wire::StartRun& run);

    /// When to poll next, on monotonic_s()'s clock.
    double due_s() const { return due_s_; }
    /// What has been written since. `all`: up to the ends of the files, whatever that takes (within reason).
    News poll(const Processes& ranks, bool all);
    /// What a person should know when the run is over and rank 0's folder has stayed empty.
    std::vector<Notice> missing() const;
    /// The rank has given these on its metrics pipe: they are not taken from its files as well.
    void given(int rank, const MetricsLine& line);

private:
    struct Folder {
        std::filesystem::path path;
        std::vector<int> ranks;  ///< ascending
        bool own = false;        ///< of its only rank, wherever that runs
        bool too_large = false;
        bool reported = false;  ///< that it is
    };
    struct File {
        std::string path;
        int rank = -1;  ///< negative: not read
        tensorboard::Source source;
        tensorboard::RecordStream records;
        std::uint64_t read = 0;
    };

    EventFiles() = default;
    void add_folder(const std::filesystem::path& path, int rank, bool own);
    void find_new(Folder& folder, const Processes& ranks, News& news);
    void add_file(const Folder& folder, const std::string& path, const Processes& ranks, News& news);
    int rank_of(const Folder& folder, const std::string& path, File& file, const Processes& ranks,
                News& news);
    bool read_on(File& file, std::uint64_t room, News& news);
    void take(File& file, std::string_view bytes, News& news);
    void give_up(File& file, const char* why, News& news);
    void notify(FailureId id, std::vector<std::string> args, News& news);

    std::string host_;
    std::vector<Folder> folders_;
    std::set<std::string> seen_;
    std::vector<File> files_;
    std::map<int, tensorboard::TagMetrics> tags_;
    std::string of_another_host_;  ///< the first that was left to its own
    int told_ = 0;
    double due_s_ = 0;
};

}  // namespace rankscope::agent
