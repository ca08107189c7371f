// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>

namespace rankscope::inline archive::bundle_format {

// A tar archive, compressed with zstd: manifest.json first, then the parts, then the events in pieces. What other parts
// an archive has is not read. docs/bundle.md describes it.

inline constexpr const char* kFormat = "rankscope failure bundle";
inline constexpr int kVersion = 1;
inline constexpr const char* kManifest = "manifest.json";
inline constexpr const char* kRun = "run.json";
inline constexpr const char* kPlan = "plan.json";
inline constexpr const char* kJob = "job.yaml";
inline constexpr const char* kEvents = "events/";  ///< "events/000001.jsonl"

// What a reader accepts.
inline constexpr std::uint64_t kMostUnpacked = std::uint64_t{16} << 30;
inline constexpr std::size_t kMostPart = std::size_t{64} << 20;
inline constexpr std::size_t kMostMembers = 100'000;

}  // namespace rankscope::inline archive::bundle_format
