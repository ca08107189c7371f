// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <gui/launch/job_document.h>

#include <filesystem>
#include <optional>

namespace rankscope::gui {

/// The job that is being edited, kept in a file so that it is there after a restart or a crash. Only the user can read
/// the file: it may contain an environment.
Result<void> write_job_draft(const std::filesystem::path& file, const JobSource& source);
/// Nothing where there is none or the file is not one of these. A job file that was not changed here is read again.
std::optional<JobSource> read_job_draft(const std::filesystem::path& file);

}  // namespace rankscope::gui
