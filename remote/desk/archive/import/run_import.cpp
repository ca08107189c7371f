// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/archive/failure_bundle/bundle_import.h>
#include <remote/desk/archive/import/event_file_import.h>
#include <remote/desk/archive/import/log_import.h>
#include <remote/desk/archive/import/run_import.h>
#include <remote/desk/shared/text.h>

namespace rankscope::inline archive {
namespace {

constexpr const char* kContext = "RunImport";

Result<std::vector<std::string>> one(const Result<std::string>& id) {
    return id ? Result<std::vector<std::string>>(std::vector{*id})
              : Result<std::vector<std::string>>(id.failure());
}

}  // namespace

Result<std::vector<std::string>> import_runs(RunStore& store, const std::filesystem::path& path,
                                             const ImportProgress& progress, const std::stop_token& stop) {
    if (path.extension() == ".rankscope" || is_bundle(path)) {  // a damaged one is no log
        return one(import_bundle(store, path, progress, stop));
    }
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
        return Failure{.code = "bad-file",
                       .where = path.string(),
                       .what = text(kContext, "There is no such file or folder."),
                       .remedy = text(kContext, "Check its name.")};
    }
    if (holds_event_files(path)) {
        return import_event_files(store, path, progress, stop);
    }
    return one(import_logs(store, path, progress, stop));
}

}  // namespace rankscope::inline archive
