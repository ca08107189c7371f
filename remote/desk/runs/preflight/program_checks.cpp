// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/program_checks.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Preflight";

// Another program of that name, a broken one, or one of twenty years ago.
void python(const std::vector<NodeView>& views, const HostNeeds& needs, HostFindings& findings) {
    const std::string name = std::filesystem::path(needs.program).filename();
    if (!name.starts_with("python")) {
        return;
    }
    const bool asks_for_two = name.starts_with("python2");
    for (const auto& view : views) {
        for (const auto& version : view.host.versions()) {
            if (version.name() != "python") {
                continue;
            }
            if (version.value().empty()) {
                findings.add("interpreter-missing", CheckStatus::Fail, view,
                             text(kContext,
                                  "\"%2\" of %1 is not Python, or its installation is broken: `%2 -V` there.",
                                  {view.name, needs.program}));
            } else if (version.value().starts_with("2.") && !asks_for_two) {
                findings.add("interpreter-missing", CheckStatus::Fail, view,
                             text(kContext, "\"%2\" of %1 is Python %3. PyTorch needs Python 3.",
                                  {view.name, needs.program, version.value()}));
            }
        }
    }
}

void program(const std::vector<NodeView>& views, const HostNeeds& needs, HostFindings& findings) {
    if (needs.program.empty()) {
        return;
    }
    for (const auto& view : views) {
        for (const auto& state : view.host.programs()) {
            if (state.name() == needs.program && state.error() != "late" &&
                (state.path().empty() || !state.executable())) {
                findings.add(
                    "interpreter-missing", CheckStatus::Fail, view,
                    state.path().empty()
                        ? text(kContext, "%1 has no program \"%2\".", {view.name, needs.program})
                    : state.error() == "no-interpreter"
                        ? text(kContext,
                               "\"%2\" of %1 cannot be executed: its interpreter or loader is missing.",
                               {view.name, needs.program})
                        : text(kContext, "\"%2\" of %1 cannot be executed.", {view.name, needs.program}));
            }
        }
    }
    python(views, needs, findings);
    findings.pass("interpreter-missing",
                  text(kContext, "Every node has the program \"%1\".", {needs.program}));
}

void script(const std::vector<NodeView>& views, const HostNeeds& needs, HostFindings& findings) {
    if (needs.script.empty()) {
        return;
    }
    std::map<std::string, std::vector<const NodeView*>> versions;
    for (const auto& view : views) {
        const auto* state = path_of(view, needs.script);
        if (state == nullptr || state->late()) {
            continue;
        }
        if (is_missing(*state)) {
            Check& check =
                findings.add("script-missing", CheckStatus::Fail, view,
                             text(kContext, "%1 does not exist on %2.", {needs.script, view.name}));
            if (!needs.push.empty()) {
                check.fixes = {{.job = {{"push", needs.push}}}};
            }
        } else if (!state->sha256().empty()) {
            versions[state->sha256()].push_back(&view);
        }
    }
    if (versions.size() < 2) {
        return;
    }
    const auto most = std::max_element(versions.begin(), versions.end(), [](const auto& a, const auto& b) {
        return a.second.size() < b.second.size();
    });
    for (const auto& [hash, nodes] : versions) {
        const bool odd = hash != most->first || nodes.size() * 2 <= views.size();
        for (const NodeView* view : odd ? nodes : std::vector<const NodeView*>()) {
            Check& check = findings.add("code-differs", CheckStatus::Fail, *view,
                                        text(kContext, "%1 of %2 differs from the file of the other nodes.",
                                             {needs.script, view->name}));
            // What is pushed replaces a file that the command names without its folder.
            if (needs.script.find('/') == std::string::npos) {
                check.fixes = {
                    {.job = {{"push", needs.push.empty() ? "[" + needs.script + "]" : needs.push}}}};
            }
        }
    }
}

std::string writers_text(const wire::OpenFolder& open) {
    const std::string& writers = open.writers();
    if (writers == "owner") {
        return text(kContext, "it belongs to %1", {open.owner()});
    }
    if (writers.starts_with("group ")) {
        return text(kContext, "the group %1 can write there", {writers.substr(6)});
    }
    return writers.starts_with("user ") ? text(kContext, "the user %1 can write there", {writers.substr(5)})
                                        : text(kContext, "every user can write there");
}

// Whoever can write there decides what runs in the user's name.
void open_workdir(const NodeView& view, const HostNeeds& needs, HostFindings& findings) {
    std::set<std::string> named;
    for (const auto& path : {needs.workdir, needs.script}) {
        const auto* state = path.empty() ? nullptr : path_of(view, path);
        if (state == nullptr || !state->has_open() || !named.insert(state->open().path()).second) {
            continue;
        }
        const wire::OpenFolder& open = state->open();
        char mode[16];
        std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(open.mode() & 07777U));
        Check& check = findings.add(
            "workdir-unsafe", CheckStatus::Warn, view,
            text(kContext,
                 "Others can change what the run executes on %1: %2 has the owner %3 and the mode %4; %5.",
                 {view.name, open.path(), open.owner(), mode, writers_text(open)}));
        check.remedy =
            open.writers() == "owner"
                ? text(kContext, "Set workdir: to a folder that only you can write.")
                : text(kContext,
                       "Remove their permission there: `chmod go-w %1`. Or set workdir: to a folder that "
                       "only you can write.",
                       {open.path()});
    }
}

}  // namespace

const wire::PathState* path_of(const NodeView& view, const std::string& path) {
    for (const auto& entry : view.host.paths()) {
        if (entry.path() == path || entry.resolved() == path) {
            return &entry;
        }
    }
    return nullptr;
}

bool is_missing(const wire::PathState& path) {
    return !path.exists() && !path.late() && path.error() != EAGAIN && path.error() != ENOMEM;
}

void program_checks(const std::vector<NodeView>& views, const HostNeeds& needs, HostFindings& findings) {
    program(views, needs, findings);
    script(views, needs, findings);
    for (const auto& view : views) {
        open_workdir(view, needs, findings);
    }
}

}  // namespace rankscope::inline runs
