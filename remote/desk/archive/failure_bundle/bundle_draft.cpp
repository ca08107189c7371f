// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/archive/failure_bundle/archive_writer.h>
#include <remote/desk/archive/failure_bundle/bundle_draft.h>
#include <remote/desk/archive/failure_bundle/bundle_format.h>
#include <remote/desk/archive/failure_bundle/run_redactor.h>
#include <remote/desk/nodes/session/facts_json.h>
#include <remote/desk/runs/store/run_lines.h>
#include <remote/desk/shared/text.h>
#include <remote/logs/facts/fact_builder.h>
#include <remote/wire/event_json.h>

#include <nlohmann/json.hpp>

#include <utility>

namespace rankscope::inline archive {
namespace {

constexpr const char* kContext = "FailureBundle";
constexpr std::size_t kPiece = std::size_t{4} << 20;
constexpr std::uint64_t kReportEvery = 4096;

using Json = nlohmann::ordered_json;

std::string dump(const Json& json, int indent = -1) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace) + '\n';
}

Failure cancelled() {
    return {.code = "cancelled", .what = text(kContext, "Cancelled: nothing was written.")};
}

std::string where_of(const Event& event) {
    if (event.rank >= 0) {
        return event.as<LogEvent>() != nullptr
                   ? text(kContext, "output of rank %1", {std::to_string(event.rank)})
                   : text(kContext, "events of rank %1", {std::to_string(event.rank)});
    }
    return event.node.empty() ? text(kContext, "events of the run")
                              : text(kContext, "events of %1", {event.node});
}

Json run_json(const RunRecord& record) {
    return {{"run", record.run_id},
            {"name", record.name},
            {"started_us", record.started_us},
            {"ended_us", record.ended_us},
            {"outcome", to_string(record.outcome)},
            {"exit_code", record.exit_code},
            {"summary", record.summary}};
}

// The variables of every rank: those that all have, then what a rank has besides.
Json environment_json(const LaunchPlan& plan) {
    Json all = Json::object();
    if (!plan.ranks.empty()) {
        for (const auto& variable : plan.ranks.front().env) {
            const bool everywhere =
                std::all_of(plan.ranks.begin(), plan.ranks.end(), [&](const RankPlan& rank) {
                    const auto own = rank.env.find(variable.first);
                    return own != rank.env.end() && own->second == variable.second;
                });
            if (everywhere) {
                all[variable.first] = variable.second;
            }
        }
    }
    Json ranks = Json::object();
    for (const auto& rank : plan.ranks) {
        for (const auto& [name, value] : rank.env) {
            if (!all.contains(name)) {
                ranks[std::to_string(rank.rank)][name] = value;
            }
        }
    }
    return {{"all", all}, {"ranks", ranks}};
}

}  // namespace

Result<BundleDraft> BundleDraft::make(const RunStore& store, const std::string& run_id,
                                      const BundleOptions& options, const BundleProgress& progress,
                                      const std::stop_token& stop) {
    auto record = store.run(run_id);
    if (!record) {
        return record.failure();
    }
    Redactor redactor = redactor_of(*record, options.hide_users);
    BundleDraft draft(store, std::move(*record), std::move(redactor));
    if (auto scanned = draft.scan(progress, stop); !scanned) {
        return scanned.failure();
    }
    draft.make_texts(options);
    if (draft.redactor_.known() > 0) {
        // What was found last may stand in what was read first.
        draft.redactor_.take_list();
        if (auto scanned = draft.scan(progress, stop); !scanned) {
            return scanned.failure();
        }
        draft.make_texts(options);
    }
    draft.redactions_ = draft.redactor_.take_list();
    draft.texts_.insert(draft.texts_.begin(),
                        {bundle_format::kManifest, text(kContext, "what the file is, what was replaced"),
                         draft.manifest(options)});
    for (const auto& part : draft.texts_) {
        draft.parts_.push_back({part.name, part.what, part.text.size()});
    }
    draft.parts_.push_back({std::string(bundle_format::kEvents) + "*.jsonl",
                            text(kContext, "%1 events: output of the ranks, metrics, telemetry, exits",
                                 {std::to_string(draft.events_)}),
                            draft.event_bytes_});
    return draft;
}

Result<void> BundleDraft::each_event(const std::function<bool(std::string line)>& sink,
                                     const BundleProgress& progress, const std::stop_token& stop) {
    std::uint64_t done = 0;
    std::uint64_t total = events_;
    if (total == 0) {
        if (const auto last = store_->last_seqs(record_.run_id)) {
            for (const auto& [node, seq] : *last) {
                total += seq;  // numbers have no gaps
            }
        }
    }
    bool complete = true;
    auto replayed = store_->replay(record_.run_id, [&](const Event& event) {
        Json body = body_json(event.body);
        redactor_.redact(body, where_of(event));
        complete = sink(dump({{"kind", kind_of(event)},
                              {"node", event.node},
                              {"rank", event.rank},
                              {"seq", event.seq},
                              {"t_us", event.t_us},
                              {"body", std::move(body)}})) &&
                   !stop.stop_requested();
        if (++done % kReportEvery == 0 && progress) {
            progress(done, std::max(done, total));
        }
        return complete;
    });
    if (replayed && !complete && stop.stop_requested()) {
        return cancelled();
    }
    return replayed;
}

Result<void> BundleDraft::scan(const BundleProgress& progress, const std::stop_token& stop) {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    auto scanned = each_event(
        [&](const std::string& line) {
            ++count;
            bytes += line.size();
            return true;
        },
        progress, stop);
    events_ = count;
    event_bytes_ = bytes;
    return scanned;
}

void BundleDraft::add_json(const char* name, std::string what, nlohmann::ordered_json json) {
    redactor_.redact(json, name);
    texts_.push_back({name, std::move(what), dump(json, 1)});
}

void BundleDraft::make_texts(const BundleOptions& options) {
    texts_.clear();
    logs::FactBuilder builder;
    RunOutput lines(record_.run_id, 0, [&](const logs::LogLine& line) { builder.feed(line); });
    Json verdicts = Json::array();
    static_cast<void>(store_->replay(record_.run_id, [&](const Event& event) {
        lines.take(event);
        if (event.as<DiagnosisEvent>() != nullptr) {
            verdicts.push_back(body_json(event.body));
        }
        return true;
    }));
    lines.finish();
    const logs::RunFacts facts = builder.take();
    Json nodes = Json::object();
    Json versions{{"rankscope", options.program}};
    if (const auto known = store_->facts_of(record_.run_id)) {
        for (const auto& node : record_.plan.nodes) {
            if (const auto found = known->find(node.node); found != known->end()) {
                nodes[node.node] = to_json(found->second);
                versions["nodes"][node.node] = {{"agent", found->second.agent_version},
                                                {"os", found->second.os},
                                                {"kernel", found->second.kernel},
                                                {"libc", found->second.libc},
                                                {"libraries", found->second.versions}};
            }
        }
    }
    versions["torch"] = facts.torch_version;
    versions["nccl"] = Json::array();
    for (const auto& version : facts.versions) {
        versions["nccl"].push_back({{"nccl", version.nccl}, {"cuda", version.cuda}});
    }
    add_json(bundle_format::kRun, text(kContext, "name, times, end"), run_json(record_));
    texts_.push_back({bundle_format::kJob, text(kContext, "the job file"),
                      shown_job(record_, redactor_, bundle_format::kJob)});
    add_json(bundle_format::kPlan,
             record_.plan.code
                 ? text(kContext, "ranks, nodes, devices, commands, the code's changes since its commit")
                 : text(kContext, "ranks, nodes, devices, commands"),
             to_json(record_.plan));
    add_json("environment.json", text(kContext, "variables of the ranks"), environment_json(record_.plan));
    add_json("versions.json", text(kContext, "versions of programs, systems and libraries"),
             std::move(versions));
    add_json("nodes.json", text(kContext, "what is known of the nodes"), std::move(nodes));
    add_json("verdicts.json", text(kContext, "what was diagnosed"), std::move(verdicts));
    add_json("facts.json", text(kContext, "what the logs say of NCCL: versions, communicators, rings"),
             logs::to_json(facts));
}

std::string BundleDraft::manifest(const BundleOptions& options) const {
    Json redactions = Json::array();
    for (const auto& one : redactions_) {
        redactions.push_back(
            {{"what", one.what}, {"where", one.where}, {"why", one.why}, {"times", one.times}});
    }
    return dump({{"format", bundle_format::kFormat},
                 {"version", bundle_format::kVersion},
                 {"program", options.program},
                 {"made_us", now_us()},
                 {"run", record_.run_id},
                 {"events", events_},
                 {"redactions", redactions}},
                1);
}

Result<void> BundleDraft::write(const std::filesystem::path& path, bool replace,
                                const BundleProgress& progress, const std::stop_token& stop) {
    auto archive = ArchiveWriter::create(path, replace);
    if (!archive) {
        return archive.failure();
    }
    Result<void> written;
    for (const auto& part : texts_) {
        if (written) {
            written = (*archive)->add(part.name, part.text);
        }
    }
    int pieces = 0;
    std::string piece;
    const auto flush = [&] {
        if (!piece.empty() && written) {
            std::string number = std::to_string(++pieces);
            number.insert(0, number.size() < 6 ? 6 - number.size() : 0, '0');
            written = (*archive)->add(bundle_format::kEvents + number + ".jsonl", piece);
            piece.clear();
        }
        return static_cast<bool>(written);
    };
    if (!written) {
        return written;
    }
    auto events = each_event(
        [&](const std::string& line) {
            piece += line;
            return piece.size() < kPiece || flush();
        },
        progress, stop);
    if (!events) {
        return events;
    }
    if (!flush()) {
        return written;
    }
    return stop.stop_requested() ? Result<void>(cancelled()) : (*archive)->finish();
}

}  // namespace rankscope::inline archive
