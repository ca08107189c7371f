// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/output.h>
#include <remote/ctl/progress_line.h>
#include <remote/ctl/runs_import.h>
#include <remote/ctl/stop_on_interrupt.h>
#include <remote/ctl/table.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/archive/failure_bundle/bundle_draft.h>
#include <remote/desk/shared/text.h>
#include <remote/diagnosis/failure_catalogue.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "BundleCommand";

using Json = nlohmann::ordered_json;

struct BundleWishes {
    std::string run_id;
    std::string output;
    std::string open;
    bool list = false;
    bool force = false;
    bool hide_users = false;
};

std::string size_text(std::uint64_t bytes) {
    return bytes < 10'000       ? std::to_string(bytes) + " B"
           : bytes < 10'000'000 ? fixed_text(static_cast<double>(bytes) / 1e3, 0) + " kB"
                                : fixed_text(static_cast<double>(bytes) / 1e6, 0) + " MB";
}

Json json_of(const BundleDraft& draft, const std::string& file) {
    Json parts = Json::array();
    for (const auto& part : draft.parts()) {
        parts.push_back({{"name", part.name}, {"what", part.what}, {"bytes", part.bytes}});
    }
    Json redactions = Json::array();
    for (const auto& one : draft.redactions()) {
        redactions.push_back(
            {{"what", one.what}, {"where", one.where}, {"why", one.why}, {"times", one.times}});
    }
    return {{"run", draft.run().run_id}, {"file", file}, {"parts", parts}, {"redactions", redactions}};
}

// What goes in, then what is replaced: before anything is written.
void print_draft(const BundleDraft& draft) {
    std::vector<std::vector<std::string>> rows{{"FILE", "SIZE", "WHAT"}};
    for (const auto& part : draft.parts()) {
        rows.push_back({part.name, size_text(part.bytes), safe_text(part.what)});
    }
    std::fputs(format_table(rows).c_str(), stdout);
    if (draft.redactions().empty()) {
        std::printf("\n%s\n", text(kContext,
                                   "No secrets were found. Read the logs before you share the file: "
                                   "only known shapes are found.")
                                  .c_str());
        return;
    }
    std::printf("\n%s\n", text(kContext,
                               "Replaced by [redacted]. Only known shapes are found: read the logs "
                               "before you share the file.")
                              .c_str());
    rows = {{"WHAT", "WHERE", "TIMES", "WHY"}};
    for (const auto& one : draft.redactions()) {
        rows.push_back(
            {safe_text(one.what), safe_text(one.where), std::to_string(one.times), safe_text(one.why)});
    }
    std::fputs(format_table(rows).c_str(), stdout);
}

int fail(const GlobalOptions& options, const Failure& failure) {
    end_progress_line(options);
    report(failure, options.json);
    return failure.code == "cancelled" ? kStopped : kUsage;
}

int write_bundle(const GlobalOptions& options, const BundleWishes& wishes) {
    const auto store = open_store(options);
    if (!store) {
        return kUsage;
    }
    const StopOnInterrupt interrupt;
    const BundleProgress progress = progress_line(options);
    auto draft = BundleDraft::make(*store, wishes.run_id,
                                   {wishes.hide_users, std::string("rankscopectl ") + RANKSCOPE_VERSION},
                                   progress, interrupt.token());
    if (!draft) {
        return fail(options, draft.failure());
    }
    end_progress_line(options);
    if (!options.json) {
        print_draft(*draft);
    }
    const std::string file = wishes.output.empty() ? draft->run().run_id + ".rankscope" : wishes.output;
    if (!wishes.list) {
        if (auto written = draft->write(file, wishes.force, progress, interrupt.token()); !written) {
            return fail(options, written.failure());
        }
        end_progress_line(options);
    }
    if (options.json) {
        Json json = json_of(*draft, wishes.list ? std::string() : file);
        print_json(json);
    } else if (!wishes.list) {
        std::printf("\n%s\n", text(kContext, "Written: %1", {safe_text(file)}).c_str());
    }
    return kDone;
}

int bundle(const GlobalOptions& options, const BundleWishes& wishes) {
    if (!wishes.open.empty()) {
        return import_into_store(options, wishes.open);
    }
    if (wishes.run_id.empty()) {
        return fail(options, {.code = "no-such-run",
                              .what = text(kContext, "No run was named."),
                              .remedy = text(kContext, "`rankscopectl runs list` shows the ids of runs.")});
    }
    return write_bundle(options, wishes);
}

}  // namespace

void add_bundle_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command = app.add_subcommand(
        "bundle", "Write a stored run to one file for others, without secrets; open such a file");
    auto wishes = std::make_shared<BundleWishes>();
    auto* run = command->add_option("run", wishes->run_id, "Id, as `runs list` shows it");
    command->add_option("-o,--output", wishes->output, "The file to write (default: RUN.rankscope)")
        ->type_name("FILE");
    command->add_flag("--list,--dry-run", wishes->list,
                      "Print what goes in and what is replaced, and write nothing");
    command->add_flag("--force", wishes->force, "Replace the file if it exists");
    command->add_flag("--hide-users", wishes->hide_users, "Replace the names of users, too");
    command->add_option("--open", wishes->open, "Add the run of this file to the run store")
        ->type_name("FILE")
        ->excludes(run);
    command->callback([&options, &code, wishes] { code = bundle(options, *wishes); });
}

}  // namespace rankscope::ctl
