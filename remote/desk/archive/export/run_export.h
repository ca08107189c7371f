// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <remote/desk/archive/export/event_pass.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

namespace rankscope::inline archive {

enum class ExportFormat : std::uint8_t { Events, Csv, Telemetry, TensorBoard, Mlflow, Html, Prometheus };

}  // namespace rankscope::inline archive

namespace rankscope {

template <>
struct EnumNames<ExportFormat> {
    static constexpr std::array names{"events", "csv",  "telemetry-csv", "tensorboard",
                                      "mlflow", "html", "prometheus"};
};

}  // namespace rankscope

namespace rankscope::inline archive {

struct ExportOptions {
    ExportFormat format = ExportFormat::Events;
    std::filesystem::path path = {};  ///< the file, or the folder; empty: standard output
    bool replace = false;             ///< a file that exists; a folder is never replaced
    std::string program = {};         ///< name and version of the program that writes it
};

/// TensorBoard and MLflow read a folder, which must have a name.
constexpr bool is_folder(ExportFormat format) {
    return format == ExportFormat::TensorBoard || format == ExportFormat::Mlflow;
}

/// "NAME.csv": what a user would call it.
std::string export_name(const RunRecord& run, ExportFormat format);

/// Writes a stored run as programs and people elsewhere read it. Secrets of the job file are masked; the report and
/// the folders hold none that the redactor recognises. Nothing is left behind by one that failed.
/// Failures: there is no such run, the store cannot be read, the file exists or cannot be written, cancelled.
Result<void> export_run(const RunStore& store, const std::string& run_id, const ExportOptions& options,
                        const ExportProgress& progress = {}, const std::stop_token& stop = {});

}  // namespace rankscope::inline archive
