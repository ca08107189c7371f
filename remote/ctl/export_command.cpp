// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/export_command.h>
#include <remote/ctl/output.h>
#include <remote/ctl/progress_line.h>
#include <remote/ctl/stop_on_interrupt.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/archive/export/run_export.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "ExportCommand";

struct ExportWishes {
    std::string run_id;
    std::string format = "events";
    std::string output;
    bool force = false;
};

int run_export(const GlobalOptions& options, const ExportWishes& wishes) {
    const auto store = open_store(options);
    if (!store) {
        return kUsage;
    }
    ExportOptions what;
    what.format = enum_from<ExportFormat>(wishes.format).value_or(ExportFormat::Events);
    what.path = wishes.output;
    what.replace = wishes.force;
    what.program = std::string("rankscopectl ") + RANKSCOPE_VERSION;
    if (is_folder(what.format) && what.path.empty()) {
        const auto run = store->run(wishes.run_id);
        if (!run) {
            report(run.failure(), options.json);
            return kUsage;
        }
        what.path = export_name(*run, what.format);
    }
    const bool to_file = !what.path.empty();
    const StopOnInterrupt interrupt;
    const auto written = export_run(*store, wishes.run_id, what,
                                    to_file ? progress_line(options) : ExportProgress(), interrupt.token());
    if (to_file) {
        end_progress_line(options);
    }
    if (!written) {
        report(written.failure(), options.json);
        return written.failure().code == "cancelled" ? kStopped : kUsage;
    }
    if (to_file && options.json) {
        const nlohmann::ordered_json done{
            {"run", wishes.run_id}, {"format", wishes.format}, {"file", what.path.string()}};
        print_json(done);
    } else if (to_file) {
        std::printf("%s\n", text(kContext, "Written: %1", {safe_text(what.path.string())}).c_str());
    }
    return kDone;
}

}  // namespace

void add_export_command(CLI::App& runs, GlobalOptions& options, int& code) {
    auto wishes = std::make_shared<ExportWishes>();
    auto* command = runs.add_subcommand(
        "export", "One as other programs read it; without further options every event, a JSON line each");
    command->add_option("run", wishes->run_id, "Id, as `runs list` shows it")->required();
    command
        ->add_option(
            "--format", wishes->format,
            "events (JSON lines), csv (metrics), telemetry-csv, tensorboard (a folder of event files), "
            "mlflow (a folder for mlflow ui), html (a report in one page), prometheus (last values as text)")
        ->check(
            CLI::IsMember({"events", "csv", "telemetry-csv", "tensorboard", "mlflow", "html", "prometheus"}));
    command->add_option(
        "-o,--output", wishes->output,
        "File or folder; without it, standard output (tensorboard, mlflow: a folder by the name of the run)");
    command->add_flag("--force", wishes->force, "Replace a file that exists");
    command->callback([&options, &code, wishes] { code = run_export(options, *wishes); });
}

}  // namespace rankscope::ctl
