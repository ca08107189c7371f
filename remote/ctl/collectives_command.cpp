// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/collectives_text.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/stop_on_interrupt.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/store/run_lines.h>
#include <remote/desk/text.h>
#include <remote/logs/grammar/read_sources.h>
#include <remote/observe/nccl_activity/collective_stats.h>
#include <remote/observe/nccl_activity/link_lines.h>
#include <remote/observe/nccl_inspector/inspector_intake.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <memory>
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

    void take(const logs::LogLine& line) {
        if (!inspector.take(line.text, line.rank) && line.speaker == logs::Speaker::Nccl) {
            links.take(line.host, line.message);
        }
    }
    CollectiveReport report() {
        CollectiveReport result = plugin.report();
        // The plugin says more, but where it saw nothing Inspector may have.
        if (!result.has_operations() && !inspector.empty()) {
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

void print_json(const CollectiveReport& report) {
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
    std::printf("%s\n", all.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
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

int collectives(const GlobalOptions& options, const std::vector<std::string>& names) {
    const StopOnInterrupt interrupt;
    Intake intake;
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
        auto known = store->run(name);
        auto replayed = known ? store->replay(name,
                                              [&](const Event& event) {
                                                  if (const auto* activity = event.as<NcclEvent>()) {
                                                      intake.plugin.take(event.rank, event.t_us, *activity);
                                                  }
                                                  output.take(event);
                                                  return !interrupt.token().stop_requested();
                                              })
                              : Result<void>(known.failure());
        if (!replayed) {
            report(replayed.failure(), options.json);
            return kUsage;
        }
    }
    if (!paths.empty()) {
        (void)logs::read_sources(paths, {}, sink, {}, interrupt.token());
    }
    const CollectiveReport found = intake.report();
    if (options.json) {
        print_json(found);
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
    command->callback([&options, &code, names] { code = collectives(options, *names); });
}

}  // namespace rankscope::ctl
