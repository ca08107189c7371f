// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// What users add to a run to find it again. Nothing of it changes the run.
struct RunLabels {
    bool starred = false;
    std::string group = {};              ///< of runs that belong together: seeds of one setting; empty: none
    std::string note = {};               ///< any text
    std::vector<std::string> tags = {};  ///< sorted, each once; no empty ones

    bool operator==(const RunLabels&) const = default;
    void add_tag(const std::string& tag);
    void remove_tag(const std::string& tag);
};

/// What to change of the labels of some runs; all else stays.
struct LabelChange {
    std::optional<bool> starred = {};
    std::optional<std::string> group = {};
    std::optional<std::string> note = {};
    std::vector<std::string> add_tags = {};
    std::vector<std::string> remove_tags = {};

    bool operator==(const LabelChange&) const = default;
    RunLabels applied_to(RunLabels labels) const;
};

/// The tags that all of these have, and those that only some have; each sorted.
struct SharedTags {
    std::vector<std::string> of_all = {};
    std::vector<std::string> of_some = {};
};
SharedTags shared_tags(const std::vector<RunLabels>& labels);

/// The labels of the runs of a store, in the store's file. Thread-safe by SQLite; other programs may change them.
class RunLabelStore {
public:
    /// The file of an opened RunStore.
    static Result<std::shared_ptr<RunLabelStore>> open(const std::filesystem::path& path);
    ~RunLabelStore();
    RunLabelStore(const RunLabelStore&) = delete;
    RunLabelStore& operator=(const RunLabelStore&) = delete;

    /// By run; runs without labels are not in it.
    Result<std::map<std::string, RunLabels>> all() const;
    Result<RunLabels> of(const std::string& run_id) const;
    /// Labels outlive a run that is removed, for a removal that is undone.
    Result<void> set(const std::string& run_id, const RunLabels& labels);
    /// Of several runs, all or none.
    Result<void> change(const std::vector<std::string>& run_ids, const LabelChange& change);

private:
    class Impl;
    explicit RunLabelStore(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace rankscope::inline runs
