// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure_id.h>

#include <span>
#include <string>
#include <vector>

namespace rankscope {

/// What rankscopectl returns when a run ends with this failure (design page, "Exit code").
enum class ExitClass {
    None = 0,  ///< a notice or a warning: it ends nothing
    TrainingFailed = 1,
    Usage = 2,
    PreflightFault = 3,
    Unreachable = 4,
    Stopped = 130,
};
const char* to_string(ExitClass exit_class);

/// One row of the catalogue. Texts are English sources for translation and may hold places: {node}, {rank},
/// {detail}, {1}, {2} … (arguments of the report), {MB1}, {MB2} … (an argument in bytes, as megabytes).
struct CatalogueEntry {
    FailureId id;
    ExitClass exit = ExitClass::Unreachable;
    const char* title = "";
    const char* remedy = "";  ///< empty: nothing to do
};

/// All rows, sorted by id: every id of kFailureIds once.
std::span<const CatalogueEntry> failure_catalogue();
/// The row of the id; nullptr for an id that is not in the list (of a newer agent or a user's rule).
const CatalogueEntry* catalogue_entry(FailureId id);

/// The exit code of a run that cannot start, or ends, for this reason. Unknown ids: 4.
int exit_code_of(FailureId id);
/// Where the documentation describes it: "docs/failures.md#port-in-use".
std::string documentation_of(FailureId id);

/// What goes into the places of a text.
struct CatalogueArguments {
    std::string node = {};
    int rank = -1;
    std::string detail = {};
    std::vector<std::string> args = {};
};
/// The text with its places filled. A place without an argument shows "?".
std::string fill_places(const std::string& text, const CatalogueArguments& arguments);
/// The text for a list of all failures: every place is "…".
std::string without_places(const std::string& text);
/// docs/failures.md: every row of the catalogue.
std::string failures_markdown();

}  // namespace rankscope
