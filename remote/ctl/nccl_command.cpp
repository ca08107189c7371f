// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/output.h>
#include <remote/ctl/remark_text.h>
#include <remote/ctl/stop_on_interrupt.h>
#include <remote/ctl/table.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/runs/run/through_node.h>
#include <remote/desk/runs/watch/flight_watch.h>
#include <remote/desk/runs/watch/hang_sentences.h>
#include <remote/desk/runs/watch/nccl_examination.h>
#include <remote/desk/runs/watch/ras_watch.h>
#include <remote/desk/runs/watch/saved_flights.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "NcclCommand";

using Json = nlohmann::ordered_json;

enum class View { Ras, Flight };

std::string rank_text(int rank) {
    return rank >= 0 ? std::to_string(rank) : "-";
}

int run_rank(const NcclExamination& found, std::uint64_t communicator, int rank) {
    const auto known = found.ranks.find({communicator, rank});
    return known == found.ranks.end() ? -1 : known->second;
}

std::string counts_text(const RasRank& rank) {
    std::string all;
    for (const auto& count : rank.counts) {
        if (count.launched > 0) {
            all += (all.empty() ? "" : ", ") + (count.collective.empty() ? "" : count.collective + ' ') +
                   std::to_string(count.launched);
        }
    }
    return all.empty() ? "-" : all;
}

std::string error_text(const RasRank& rank) {
    const auto error = rank.async_error != NcclError::None ? rank.async_error : rank.init_error;
    return error == NcclError::None ? "-" : to_string(error);
}

Json json_of(const CollectiveFinding& finding) {
    Json calls = Json::array();
    for (const auto& call : finding.calls) {
        calls.push_back({{"ranks", call.ranks}, {"call", call.call}, {"frames", call.frames}});
    }
    return {{"fault", to_string(finding.fault)},
            {"source", finding.source},
            {"group", finding.group},
            {"collective", finding.collective},
            {"sequence", finding.sequence},
            {"ranks", finding.ranks},
            {"entered", finding.entered},
            {"reason", finding.reason},
            {"standing", finding.standing},
            {"calls", calls},
            {"evidence", finding.evidence}};
}

Json json_of(const std::vector<CollectiveFinding>& findings) {
    Json list = Json::array();
    for (const auto& finding : findings) {
        list.push_back(json_of(finding));
    }
    return list;
}

Json ras_json(const NcclExamination& found) {
    Json ras{{"outcome", found.ras_outcome}, {"node", found.ras_node}};
    if (!found.ras) {
        return ras;
    }
    ras["nccl_version"] = found.ras->nccl_version;
    ras["complete"] = found.ras->complete;
    Json communicators = Json::array();
    for (const auto& communicator : found.ras->communicators) {
        Json ranks = Json::array();
        for (const auto& rank : communicator.ranks) {
            Json counts = Json::object();
            for (const auto& count : rank.counts) {
                counts[count.collective.empty() ? "all" : count.collective] = count.launched;
            }
            ranks.push_back({{"rank", run_rank(found, communicator.hash, rank.rank)},
                             {"rank_in_communicator", rank.rank},
                             {"host", rank.host},
                             {"pid", rank.pid},
                             {"state", to_string(rank.state)},
                             {"error", error_text(rank) == "-" ? "" : error_text(rank)},
                             {"counts", counts}});
        }
        char id[24];
        std::snprintf(id, sizeof id, "0x%llx", static_cast<unsigned long long>(communicator.hash));
        communicators.push_back(
            {{"id", id}, {"size", communicator.size}, {"missing", communicator.missing}, {"ranks", ranks}});
    }
    ras["communicators"] = communicators;
    return ras;
}

using Outcomes = std::map<int, std::string>;
using Dumps = std::map<int, FlightDump>;

Json flight_json(const Outcomes& outcomes, const Dumps& dumps) {
    Json ranks = Json::array();
    for (const auto& [rank, outcome] : outcomes) {
        Json one{{"rank", rank}, {"outcome", outcome}};
        if (const auto dump = dumps.find(rank); dump != dumps.end()) {
            one["version"] = dump->second.version;
            one["complete"] = dump->second.complete;
            one["entries"] = dump->second.entries.size();
            if (!dump->second.entries.empty()) {
                const auto& last = dump->second.entries.back();
                one["last"] = {{"group", last.description.empty() ? last.group : last.description},
                               {"sequence", last.sequence},
                               {"call", call_of(last)},
                               {"state", to_string(last.state)},
                               {"frames", frames_of(last)}};
            }
        }
        ranks.push_back(std::move(one));
    }
    return ranks;
}

// Each cell by itself: what a program wrote must not end a row.
std::string safe_table(std::vector<std::vector<std::string>> rows) {
    for (auto& row : rows) {
        for (auto& cell : row) {
            cell = safe_text(cell);
        }
    }
    return format_table(rows);
}

void print_findings(const std::vector<CollectiveFinding>& findings, const char* none) {
    if (findings.empty()) {
        std::printf("%s\n", none);
    }
    for (const auto& finding : findings) {
        std::printf("%s%s\n", to_string(finding.fault),
                    finding.standing ? "" : text(kContext, " (seen once: the run may only be busy)").c_str());
        for (const auto& line : finding.evidence) {
            std::printf("    %s\n", safe_text(line).c_str());
        }
    }
}

/// By the outcome of wire::RasReply.
std::string why_no_ras(std::string_view outcome) {
    if (outcome == "not-set") {
        return text(
            kContext,
            "The ranks have no RAS service: NCCL has one from version 2.24 on, for ranks on GPUs, unless "
            "NCCL_RAS_ENABLE is 0.");
    }
    if (outcome == "refused") {
        return text(
            kContext,
            "NCCL's RAS service refuses the connection: the ranks have no communicator yet, or have ended.");
    }
    if (outcome == "not-loopback") {
        return text(kContext,
                    "NCCL_RAS_ADDR names an address of the network: only one of the node itself is asked.");
    }
    if (outcome == "not-ras") {
        return text(kContext, "Another program answers at the address of NCCL's RAS service.");
    }
    if (outcome == "denied") {
        return text(kContext, "The node does not permit a connection to NCCL's RAS service.");
    }
    return text(kContext, "NCCL's RAS service does not answer.");
}

void print_ras(const NcclExamination& found) {
    if (!found.ras) {
        std::printf("%s\n", why_no_ras(found.ras_outcome).c_str());
        return;
    }
    std::vector<std::vector<std::string>> rows{
        {"COMMUNICATOR", "RANK", "THERE", "PID", "HOST", "STATE", "ERROR", "LAUNCHED"}};
    for (const auto& communicator : found.ras->communicators) {
        for (const auto& rank : communicator.ranks) {
            rows.push_back({communicator_name(communicator.hash),
                            rank_text(run_rank(found, communicator.hash, rank.rank)), rank_text(rank.rank),
                            rank.pid > 0 ? std::to_string(rank.pid) : "-",
                            rank.host.empty() ? "-" : rank.host, to_string(rank.state), error_text(rank),
                            counts_text(rank)});
        }
    }
    std::printf("NCCL %s\n%s\n", safe_text(found.ras->nccl_version).c_str(),
                safe_table(std::move(rows)).c_str());
    if (!found.ras->json) {
        std::printf("%s\n", text(kContext, "This NCCL names only the ranks that differ.").c_str());
    }
}

void print_flights(const Outcomes& outcomes, const Dumps& dumps) {
    std::vector<std::vector<std::string>> rows{{"RANK", "DUMP", "ENTRIES", "GROUP", "LAST", "CALL", "STATE"}};
    for (const auto& [rank, outcome] : outcomes) {
        std::vector<std::string> row{std::to_string(rank), outcome, "-", "-", "-", "-", "-"};
        const auto dump = dumps.find(rank);
        if (dump != dumps.end() && !dump->second.entries.empty()) {
            const auto& last = dump->second.entries.back();
            row = {std::to_string(rank),
                   outcome,
                   std::to_string(dump->second.entries.size()),
                   last.description.empty() ? last.group : last.description,
                   std::to_string(last.sequence),
                   call_of(last),
                   to_string(last.state)};
        }
        rows.push_back(std::move(row));
    }
    if (rows.size() == 1) {
        std::printf("%s\n", text(kContext, "No rank has a Flight Recorder.").c_str());
        return;
    }
    std::printf("%s\n", safe_table(std::move(rows)).c_str());
}

int save_dumps(const GlobalOptions& options, const NcclExamination& found, const std::string& folder) {
    for (const auto& [rank, bytes] : found.dump_files) {
        const auto file = std::filesystem::path(folder) / ("rank_" + std::to_string(rank));
        if (const int error = write_file_atomically(file, bytes); error != 0) {
            report({"cannot-write", file.string(), std::strerror(error), "", ""}, options.json);
            return kUsage;
        }
    }
    return kDone;
}

bool any_stands(const std::vector<CollectiveFinding>& findings) {
    return std::any_of(findings.begin(), findings.end(),
                       [](const CollectiveFinding& finding) { return finding.standing; });
}

// Dumps of a run that need not be one of ours.
int examine_files(const GlobalOptions& options, const std::vector<std::string>& paths) {
    const StopOnInterrupt interrupt;
    SavedFlights flights;
    const logs::RawSink sink{.begin = {}, .line = [](const logs::RawLine&) {}, .whole = flights.sink()};
    const auto read = logs::read_raw_lines(paths, {}, sink, {}, interrupt.token());
    if (interrupt.token().stop_requested()) {
        return kStopped;
    }
    if (flights.empty()) {
        print_remarks(read);
        report(
            Failure{
                .code = "bad-file",
                .where = paths.front(),
                .what = text(kContext, "There is no dump of a Flight Recorder."),
                .remedy = text(
                    kContext,
                    "Name the files that PyTorch wrote (TORCH_NCCL_DEBUG_INFO_TEMP_FILE, by "
                    "default ~/.cache/torch/comm_lib_trace_rank_0 and so on), or their folder. The number "
                    "at the end of a name is the rank.")},
            options.json);
        return kUsage;
    }
    flights.leave_out_earlier_runs();
    Outcomes outcomes;
    std::vector<int> missing;
    for (int rank = 0; rank < flights.world_size(); ++rank) {
        const auto dump = flights.dumps().find(rank);
        if (dump == flights.dumps().end()) {
            missing.push_back(rank);
        } else {
            outcomes[rank] = dump->second.complete ? "read" : "incomplete";
        }
    }
    const auto findings = flights.findings();
    if (options.json) {
        const Json json{{"ranks", flight_json(outcomes, flights.dumps())},
                        {"missing", missing},
                        {"of_earlier_runs", flights.of_earlier_runs()},
                        {"findings", json_of(findings)}};
        print_json(json);
    } else {
        print_flights(outcomes, flights.dumps());
        if (!flights.of_earlier_runs().empty()) {
            std::printf("%s\n", text(kContext, "Left out, of an earlier run: %1",
                                     {list_ranks(flights.of_earlier_runs())})
                                    .c_str());
        }
        if (!missing.empty()) {
            std::printf("%s\n", text(kContext, "No dump of: %1", {list_ranks(missing)}).c_str());
        }
        print_findings(findings,
                       (missing.empty() ? text(kContext, "The ranks do not differ.")
                                        : text(kContext, "The ranks that left a dump do not differ."))
                           .c_str());
    }
    return any_stands(findings) ? kPreflight : kDone;
}

int examine(const GlobalOptions& options, View view, const std::string& run_id, const std::string& folder) {
    const auto run = open_run(options, run_id);
    if (!run) {
        return kUsage;
    }
    const RunRecord* const record = &run->record;
    if (record->outcome != Outcome::Running) {
        report({"run-over", run_id, text(kContext, "The run is over: only a run in progress can be asked."),
                "", ""},
               options.json);
        return kUsage;
    }
    auto inventory = load_inventory(options);
    if (!inventory) {
        return kUsage;
    }
    const StopOnInterrupt interrupt;
    NcclExaminationRequest request;
    request.run_id = record->run_id;
    request.plan = record->plan;
    request.inventory = std::move(*inventory);
    request.prompter = terminal_prompter(options);
    request.through =
        through_node(parse_job(record->job_yaml, run_id).job, request.inventory, record->run_id);
    request.ras = view == View::Ras;
    request.flight_recorder = view == View::Flight;
    if (!options.json && ::isatty(STDERR_FILENO) != 0) {
        request.progress = [](const std::string& line) {
            std::fprintf(stderr, "%s\n", safe_text(line).c_str());
        };
    }
    const auto found = examine_nccl(request, interrupt.token());
    if (!found) {
        report(found.failure(), options.json);
        return found.failure().code == "cancelled" ? kStopped : kUnreachable;
    }
    if (!folder.empty()) {
        if (const int saved = save_dumps(options, *found, folder); saved != kDone) {
            return saved;
        }
    }
    const bool standing = any_stands(found->findings);
    if (options.json) {
        Json json{{"run", record->run_id}};
        if (view == View::Ras) {
            json["ras"] = ras_json(*found);
        } else {
            json["ranks"] = flight_json(found->flight_outcomes, found->dumps);
        }
        json["findings"] = json_of(found->findings);
        Json unreachable = Json::array();
        for (const auto& [node, failure] : found->unreachable) {
            unreachable.push_back({{"node", node}, {"id", failure.code.str()}, {"what", failure.what}});
        }
        json["unreachable"] = unreachable;
        print_json(json);
        return standing ? kPreflight : kDone;
    }
    for (const auto& [node, failure] : found->unreachable) {
        std::printf("%s: %s\n", node.c_str(), safe_text(to_line(failure)).c_str());
    }
    if (view == View::Ras) {
        print_ras(*found);
    } else {
        print_flights(found->flight_outcomes, found->dumps);
    }
    if (found->ras || !found->dumps.empty()) {
        print_findings(found->findings, text(kContext, "The ranks do not differ.").c_str());
    }
    return standing ? kPreflight : kDone;
}

}  // namespace

void add_nccl_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* nccl =
        app.add_subcommand("nccl", "The collectives of a run in progress; exit code 3: ranks differ");
    nccl->require_subcommand(1);
    auto* ras = nccl->add_subcommand("ras", "What NCCL's RAS service says: operations launched by each rank");
    auto ras_run = std::make_shared<std::string>();
    ras->add_option("run", *ras_run, "The run")->required();
    ras->callback([&options, &code, ras_run] { code = examine(options, View::Ras, *ras_run, {}); });
    auto* flight = nccl->add_subcommand(
        "flight",
        "The last collectives of each rank, from PyTorch's Flight Recorder, with the lines that called them");
    auto dumped = std::make_shared<std::vector<std::string>>();
    auto folder = std::make_shared<std::string>();
    flight
        ->add_option("run", *dumped, "The run; or files, folders and archives with dumps that PyTorch wrote")
        ->required();
    flight->add_option("--save", *folder, "Also write the dumps to this folder, for PyTorch's own analyser");
    flight->callback([&options, &code, dumped, folder] {
        std::error_code error;
        const bool is_run = dumped->size() == 1 && dumped->front().find('/') == std::string::npos &&
                            !std::filesystem::exists(dumped->front(), error);
        if (!is_run && !folder->empty()) {
            report({"bad-command-line", "--save", text(kContext, "The dumps lie in files already."), "", ""},
                   options.json);
            code = kUsage;
            return;
        }
        code = is_run ? examine(options, View::Flight, dumped->front(), *folder)
                      : examine_files(options, *dumped);
    });
}

}  // namespace rankscope::ctl
