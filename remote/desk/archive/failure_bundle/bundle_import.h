// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/runs/store/run_store.h>
#include <remote/logs/read/packed_bytes.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace rankscope::inline archive {

/// Whether the file begins as a failure bundle does.
bool is_bundle(const std::filesystem::path& path);

/// What a bundle says of its run. Nothing of it was checked against the world: it comes from anybody.
struct BundleContent {
    RunRecord record;
    std::string program;  ///< that wrote it
    std::uint64_t events = 0;
};

/// How far a file was read, in bytes; not more often than every few megabytes.
using BundleReadProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;
/// Takes an event of the run, in order; false: enough.
using BundleEventSink = std::function<bool(const RunRecord& record, Event event)>;

/// Reads a bundle. Memory is bounded; nothing is written. `name` is for messages. Failures: it is no bundle, it is
/// damaged, it has parts that a bundle does not have, it is too large, its version is newer.
Result<BundleContent> read_bundle(const logs::ByteSource& bytes, const std::string& name,
                                  const BundleEventSink& sink);

/// The same of a file.
Result<BundleContent> read_bundle_file(const std::filesystem::path& path, const BundleEventSink& sink,
                                       BundleReadProgress progress = {});

/// Adds the run of a bundle to the store, under its own id. The file is read and checked as a whole first: a failure
/// changes nothing. Failures: those of read_bundle(), a run with this id is there already, cancelled.
Result<std::string> import_bundle(RunStore& store, const std::filesystem::path& path,
                                  const BundleReadProgress& progress = {}, const std::stop_token& stop = {});

}  // namespace rankscope::inline archive
