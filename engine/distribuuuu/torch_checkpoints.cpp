// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/resume_guard.h>
#include <engine/checkpoint/torch_checkpoint.h>
#include <engine/distribuuuu/lines.h>
#include <engine/distribuuuu/torch_checkpoints.h>
#include <engine/error.h>

#include <system_error>

namespace rankscope::engine::distribuuuu {

TorchCheckpoints::TorchCheckpoints(const Settings& settings, ProcessGroup* group, int rank, RunLog& log)
    : settings_(settings),
      group_(group),
      rank_(rank),
      log_(log),
      folder_(std::filesystem::path(settings.out_dir) / "checkpoints") {}

std::optional<Snapshot> TorchCheckpoints::read(const std::filesystem::path& file, const RunMeasures& measures,
                                               bool optimizer) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) {
        return std::nullopt;
    }
    TorchCheckpoint from = read_torch_checkpoint(file, measures.parameter_names);
    Snapshot snapshot;
    snapshot.model = std::move(from.model);
    TrainingPosition& position = snapshot.position;
    position.world_size = measures.world_size;
    position.batch_size = measures.batch_size;
    position.accumulation = measures.accumulation;
    position.seed = measures.seed;
    if (!optimizer || !from.epoch) {
        return snapshot;
    }
    if (!from.has_optimizer) {
        log_.write(no_optimizer_line(file.string()));
        return snapshot;
    }
    snapshot.optimizer = std::move(from.optimizer);
    position.epoch = *from.epoch + 1;
    position.step = from.step.value_or(position.epoch * measures.updates_per_epoch);
    position.samples = position.epoch * measures.samples_per_epoch;
    if (from.best_acc1) {
        position.best_accuracy = *from.best_acc1 / 100;
    }
    return snapshot;
}

RunStart TorchCheckpoints::start(const RunMeasures& measures) {
    parameter_names_ = measures.parameter_names;
    std::filesystem::path file;
    std::optional<Snapshot> mine;
    if (settings_.train.auto_resume && !only_weights_) {
        file = newest_torch_checkpoint(folder_);
        mine = file.empty() ? std::nullopt : read(file, measures, true);
    }
    if (!mine && !settings_.model.weights.empty()) {
        file = settings_.model.weights;
        mine = read(file, measures, settings_.train.load_opt && !only_weights_);
    }
    Resumed resumed = agree_on_snapshot(group_, std::move(mine));
    if (!resumed.snapshot) {
        if (!settings_.model.weights.empty()) {
            throw ConfigError("CHECKPOINT '" + settings_.model.weights + "' NOT FOUND");
        }
        return {};
    }
    if (rank_ == 0) {
        log_.write(loaded_line(file.empty() ? "rank " + std::to_string(resumed.source) + "'s checkpoint"
                                            : file.string()));
    }
    return {.snapshot = std::move(resumed.snapshot), .with_optimizer = true, .note = std::move(resumed.note)};
}

std::string TorchCheckpoints::save(const SavePoint& point, const std::function<void(Snapshot&)>& fill) {
    fill(buffer_);
    std::error_code ignored;
    std::filesystem::create_directories(folder_, ignored);  // where it fails, the write says why
    const std::filesystem::path file = torch_checkpoint_path(folder_, point.epoch + 1);
    write_torch_checkpoint(file, buffer_,
                           {.epoch = point.epoch,
                            .best_acc1 = 100 * buffer_.position.best_accuracy.value_or(0.0),
                            .optimizer = point.optimizer,
                            .parameter_names = parameter_names_});
    if (point.best) {
        write_torch_state_dict(std::filesystem::path(settings_.out_dir) / "best.pth.tar", buffer_.model);
    }
    // As os.path.join makes it, for the line that names it.
    return settings_.out_dir + (settings_.out_dir.ends_with('/') ? "" : "/") + "checkpoints/" +
           file.filename().string();
}

}  // namespace rankscope::engine::distribuuuu
