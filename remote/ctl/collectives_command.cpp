// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/commands.h>
#include <remote/ctl/stop_on_interrupt.h>
#include <remote/ctl/table.h>
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
    CollectiveReport report() const {
        CollectiveReport result = plugin.report();
        // The plugin says more, but where it saw nothing Inspector may have.
        if (!result.has_operations() && !inspector.empty()) {
            result = inspector.report();
        }
        result.link = links.rate();
        return result;
    }
};

std::string formatted(const char* format, double value) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string rank_text(int rank) {
    return rank < 0 ? "-" : std::to_string(rank);
}

std::string hash_text(CommunicatorHash id) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(id.value));
    return text;
}

Json json_of(const CollectiveReport& report, const CollectiveRow& row) {
    const ReportCommunicator& communicator = report.communicators[row.communicator];
    return {{"communicator", hash_text(communicator.id)},
            {"name", communicator.name},
            {"communicators", row.communicators},
            {"ranks", row.ranks},
            {"ranks_seen", row.ranks_seen},
            {"function", report.functions[row.function]},
            {"bytes", row.bytes},
            {"operations", row.operations},
            {"mean_s", row.mean_s},
            {"shortest_s", row.shortest_s},
            {"longest_s", row.longest_s},
            {"spread_s", row.spread_s},
            {"transfer_s", row.transfer_s},
            {"algorithm_bandwidth", row.algorithm_bandwidth},
            {"bus_bandwidth", row.bus_bandwidth},
            {"link_share", report.link.bytes_per_s > 0 ? Json(report.link_share(row)) : Json(nullptr)},
            {"slowest_rank", row.slowest_rank},
            {"last_rank", row.last_rank},
            {"last_share", row.last_share},
            {"compared", row.matched},
            {"wait_share", row.wait_share},
            {"network_share", row.network_share},
            {"gpu_times", row.gpu_times},
            {"algorithm", row.algorithm},
            {"protocol", row.protocol}};
}

Json json_of(const CollectiveReport& report, const ReportRank& rank) {
    Json behind = Json::array();
    for (const auto& one : rank.behind) {
        behind.push_back({{"communicator", hash_text(report.communicators[one.communicator].id)},
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
        all["collectives"].push_back(json_of(report, row));
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

void print_rows(const CollectiveReport& report) {
    std::vector<std::vector<std::string>> table{{"FUNCTION", "RANKS", "BYTES", "COUNT", "MEAN us", "MIN us",
                                                 "MAX us", "ALGBW GB/s", "BUSBW GB/s", "OF LINK", "SLOWEST",
                                                 "LAST", "WAITS"}};
    for (const auto& row : merge_alike(report)) {
        const std::string groups = row.communicators > 1 ? std::to_string(row.communicators) + "x" : "";
        table.push_back(
            {safe_text(report.functions[row.function]), groups + std::to_string(row.ranks),
             formatted("%.0f", row.bytes), std::to_string(row.operations),
             formatted("%.1f", row.mean_s * 1e6), formatted("%.1f", row.shortest_s * 1e6),
             formatted("%.1f", row.longest_s * 1e6), formatted("%.2f", row.algorithm_bandwidth * 1e-9),
             formatted("%.2f", row.bus_bandwidth * 1e-9),
             report.link.bytes_per_s > 0 ? formatted("%.0f %%", report.link_share(row) * 100) : "unknown",
             rank_text(row.slowest_rank), rank_text(row.last_rank),
             formatted("%.0f %%", row.wait_share * 100)});
    }
    if (table.size() > 1) {
        std::fputs(format_table(table).c_str(), stdout);
    }
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
        print_rows(found);
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
