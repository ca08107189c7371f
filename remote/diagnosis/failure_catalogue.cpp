// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/shell_quote.h>
#include <remote/diagnosis/failure_catalogue.h>
#include <remote/diagnosis/program_failures.h>
#include <remote/diagnosis/training_failures.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>

namespace rankscope {
namespace {

// Both lists, sorted by id.
consteval auto all_failures() {
    std::array<CatalogueEntry, kTrainingFailures.size() + kProgramFailures.size()> rows;
    std::merge(kTrainingFailures.begin(), kTrainingFailures.end(), kProgramFailures.begin(),
               kProgramFailures.end(), rows.begin(),
               [](const CatalogueEntry& a, const CatalogueEntry& b) { return a.id.text() < b.id.text(); });
    return rows;
}
constexpr auto kCatalogue = all_failures();

// One row for each id, in the same order: a row that is missing does not compile.
consteval bool rows_match_ids() {
    if (kCatalogue.size() != kFailureIds.size()) {
        return false;
    }
    for (std::size_t i = 0; i < kCatalogue.size(); ++i) {
        if (kCatalogue[i].id.text() != kFailureIds[i]) {
            return false;
        }
    }
    return std::is_sorted(kFailureIds.begin(), kFailureIds.end());
}
static_assert(rows_match_ids(),
              "base/failure_ids.h and the lists of failures must have the same ids, sorted");

// "{name}" → of("name", whether it is part of a command); "{{name}}" is the text "{name}".
std::string replace_places(const std::string& text,
                           const std::function<std::string(const std::string& name, bool command)>& of) {
    std::string out;
    bool command = false;  // between ` and `: what the user may copy into a shell
    std::size_t at = 0;
    while (at < text.size()) {
        const auto open = text.find('{', at);
        const auto close = open == std::string::npos ? open : text.find('}', open);
        if (close == std::string::npos) {
            break;
        }
        const std::string name = text.substr(open + 1, close - open - 1);
        const std::string before = text.substr(at, open - at);
        command = command != (std::count(before.begin(), before.end(), '`') % 2 == 1);
        out += before + (name.starts_with('{') ? name : of(name, command));
        at = close + 1;
    }
    return out + text.substr(at);
}

bool is_index(const std::string& name) {
    return name.size() == 1 && name[0] >= '1' && name[0] <= '9';
}

}  // namespace

const char* to_string(ExitClass exit_class) {
    switch (exit_class) {
        case ExitClass::None:
            return "none";
        case ExitClass::TrainingFailed:
            return "training-failed";
        case ExitClass::Usage:
            return "usage";
        case ExitClass::PreflightFault:
            return "preflight-fault";
        case ExitClass::Unreachable:
            return "unreachable";
        case ExitClass::Stopped:
            return "stopped";
    }
    return "none";
}

std::span<const CatalogueEntry> failure_catalogue() {
    return kCatalogue;
}

const CatalogueEntry* catalogue_entry(FailureId id) {
    const auto* const it =
        std::lower_bound(kCatalogue.begin(), kCatalogue.end(), id,
                         [](const CatalogueEntry& entry, FailureId wanted) { return entry.id < wanted; });
    return it != kCatalogue.end() && it->id == id ? it : nullptr;
}

int exit_code_of(FailureId id) {
    const CatalogueEntry* entry = catalogue_entry(id);
    return static_cast<int>(entry != nullptr && entry->exit != ExitClass::None ? entry->exit
                                                                               : ExitClass::Unreachable);
}

std::string documentation_of(FailureId id) {
    return "docs/failures.md#" + id.str();
}

std::string fill_places(const std::string& text, const CatalogueArguments& arguments) {
    const auto argument = [&arguments](char digit) {
        const auto index = static_cast<std::size_t>(digit - '1');
        return index < arguments.args.size() ? arguments.args[index] : std::string("?");
    };
    const auto value_of = [&](const std::string& name) -> std::string {
        if (name == "node") {
            return arguments.node;
        }
        if (name == "rank") {
            return std::to_string(arguments.rank);
        }
        if (name == "detail") {
            return arguments.detail;
        }
        if (is_index(name)) {
            return argument(name[0]);
        }
        if (name.starts_with("MB") && is_index(name.substr(2))) {
            return std::to_string((std::strtoull(argument(name[2]).c_str(), nullptr, 10) + 500000) / 1000000);
        }
        return '{' + name + '}';
    };
    return replace_places(text, [&](const std::string& name, bool command) {
        const std::string value = value_of(name);
        return command ? copied_word(value == "?" ? std::string() : value) : value;
    });
}

std::string without_places(const std::string& text) {
    return replace_places(text, [](const std::string&, bool) { return std::string("…"); });
}

std::string failures_markdown() {
    std::string page =
        "# Failures, verdicts and notices\n\n"
        "Every id that Rankscope uses, in JSON output (`id`) and in this page. An id does not change once "
        "it is released.\nThis page is the output of `rankscopectl errors --markdown`.\n";
    for (const auto& entry : failure_catalogue()) {
        page += "\n## " + entry.id.str() + "\n\n" + without_places(entry.title) + '\n';
        if (*entry.remedy != '\0') {
            page += "\n**What to do:** " + without_places(entry.remedy) + '\n';
        }
        if (entry.exit != ExitClass::None) {
            page += "\nExit code: " + std::to_string(static_cast<int>(entry.exit)) + '\n';
        }
    }
    return page;
}

}  // namespace rankscope
