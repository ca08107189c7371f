// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/foreign_yaml.h>
#include <base/json_text.h>
#include <remote/desk/archive/failure_bundle/bundle_format.h>
#include <remote/desk/archive/failure_bundle/bundle_import.h>
#include <remote/desk/shared/text.h>
#include <remote/wire/event_json.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::inline archive {
namespace {

constexpr const char* kContext = "FailureBundle";
constexpr std::size_t kBuffer = std::size_t{256} << 10;
constexpr std::uint64_t kImportReportEvery = std::uint64_t{4} << 20;
constexpr std::size_t kLongestLine = std::size_t{32} << 20;
constexpr std::size_t kBatch = 1000;
constexpr std::size_t kMostRanks = 100'000;
constexpr std::size_t kLongestId = 128;

using PlainJson = nlohmann::json;

constexpr JsonLimits kLimits{.bytes = bundle_format::kMostPart, .depth = 32, .values = 2'000'000};
constexpr JsonLimits kEventLimits{.bytes = kLongestLine, .depth = 16, .values = 200'000};

Failure no_bundle(const std::string& name) {
    return {.code = "bad-file",
            .where = name,
            .what = text(kContext, "The file is no failure bundle."),
            .remedy = text(kContext,
                           "Save one in Runs or by `rankscopectl bundle RUN -o FILE`. Open logs in Logs or "
                           "by `rankscopectl diagnose`.")};
}

Failure damaged(const std::string& name, const std::string& detail) {
    return {.code = "bad-file",
            .where = name,
            .what = text(kContext, "The failure bundle is damaged: %1", {detail}),
            .remedy = text(kContext, "Copy it again, or write it again where the run is stored.")};
}

Failure too_large(const std::string& name) {
    return {.code = "bad-file",
            .where = name,
            .what = text(kContext, "The failure bundle is too large."),
            .remedy = text(kContext, "Its parts may have 64 MiB each, its events 16 GiB together.")};
}

bool is_piece_of_events(const std::string& name) {
    constexpr std::string_view kEnd = ".jsonl";
    const std::string_view begin = bundle_format::kEvents;
    if (!name.starts_with(begin) || !name.ends_with(kEnd) || name.size() <= begin.size() + kEnd.size()) {
        return false;
    }
    const auto number = name.substr(begin.size(), name.size() - begin.size() - kEnd.size());
    return number.find_first_not_of("0123456789") == std::string::npos;
}

bool is_part(const std::string& name) {
    static constexpr auto kParts = std::to_array<std::string_view>(
        {bundle_format::kManifest, bundle_format::kRun, bundle_format::kPlan, bundle_format::kJob,
         "environment.json", "versions.json", "nodes.json", "verdicts.json", "facts.json"});
    return std::find(kParts.begin(), kParts.end(), name) != kParts.end();
}

// Ids become names of files and words of commands.
bool is_run_id(const std::string& id) {
    constexpr const char* kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    return !id.empty() && id.size() <= kLongestId && id.find_first_not_of(kAllowed) == std::string::npos &&
           id.front() != '.' && id.front() != '-';
}

// Every list of runs reads their jobs. One that is no YAML is shown as a text.
bool is_too_large(const std::string& job_yaml) {
    try {
        static_cast<void>(load_yaml(job_yaml));
    } catch (const YamlExcess&) {
        return true;
    } catch (const YAML::Exception&) {
        return false;
    }
    return false;
}

bool is_sane(const LaunchPlan& plan) {
    const auto count = plan.ranks.size();
    return count <= kMostRanks && plan.nodes.size() <= kMostRanks &&
           static_cast<std::size_t>(std::max(plan.world_size, 0)) == count &&
           std::all_of(plan.ranks.begin(), plan.ranks.end(), [count](const RankPlan& rank) {
               return rank.rank >= 0 && static_cast<std::size_t>(rank.rank) < count;
           });
}

/// The parts as they come: first those that describe the run, then its events.
class Reading {
public:
    Reading(const logs::ByteSource& bytes, const std::string& name, const BundleEventSink& sink)
        : archive_(bytes), name_(name), sink_(sink) {}

    Result<BundleContent> read() {
        for (std::size_t members = 0;; ++members) {
            logs::PackedBytes::Member member;
            const auto step = archive_.next(member);
            if (step == logs::PackedBytes::Step::Damaged) {
                return members == 0 ? no_bundle(name_) : damaged(name_, archive_.why());
            }
            if (step == logs::PackedBytes::Step::End) {
                break;
            }
            if (members == 0 && member.path != bundle_format::kManifest) {
                return no_bundle(name_);
            }
            if (members > bundle_format::kMostMembers) {
                return too_large(name_);
            }
            if (auto taken = take(member); !taken) {
                return taken.failure();
            }
            if (enough_) {
                break;
            }
        }
        if (!content_) {
            return damaged(name_, text(kContext, "a part is missing."));
        }
        if (!enough_ && content_->events != expected_) {
            return damaged(name_, text(kContext, "%1 of %2 events are there.",
                                       {std::to_string(content_->events), std::to_string(expected_)}));
        }
        return std::move(*content_);
    }

private:
    Result<void> take(const logs::PackedBytes::Member& member) {
        const bool events = is_piece_of_events(member.path);
        if (member.encrypted || !member.regular || (!events && !is_part(member.path))) {
            return Failure{.code = "bad-file",
                           .where = name_,
                           .what = text(kContext,
                                        "The file has \"%1\", which is no part of a failure bundle. Nothing "
                                        "was read from it.",
                                        {member.path}),
                           .remedy = text(kContext, "Use it only if you trust its source.")};
        }
        if (events && !content_) {
            if (auto described = describe(); !described) {
                return described;
            }
        }
        std::string text_of_part;
        for (auto piece = archive_.read(); !piece.empty(); piece = archive_.read()) {
            unpacked_ += piece.size();
            if (unpacked_ > bundle_format::kMostUnpacked) {
                return too_large(name_);
            }
            text_of_part += piece;
            if (events) {
                if (auto taken = take_lines(text_of_part); !taken || enough_) {
                    return taken;
                }
            }
            if (text_of_part.size() > (events ? kLongestLine : bundle_format::kMostPart)) {
                return too_large(name_);
            }
        }
        if (!archive_.why().empty()) {
            return damaged(name_, archive_.why());
        }
        if (events) {
            return text_of_part.empty() ? Result<void>()
                                        : damaged(name_, text(kContext, "an event is cut off."));
        }
        if (!parts_.emplace(member.path, std::move(text_of_part)).second) {
            return damaged(name_, text(kContext, "\"%1\" is there twice.", {member.path}));
        }
        if (member.path == bundle_format::kManifest) {
            return check_manifest();
        }
        return parts_.contains(bundle_format::kRun) && parts_.contains(bundle_format::kPlan) &&
                       parts_.contains(bundle_format::kJob) && !content_
                   ? describe()
                   : Result<void>();
    }

    Result<void> check_manifest() {
        const PlainJson manifest = read_json(parts_[bundle_format::kManifest], kLimits);
        if (!manifest.is_object() || manifest.value("format", PlainJson()) != bundle_format::kFormat) {
            return no_bundle(name_);
        }
        try {
            if (manifest.at("version").get<int>() > bundle_format::kVersion) {
                return Failure{.code = "bad-file",
                               .where = name_,
                               .what = text(kContext, "The failure bundle was written by a newer Rankscope."),
                               .remedy = text(kContext, "Update this program.")};
            }
            id_ = manifest.at("run").get<std::string>();
            expected_ = manifest.at("events").get<std::uint64_t>();
            program_ = manifest.value("program", std::string());
        } catch (const PlainJson::exception& error) {
            return damaged(name_, error.what());
        }
        return is_run_id(id_) ? Result<void>()
                              : damaged(name_, text(kContext, "the id of its run is not valid."));
    }

    // Everything but the events is here.
    Result<void> describe() {
        for (const char* part : {bundle_format::kRun, bundle_format::kPlan, bundle_format::kJob}) {
            if (!parts_.contains(part)) {
                return damaged(name_, text(kContext, "\"%1\" is missing.", {part}));
            }
        }
        RunRecord record;
        try {
            const PlainJson run = read_json(parts_[bundle_format::kRun], kLimits);
            record.run_id = run.at("run").get<std::string>();
            record.name = run.at("name").get<std::string>();
            record.started_us = run.at("started_us").get<std::int64_t>();
            record.ended_us = run.at("ended_us").get<std::int64_t>();
            record.outcome = enum_from<Outcome>(run.at("outcome").get<std::string>()).value_or(Outcome::Lost);
            record.exit_code = run.at("exit_code").get<int>();
            record.summary = run.at("summary").get<std::string>();
            auto plan = plan_from_json(read_json(parts_[bundle_format::kPlan], kLimits));
            if (!plan || !is_sane(*plan)) {
                return damaged(name_, text(kContext, "its plan is not valid."));
            }
            record.plan = std::move(*plan);
        } catch (const PlainJson::exception& error) {
            return damaged(name_, error.what());
        }
        if (is_too_large(parts_[bundle_format::kJob])) {
            return damaged(name_, text(kContext, "its job is too large."));
        }
        if (record.run_id != id_) {
            return damaged(name_, text(kContext, "its parts are of different runs."));
        }
        record.job_yaml = parts_[bundle_format::kJob];
        record.world_size = record.plan.world_size;
        content_ = BundleContent{std::move(record), program_, 0};
        return {};
    }

    Result<void> take_lines(std::string& lines) {
        std::size_t at = 0;
        for (auto end = lines.find('\n'); end != std::string::npos; end = lines.find('\n', at)) {
            auto event = event_of(std::string_view(lines).substr(at, end - at));
            if (!event) {
                return damaged(
                    name_, text(kContext, "event %1 is not valid.", {std::to_string(content_->events + 1)}));
            }
            ++content_->events;
            if (sink_ && !sink_(content_->record, std::move(*event))) {
                enough_ = true;
                return {};
            }
            at = end + 1;
        }
        lines.erase(0, at);
        return {};
    }

    std::optional<Event> event_of(std::string_view line) const {
        const auto json = read_ordered_json(line, kEventLimits);
        if (!json.is_object()) {
            return std::nullopt;
        }
        Event event;
        try {
            event.node = json.at("node").get<std::string>();
            event.rank = json.at("rank").get<int>();
            event.seq = json.at("seq").get<std::uint64_t>();
            event.t_us = json.at("t_us").get<std::int64_t>();
            if (!read_body(json.at("kind").get<std::string>(), json.at("body"), event.body)) {
                return std::nullopt;
            }
        } catch (const PlainJson::exception&) {
            return std::nullopt;
        }
        // Whoever wrote the bundle wrote these commands: its sentences show them, nothing offers to run them here.
        if (auto* verdict = std::get_if<DiagnosisEvent>(&event.body)) {
            verdict->fixes.clear();
        }
        const bool sane = event.rank >= -1 && event.rank < std::max(content_->record.world_size, 1) &&
                          event.seq > 0 &&
                          event.seq <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        return sane ? std::optional(std::move(event)) : std::nullopt;
    }

    logs::PackedBytes archive_;
    const std::string& name_;
    const BundleEventSink& sink_;
    std::map<std::string, std::string> parts_;
    std::optional<BundleContent> content_;
    std::string id_;
    std::string program_;
    std::uint64_t expected_ = 0;
    std::uint64_t unpacked_ = 0;
    bool enough_ = false;
};

/// The bytes of a file, from its begin.
class FileBytes {
public:
    FileBytes(const std::filesystem::path& path, BundleReadProgress progress)
        : stream_(path, std::ios::binary), progress_(std::move(progress)) {
        std::error_code error;
        total_ = std::filesystem::file_size(path, error);
        fine_ = stream_.is_open() && std::filesystem::is_regular_file(path, error);
    }

    bool fine() const { return fine_; }
    std::string_view next() {
        stream_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        const auto count = static_cast<std::size_t>(stream_.gcount());
        done_ += count;
        if (progress_ && done_ >= reported_ + kImportReportEvery) {
            reported_ = done_;
            progress_(done_, total_);
        }
        return {buffer_.data(), count};
    }

private:
    std::ifstream stream_;
    BundleReadProgress progress_;
    std::vector<char> buffer_ = std::vector<char>(kBuffer);
    std::uint64_t done_ = 0;
    std::uint64_t reported_ = 0;
    std::uint64_t total_ = 0;
    bool fine_ = false;
};

Failure import_cancelled() {
    return {.code = "cancelled", .what = text(kContext, "Cancelled: the run store is as it was.")};
}

// A run that continues elsewhere is over here: it cannot be stopped or attached by accident.
Result<void> end_here(RunStore& store, const RunRecord& record, std::uint64_t desk_seq,
                      std::int64_t last_us) {
    Event event;
    EndEvent end;
    end.outcome = record.outcome == Outcome::Running ? Outcome::Lost : record.outcome;
    end.exit_code = record.exit_code;
    end.detail = record.summary;
    if (record.outcome != Outcome::Running) {
        return store.finish_run(record.run_id, record.ended_us, end);
    }
    end.detail = text(kContext, "The run had not ended when its bundle was written.");
    event.seq = desk_seq + 1;
    event.t_us = last_us;
    event.body = end;
    auto added = store.append(record.run_id, {event});
    return added ? store.finish_run(record.run_id, last_us, end) : added;
}

}  // namespace

bool is_bundle(const std::filesystem::path& path) {
    FileBytes bytes(path, {});
    if (!bytes.fine()) {
        return false;
    }
    logs::PackedBytes archive([&] { return bytes.next(); });
    logs::PackedBytes::Member member;
    if (archive.next(member) != logs::PackedBytes::Step::Member || member.path != bundle_format::kManifest) {
        return false;
    }
    std::string manifest;
    for (auto piece = archive.read(); !piece.empty() && manifest.size() <= bundle_format::kMostPart;
         piece = archive.read()) {
        manifest += piece;
    }
    const PlainJson json = read_json(manifest, kLimits);
    return json.is_object() && json.value("format", PlainJson()) == bundle_format::kFormat;
}

Result<BundleContent> read_bundle(const logs::ByteSource& bytes, const std::string& name,
                                  const BundleEventSink& sink) {
    return Reading(bytes, name, sink).read();
}

Result<BundleContent> read_bundle_file(const std::filesystem::path& path, const BundleEventSink& sink,
                                       BundleReadProgress progress) {
    FileBytes bytes(path, std::move(progress));
    if (!bytes.fine()) {
        return Failure{.code = "bad-file",
                       .where = path.string(),
                       .what = text(kContext, "The file cannot be read."),
                       .remedy = text(kContext, "Check its name and its permissions.")};
    }
    return read_bundle([&] { return bytes.next(); }, path.string(), sink);
}

Result<std::string> import_bundle(RunStore& store, const std::filesystem::path& path,
                                  const BundleReadProgress& progress, const std::stop_token& stop) {
    const auto checked = read_bundle_file(
        path, [&](const RunRecord&, const Event&) { return !stop.stop_requested(); }, progress);
    if (stop.stop_requested()) {
        return import_cancelled();
    }
    if (!checked) {
        return checked.failure();
    }
    const RunRecord record = checked->record;
    if (store.run(record.run_id)) {
        return Failure{
            .code = "run-exists",
            .where = path.string(),
            .what = text(kContext, "The run store already has a run with the id %1.", {record.run_id}),
            .remedy = text(kContext, "Delete that run first, or use another run store (--data-dir).")};
    }
    if (auto created = store.create_run(record); !created) {
        return created.failure();
    }
    std::vector<Event> batch;
    std::uint64_t desk_seq = 0;
    std::int64_t last_us = record.started_us;
    Result<void> stored;
    const auto flush = [&] {
        stored = store.append(record.run_id, batch);
        batch.clear();
        return static_cast<bool>(stored) && !stop.stop_requested();
    };
    const auto read = read_bundle_file(
        path,
        [&](const RunRecord&, Event event) {
            desk_seq = event.node.empty() ? std::max(desk_seq, event.seq) : desk_seq;
            last_us = std::max(last_us, event.t_us);
            batch.push_back(std::move(event));
            return batch.size() < kBatch || flush();
        },
        progress);
    if (read && stored && !stop.stop_requested()) {
        flush();
    }
    if (read && stored && !stop.stop_requested()) {
        stored = end_here(store, record, desk_seq, last_us);
    }
    if (read && stored && !stop.stop_requested()) {
        return record.run_id;
    }
    static_cast<void>(store.remove_run(record.run_id));
    return stop.stop_requested() ? import_cancelled() : !read ? read.failure() : stored.failure();
}

}  // namespace rankscope::inline archive
