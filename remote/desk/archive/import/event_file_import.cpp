// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/archive/import/event_file_import.h>
#include <remote/desk/archive/import/foreign_run.h>
#include <remote/desk/shared/text.h>
#include <remote/observe/tensorboard/record_stream.h>
#include <remote/observe/tensorboard/scalars.h>
#include <remote/observe/tensorboard/tag_metrics.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace rankscope::inline archive {
namespace {

namespace fs = std::filesystem;

constexpr const char* kContext = "RunImport";
constexpr std::string_view kPrefix = "events.out.tfevents.";
constexpr std::string_view kNodePrefix = "node-";
constexpr int kDeepest = 16;
constexpr std::size_t kMostFiles = 100'000;
constexpr double kMicroseconds = 1e6;

Failure cancelled() {
    return {.code = "cancelled", .what = text(kContext, "Cancelled: the run store is as it was.")};
}

/// Files by the folder that they lie in, oldest first: their names begin with the time.
using Folders = std::map<fs::path, std::vector<fs::path>>;

Folders find_event_files(const fs::path& top, std::size_t most) {
    Folders found;
    std::size_t files = 0;
    std::error_code error;
    auto at = fs::recursive_directory_iterator(top, fs::directory_options::skip_permission_denied, error);
    for (; !error && at != fs::end(at) && files < most; at.increment(error)) {
        if (at.depth() >= kDeepest) {
            at.disable_recursion_pending();
        }
        std::error_code ignored;
        if (at->path().filename().string().starts_with(kPrefix) && at->is_regular_file(ignored)) {
            found[at->path().parent_path()].push_back(at->path());
            ++files;
        }
    }
    for (auto& [folder, list] : found) {
        std::sort(list.begin(), list.end());
    }
    return found;
}

// "rank3", "rank_3", "rank-3", "3".
std::optional<int> rank_of(const std::string& name) {
    constexpr std::string_view kRank = "rank";
    const std::string small = lower_case(name);
    std::string_view digits = small;
    if (digits.starts_with(kRank)) {
        digits.remove_prefix(kRank.size());
        digits.remove_prefix(!digits.empty() && (digits[0] == '_' || digits[0] == '-') ? 1 : 0);
    }
    const auto rank = parse_number<int>(digits);
    return rank && *rank >= 0 && *rank < 1'000'000 ? rank : std::nullopt;
}

// events.out.tfevents.<seconds>.<host>[.<pid>.<n>]: the host may hold dots.
std::string host_of(const fs::path& file) {
    const std::string name = file.filename().string();
    auto fields = split(std::string_view(name).substr(kPrefix.size()), '.');
    while (fields.size() > 2 && parse_number<std::uint64_t>(fields.back())) {
        fields.pop_back();
    }
    return fields.size() < 2 ? std::string() : joined(std::vector(fields.begin() + 1, fields.end()), ".");
}

/// Reads event files, one after the other.
class EventFileReader {
public:
    EventFileReader(const Folders& folders, int passes, const ImportProgress& progress,
                    const std::stop_token& stop)
        : progress_(progress), stop_(stop) {
        for (const auto& [folder, files] : folders) {
            for (const auto& file : files) {
                std::error_code error;
                const auto bytes = fs::file_size(file, error);
                total_ += error ? 0 : bytes * static_cast<std::uint64_t>(passes);
            }
        }
    }

    void read(const fs::path& file, const std::function<void(const tensorboard::Scalars&)>& sink) {
        constexpr std::size_t kPiece = std::size_t{1} << 20;
        std::ifstream stream(file, std::ios::binary);
        tensorboard::RecordStream records;
        std::vector<char> buffer(kPiece);
        while (stream && !records.damaged() && !stop_.stop_requested()) {
            stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
            const auto count = static_cast<std::size_t>(stream.gcount());
            for (const auto& record : records.feed({buffer.data(), count})) {
                if (const auto scalars = tensorboard::read_scalars(record);
                    scalars && !scalars->values.empty()) {
                    sink(*scalars);
                }
            }
            done_ += count;
            if (progress_) {
                progress_(done_, std::max(done_, total_));
            }
        }
    }

private:
    const ImportProgress& progress_;
    const std::stop_token& stop_;
    std::uint64_t total_ = 0;
    std::uint64_t done_ = 0;
};

std::int64_t microseconds(double seconds) {
    constexpr double kMost = 9e12;  // of a double that still counts microseconds, far beyond any run
    return std::isfinite(seconds) ? static_cast<std::int64_t>(std::clamp(seconds, 0.0, kMost) * kMicroseconds)
                                  : 0;
}

/// Values of one step that a writer wrote one by one become one report.
class RankIntake {
public:
    RankIntake(ForeignRun& run, int rank) : run_(run), rank_(rank) {}

    void take(const tensorboard::Source& source, const tensorboard::Scalars& scalars) {
        constexpr double kTogether_s = 1;
        if (!waiting_.empty() && (waiting_.front().step != scalars.step ||
                                  std::abs(scalars.wall_time - waiting_.front().wall_time) > kTogether_s)) {
            flush();
        }
        source_ = source;
        waiting_.push_back(scalars);
    }
    void flush() {
        if (waiting_.empty()) {
            return;
        }
        for (const auto& line : tags_.read(source_, waiting_)) {
            MetricEvent metric;
            metric.step = line.step.value_or(-1);
            metric.epoch = line.epoch.value_or(-1);
            metric.values = line.values;
            Event event;
            event.rank = rank_;
            event.t_us = microseconds(waiting_.front().wall_time);
            event.body = std::move(metric);
            run_.add(std::move(event));
        }
        waiting_.clear();
    }

private:
    ForeignRun& run_;
    const int rank_;
    tensorboard::TagMetrics tags_;
    tensorboard::Source source_;
    std::vector<tensorboard::Scalars> waiting_;
};

/// Folders that belong together.
struct Group {
    std::string name;
    std::map<int, fs::path> ranks;
    std::map<std::string, fs::path> nodes;
};

std::string name_of(const fs::path& top, const fs::path& folder) {
    const fs::path whole = fs::absolute(top).lexically_normal();
    const std::string base =
        whole.has_filename() ? whole.filename().string() : whole.parent_path().filename().string();
    const fs::path below = folder.lexically_relative(top);
    return below.empty() || below == "." ? base : base + '/' + below.string();
}

// Ranks of one run, where all names say that they are.
std::vector<Group> groups_of(const fs::path& top, const Folders& folders) {
    std::map<fs::path, Group> by_parent;
    std::vector<Group> all;
    bool ranks_only = true;
    for (const auto& [folder, files] : folders) {
        const std::string name = folder.filename().string();
        Group& group = by_parent[folder.parent_path()];
        group.name = name_of(top, folder.parent_path());
        if (const auto rank = rank_of(name)) {
            ranks_only = group.ranks.emplace(*rank, folder).second && ranks_only;
        } else if (name.starts_with(kNodePrefix)) {
            group.nodes.emplace(name.substr(kNodePrefix.size()), folder);
        } else {
            ranks_only = false;
        }
    }
    for (auto& [parent, group] : by_parent) {
        ranks_only = ranks_only && !group.ranks.empty();
        all.push_back(std::move(group));
    }
    if (ranks_only) {
        return all;
    }
    all.clear();
    for (const auto& [folder, files] : folders) {
        all.push_back({name_of(top, folder), {{0, folder}}, {}});
    }
    return all;
}

// "gpu.0/util" → "gpu.0.util".
void add_telemetry(ForeignRun& run, const std::string& node, const tensorboard::Scalars& scalars) {
    SampleEvent sample;
    for (auto [key, value] : scalars.values) {
        std::replace(key.begin(), key.end(), '/', '.');
        sample.values.emplace_back(std::move(key), value);
    }
    Event event;
    event.node = node;
    event.t_us = microseconds(scalars.wall_time);
    event.body = std::move(sample);
    run.add(std::move(event));
}

Result<std::string> import_group(RunStore& store, const fs::path& top, const Folders& folders,
                                 const Group& group, EventFileReader& reader, const std::stop_token& stop) {
    double first = std::numeric_limits<double>::infinity();
    ForeignRun::Ranks ranks;
    for (const auto& [rank, folder] : group.ranks) {
        ranks[rank] =
            group.nodes.size() == 1 ? group.nodes.begin()->first : host_of(folders.at(folder).front());
        for (const auto& file : folders.at(folder)) {
            reader.read(file, [&](const tensorboard::Scalars& scalars) {
                first = std::min(first, scalars.wall_time);
            });
        }
    }
    auto run = ForeignRun::begin(store, group.name, text(kContext, "Imported from %1", {top.string()}),
                                 microseconds(std::isfinite(first) ? first : 0), ranks);
    if (!run) {
        return run.failure();
    }
    for (const auto& [rank, folder] : group.ranks) {
        RankIntake intake(*run, rank);
        for (const auto& file : folders.at(folder)) {
            reader.read(file, [&](const tensorboard::Scalars& scalars) { intake.take({}, scalars); });
        }
        intake.flush();
    }
    for (const auto& [node, folder] : group.nodes) {
        for (const auto& file : folders.at(folder)) {
            reader.read(file, [&, &name = node](const tensorboard::Scalars& scalars) {
                add_telemetry(*run, name, scalars);
            });
        }
    }
    return stop.stop_requested()
               ? Result<std::string>(cancelled())
               : run->finish(Outcome::Done, text(kContext, "Imported from TensorBoard event files."));
}

}  // namespace

bool holds_event_files(const fs::path& folder) {
    std::error_code error;
    return fs::is_directory(folder, error) && !find_event_files(folder, 1).empty();
}

Result<std::vector<std::string>> import_event_files(RunStore& store, const fs::path& folder,
                                                    const ImportProgress& progress,
                                                    const std::stop_token& stop) {
    const Folders folders = find_event_files(folder, kMostFiles);
    EventFileReader reader(folders, 2, progress, stop);
    std::vector<std::string> ids;
    for (const auto& group : groups_of(folder, folders)) {
        auto id = import_group(store, folder, folders, group, reader, stop);
        if (!id) {
            for (const auto& done : ids) {
                static_cast<void>(store.remove_run(done));
            }
            return id.failure();
        }
        ids.push_back(std::move(*id));
    }
    return ids;
}

}  // namespace rankscope::inline archive
