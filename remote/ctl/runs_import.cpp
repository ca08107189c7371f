// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/output.h>
#include <remote/ctl/progress_line.h>
#include <remote/ctl/runs_import.h>
#include <remote/ctl/stop_on_interrupt.h>
#include <remote/desk/archive/import/run_import.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>

#include <cstdio>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "BundleCommand";

}  // namespace

int import_into_store(const GlobalOptions& options, const std::string& path) {
    const auto store = open_store(options);
    if (!store) {
        return kUsage;
    }
    const StopOnInterrupt interrupt;
    const auto imported = import_runs(*store, path, progress_line(options), interrupt.token());
    end_progress_line(options);
    if (!imported) {
        report(imported.failure(), options.json);
        return imported.failure().code == "cancelled" ? kStopped : kUsage;
    }
    for (const auto& id : *imported) {
        if (options.json) {
            print_json(nlohmann::ordered_json{{"run", id}, {"file", path}});
        } else {
            std::printf(
                "%s\n",
                text(kContext, "The run %1 is in the run store: `rankscopectl runs show %1`.", {id}).c_str());
        }
    }
    return kDone;
}

}  // namespace rankscope::ctl
