// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/collectives_text.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/output.h>
#include <remote/ctl/stop_on_interrupt.h>
#include <remote/ctl/stored_lines.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/runs/store/run_activity.h>
#include <remote/desk/runs/store/run_lines.h>
#include <remote/desk/shared/text.h>
#include <remote/logs/grammar/read_sources.h>
#include <remote/observe/nccl_activity/collective_stats.h>
#include <remote/observe/nccl_activity/link_lines.h>
#include <remote/observe/nccl_inspector/inspector_intake.h>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "CollectivesCommand";

using Json = nlohmann::ordered_json;

struct Intake {
    CollectiveStats plugin;
    InspectorIntake inspector;
    LinkLines links;
    bool of_part = false;  ///< lines of Inspector do not say when

    void take(const logs::LogLine& line) {
        if (!inspector.take(line.text, line.rank) && line.speaker == logs::Speaker::Nccl) {
            links.take(line.host, line.message);
        }
    }
    CollectiveReport report() {
        CollectiveReport result = plugin.report();
        // The plugin says more, but where it saw nothing Inspector may have.
        if (!result.has_operations() && !inspector.empty() && !of_part) {
            result = inspector.report();
        }
        result.link = links.rate();
        return result;
    }
};

Json json_of(const CollectiveReport& report, const ReportRank& rank) {
    Json behind = Json::array();
    for (const auto& one : rank.behind) {
        behind.push_back({{"communicator", collective_hash(report.communicators[one.communicator].id)},
                          {"function", report.functions[one.function]},
                          {"entered", one.entered},
                          {"wanted", one.wanted}});
    }
    return {{"rank", rank.rank},         {"operations", rank.operations},
            {"inside_s", rank.inside_s}, {"observed_s", rank.observed_s},
            {"waited_s", rank.waited_s}, {"last", rank.last},
            {"open", rank.open.size()},  {"behind", behind},
            {"lost", rank.lost},         {"unavailable", rank.unavailable}};
}

void print_as_json(const CollectiveReport& report) {
    Json all{{"collectives", Json::array()}, {"ranks", Json::array()}};
    for (const auto& row : merge_alike(report)) {
        all["collectives"].push_back(collective_json(report, row));
    }
    for (const auto& rank : report.ranks) {
        all["ranks"].push_back(json_of(report, rank));
    }
    all["link"] = report.link.bytes_per_s > 0
                      ? Json{{"bytes_per_s", report.link.bytes_per_s}, {"source", report.link.source}}
                      : Json(nullptr);
    all["left_out"] = report.left_out;
    print_json(all);
}

void print_ranks(const CollectiveReport& report) {
    for (const auto& rank : report.ranks) {
        for (const auto& behind : rank.behind) {
            std::printf("%s\n", text(kContext, "Rank %1 has not entered %2 %3; it entered %4.",
                                     {std::to_string(rank.rank), safe_text(report.functions[behind.function]),
                                      std::to_string(behind.wanted), std::to_string(behind.entered)})
                                    .c_str());
        }
        if (!rank.unavailable.empty()) {
            std::printf("%s\n", text(kContext, "Rank %1 cannot be observed: %2.",
                                     {std::to_string(rank.rank), safe_text(rank.unavailable)})
                                    .c_str());
        }
    }
}

/// Which part of the runs; words as moment_of() takes them.
struct Times {
    std::string since;
    std::string until;

    bool all() const { return since.empty() && until.empty(); }
};

Result<void> read_part(const RunStore& store, const RunRecord& run, const Times& times,
                       CollectiveStats& stats, const std::stop_token& stop) {
    std::int64_t from_us = std::numeric_limits<std::int64_t>::min();
    std::int64_t until_us = std::numeric_limits<std::int64_t>::max();
    if (!times.since.empty()) {
        const auto moment = moment_of("--since", times.since, run);
        if (!moment) {
            return moment.failure();
        }
        from_us = *moment;
    }
    if (!times.until.empty()) {
        const auto moment = moment_of("--until", times.until, run);
        if (!moment) {
            return moment.failure();
        }
        until_us = *moment;
    }
    if (from_us > until_us) {
        return Failure{"bad-request", "--until", text(kContext, "It is before --since."),
                       text(kContext, "Write the earlier time in --since."), ""};
    }
    const auto read = read_activity(store, run.run_id, from_us, until_us, stats,
                                    [&](const Event&) { return !stop.stop_requested(); });
    return read ? Result<void>() : Result<void>(read.failure());
}

int collectives(const GlobalOptions& options, const std::vector<std::string>& names, const Times& times) {
    const StopOnInterrupt interrupt;
    Intake intake;
    intake.of_part = !times.all();
    const logs::LineSink sink = [&](const logs::LogLine& line) { intake.take(line); };
    std::vector<std::string> paths;
    std::shared_ptr<RunStore> store;
    for (const auto& name : names) {
        std::error_code error;
        if (name == "-" || name.find('/') != std::string::npos || std::filesystem::exists(name, error)) {
            paths.push_back(name);
            continue;
        }
        store = store != nullptr ? store : open_store(options);
        if (store == nullptr) {
            return kUsage;
        }
        RunOutput output(name, 0, sink);
        // Lines are read of a part, too: they say how fast the link is.
        const auto take = [&](const Event& event) {
            if (const auto* activity = event.as<NcclEvent>(); activity != nullptr && times.all()) {
                intake.plugin.take(event.rank, event.t_us, *activity);
            }
            output.take(event);
            return !interrupt.token().stop_requested();
        };
        auto known = store->run(name);
        auto replayed = known ? store->replay(name, take) : Result<void>(known.failure());
        if (replayed && !times.all()) {
            replayed = read_part(*store, *known, times, intake.plugin, interrupt.token());
        }
        if (!replayed) {
            report(replayed.failure(), options.json);
            return kUsage;
        }
    }
    if (!paths.empty() && !times.all()) {
        report(Failure{"bad-request", paths.front(),
                       text(kContext,
                            "Files of NCCL Inspector do not say when: --since and --until are for runs."),
                       text(kContext, "Leave them out."), ""},
               options.json);
        return kUsage;
    }
    if (!paths.empty()) {
        (void)logs::read_sources(paths, {}, sink, {}, interrupt.token());
    }
    const CollectiveReport found = intake.report();
    if (options.json) {
        print_as_json(found);
    } else {
        print_collectives(found);
        print_ranks(found);
        if (found.empty()) {
            std::printf("%s\n", text(kContext, "No operation of NCCL was reported there.").c_str());
        }
    }
    return interrupt.token().stop_requested() ? kStopped : kDone;
}

}  // namespace

void add_collectives_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command = app.add_subcommand(
        "collectives", "What NCCL's operations took: latency, bandwidth, who enters last, who waits");
    auto names = std::make_shared<std::vector<std::string>>();
    command->add_option("path", *names, "Ids of runs, or files and folders of NCCL Inspector")->required();
    auto times = std::make_shared<Times>();
    command->add_option(
        "--since", times->since,
        "Of the seconds from then on: 90s, 10m, 2h before the end of the run (before now while it "
        "runs), or \"2026-11-21 10:15:00\"");
    command->add_option("--until", times->until, "Of the seconds up to then");
    command->callback([&options, &code, names, times] { code = collectives(options, *names, *times); });
}

}  // namespace rankscope::ctl
