// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/resume_guard.h>
#include <engine/data/data_paths.h>
#include <engine/error.h>
#include <engine/train/store_checkpoints.h>

namespace rankscope::engine {

StoreCheckpoints::StoreCheckpoints(const config::CheckpointConfig& config, ProcessGroup* group, int rank)
    : config_(config), group_(group), rank_(rank), folder_(expand_home(config.folder)) {}

std::optional<Snapshot> StoreCheckpoints::newest(std::string& note) const {
    if (config_.folder.empty()) {
        return std::nullopt;
    }
    LoadedCheckpoint loaded = CheckpointStore(folder_, static_cast<int>(config_.keep)).load_newest_valid();
    for (const RejectedCheckpoint& rejected : loaded.rejected) {
        note += rejected.folder.string() + " was not taken: " + rejected.reason + ". ";
    }
    return std::move(loaded.snapshot);
}

std::optional<Snapshot> StoreCheckpoints::named(std::string& problem) const {
    try {
        return CheckpointStore(folder_).read(expand_home(config_.resume));
    } catch (const Error& error) {
        problem = error.what();
        return std::nullopt;  // another rank may have it
    }
}

RunStart StoreCheckpoints::start(const RunMeasures& /*measures*/) {
    if (config_.resume == "never") {
        return {};
    }
    std::string note;
    std::string problem;
    const bool by_name = config_.resume != "auto";
    Resumed resumed = agree_on_snapshot(group_, by_name ? named(problem) : newest(note));
    if (by_name && !resumed.snapshot) {
        throw ConfigError("checkpoint.resume: " +
                          (problem.empty() ? config_.resume + " cannot be read" : problem));
    }
    if (resumed.snapshot) {
        note += "continues from the checkpoint of step " + std::to_string(resumed.snapshot->position.step);
    }
    if (!resumed.note.empty()) {
        note += (note.empty() ? "" : ". ") + resumed.note;
    }
    return {.snapshot = std::move(resumed.snapshot), .with_optimizer = true, .note = std::move(note)};
}

bool StoreCheckpoints::due(const SavePoint& point) const {
    if (config_.folder.empty()) {
        return false;
    }
    if (point.run_ends) {
        return true;
    }
    if (point.epoch_ends) {
        return config_.every_epochs > 0 && (point.epoch + 1) % config_.every_epochs == 0;
    }
    return config_.every_steps && point.update % *config_.every_steps == 0;
}

std::string StoreCheckpoints::save(const SavePoint& /*point*/, const std::function<void(Snapshot&)>& fill) {
    if (rank_ != 0) {
        return "";
    }
    if (!writer_) {
        writer_ =
            std::make_unique<CheckpointWriter>(CheckpointStore(folder_, static_cast<int>(config_.keep)));
    }
    writer_->save(fill);
    return "";
}

std::vector<CheckpointReport> StoreCheckpoints::reports() {
    std::vector<CheckpointReport> result;
    if (!writer_) {
        return result;
    }
    for (SaveReport& report : writer_->reports()) {
        result.push_back({.update = report.step,
                          .where = std::move(report.where),
                          .bytes = report.bytes,
                          .held_ms = report.held_ms,
                          .write_ms = report.write_ms,
                          .error = std::move(report.error),
                          .repeated = report.repeated,
                          .abandoned = std::move(report.abandoned)});
    }
    return result;
}

void StoreCheckpoints::finish() {
    if (writer_) {
        writer_->finish();
    }
}

}  // namespace rankscope::engine
