// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/archive/failure_bundle/redactor.h>
#include <remote/desk/runs/store/run_store.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline archive {

/// A file of a bundle.
struct BundlePart {
    std::string name;         ///< in the archive
    std::string what;         ///< for users
    std::uint64_t bytes = 0;  ///< not compressed
};

struct BundleOptions {
    bool hide_users = false;
    std::string program = {};  ///< name and version of the program that writes it
};

/// Events that were handled, of all of them; on the caller's thread, not more often than every few thousand events.
using BundleProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// A stored run as one file that others can open: everything that Rankscope knows of it, without secrets. First what
/// goes in and what is replaced is known, then it is written. Reads the store, which outlives it.
class BundleDraft {
public:
    /// Reads the run twice. Failures: there is no such run, the store cannot be read, cancelled.
    static Result<BundleDraft> make(const RunStore& store, const std::string& run_id,
                                    const BundleOptions& options, const BundleProgress& progress = {},
                                    const std::stop_token& stop = {});

    const RunRecord& run() const { return record_; }
    const std::vector<BundlePart>& parts() const { return parts_; }
    const std::vector<Redaction>& redactions() const { return redactions_; }

    /// The file appears when it is complete. Failures: it exists (without `replace`), it cannot be written, the store
    /// cannot be read, cancelled.
    Result<void> write(const std::filesystem::path& path, bool replace, const BundleProgress& progress = {},
                       const std::stop_token& stop = {});

private:
    struct Text {
        std::string name;
        std::string what;
        std::string text;
    };

    BundleDraft(const RunStore& store, RunRecord record, Redactor redactor)
        : store_(&store), record_(std::move(record)), redactor_(std::move(redactor)) {}

    Result<void> scan(const BundleProgress& progress, const std::stop_token& stop);
    Result<void> each_event(const std::function<bool(std::string line)>& sink, const BundleProgress& progress,
                            const std::stop_token& stop);
    void add_json(const char* name, std::string what, nlohmann::ordered_json json);
    void make_texts(const BundleOptions& options);
    std::string manifest(const BundleOptions& options) const;

    const RunStore* store_;
    RunRecord record_;
    Redactor redactor_;
    std::uint64_t events_ = 0;
    std::uint64_t event_bytes_ = 0;
    std::vector<Text> texts_;
    std::vector<BundlePart> parts_;
    std::vector<Redaction> redactions_;
};

}  // namespace rankscope::inline archive
