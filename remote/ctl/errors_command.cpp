// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/commands.h>
#include <remote/ctl/output.h>
#include <remote/diagnosis/failure_catalogue.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace rankscope::ctl {
namespace {

using Json = nlohmann::ordered_json;

void print_as_json() {
    Json all = Json::array();
    for (const auto& entry : failure_catalogue()) {
        const int code = static_cast<int>(entry.exit);
        all.push_back({{"id", entry.id.text()},
                       {"title", without_places(entry.title)},
                       {"exit", to_string(entry.exit)},
                       {"exit_code", code == 0 ? Json(nullptr) : Json(code)},
                       {"fix", without_places(entry.remedy)},
                       {"documentation", documentation_of(entry.id)}});
    }
    print_json(Json{{"errors", all}});
}

void print_text() {
    for (const auto& entry : failure_catalogue()) {
        std::printf("%s\n  %s\n", entry.id.str().c_str(), without_places(entry.title).c_str());
        if (*entry.remedy != '\0') {
            std::printf("  -> %s\n", without_places(entry.remedy).c_str());
        }
    }
}

}  // namespace

void add_errors_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command = app.add_subcommand("errors", "List every failure, verdict and notice with its id");
    auto markdown = std::make_shared<bool>(false);
    command->add_flag("--markdown", *markdown, "As the page docs/failures.md");
    command->callback([&options, &code, markdown] {
        if (*markdown) {
            std::fputs(failures_markdown().c_str(), stdout);
        } else if (options.json) {
            print_as_json();
        } else {
            print_text();
        }
        code = kDone;
    });
}

}  // namespace rankscope::ctl
