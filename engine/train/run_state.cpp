// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/model_state.h>
#include <engine/train/initial_weights.h>
#include <engine/train/run_state.h>

#include <utility>

namespace rankscope::engine {
namespace {

std::vector<std::string> parameter_names(const Graph& graph) {
    std::vector<std::string> names;
    for (const Parameter& parameter : graph.parameters) {
        names.push_back(parameter.name);
    }
    return names;
}

}  // namespace

RunState::RunState(const TrainerOptions& options, const Graph& graph, CompiledModel& model,
                   TrainingStep& step, RunProgress& progress, std::string settings_digest)
    : options_(options),
      graph_(graph),
      model_(model),
      step_(step),
      progress_(progress),
      settings_digest_(std::move(settings_digest)) {}

std::string RunState::resume(const RunMeasures& measures) {
    const config::TrainConfig& config = options_.config;
    RunStart start;
    if (options_.checkpoints != nullptr) {
        start = options_.checkpoints->start(measures);
    }
    if (!start.snapshot) {
        if (!config.checkpoint.init_from.empty()) {
            load_initial_weights(config.checkpoint.init_from, model_, graph_, options_.group);
            start.note += "begins with the weights of " + config.checkpoint.init_from;
        }
        return start.note;
    }
    restore_model(start.snapshot->model, model_, graph_);
    if (!start.with_optimizer) {
        return start.note;
    }
    restore_optimizer(start.snapshot->optimizer, model_, graph_);
    return start.note + take_position(start.snapshot->position, measures);
}

std::string RunState::take_position(const TrainingPosition& from, const RunMeasures& measures) {
    const config::TrainConfig& config = options_.config;
    std::string note;
    const ResumePoint point = resume_point(from, options_.data_ranks(), config.batch_size,
                                           config.accumulate_steps, measures.batches_per_epoch);
    progress_.epoch = point.epoch;
    progress_.batch_in_epoch = point.first_batch;
    progress_.samples_in_epoch = point.first_batch * config.batch_size;
    progress_.update = from.step;
    progress_.samples = from.samples / options_.data_ranks();
    progress_.best_acc1 = from.best_accuracy;
    if (const auto skipped = from.numbers.find("skipped_updates"); skipped != from.numbers.end()) {
        progress_.skipped = static_cast<std::int64_t>(skipped->second);
        progress_.skipped_before = progress_.skipped;
    }
    if (const auto scale = from.numbers.find("loss_scale");
        scale != from.numbers.end() && step_.loss_scale()) {
        step_.set_loss_scale(
            {.scale = scale->second,
             .finite_in_a_row = static_cast<std::int64_t>(from.numbers.at("finite_in_a_row"))});
    }
    if (point.repeated_samples > 0) {
        note += "; " + std::to_string(point.repeated_samples) +
                " samples of the epoch are repeated because the total batch differs";
    }
    if (from.seed != measures.seed) {
        note += "; its seed was " + std::to_string(from.seed) + ", this run's is " +
                std::to_string(measures.seed) + ": samples come in another order";
    }
    return note;
}

TrainingPosition RunState::position() const {
    const config::TrainConfig& config = options_.config;
    TrainingPosition position{.step = progress_.update,
                              .epoch = progress_.epoch,
                              .batch_in_epoch = progress_.batch_in_epoch,
                              .samples_in_epoch = progress_.samples_in_epoch * options_.data_ranks(),
                              .samples = progress_.samples * options_.data_ranks(),
                              .world_size = options_.data_ranks(),
                              .batch_size = config.batch_size,
                              .accumulation = config.accumulate_steps,
                              .seed = static_cast<std::uint64_t>(config.seed),
                              .config_digest = settings_digest_,
                              .best_accuracy = progress_.best_acc1};
    position.numbers["skipped_updates"] = static_cast<double>(progress_.skipped);
    if (const auto scale = step_.loss_scale()) {
        position.numbers["loss_scale"] = scale->scale;
        position.numbers["finite_in_a_row"] = static_cast<double>(scale->finite_in_a_row);
    }
    return position;
}

void RunState::load_weights() {
    if (options_.checkpoints == nullptr) {
        return;
    }
    const RunMeasures measures{.parameter_names = parameter_names(graph_),
                               .world_size = options_.data_ranks()};
    if (const RunStart start = options_.checkpoints->start(measures); start.snapshot) {
        restore_model(start.snapshot->model, model_, graph_);
    }
}

bool RunState::due(const SavePoint& point) const {
    return options_.checkpoints != nullptr && options_.checkpoints->due(point);
}

std::string RunState::save(SavePoint point) {
    point.optimizer = progress_.last_step;
    point.optimizer.step -= progress_.skipped - progress_.skipped_before;
    std::string name;
    step_.with_whole_arrays(CompiledModel::Whole::with_optimizer, [&] {
        model_.with_whole_model(CompiledModel::Whole::with_optimizer, [&] {
            if (options_.rank == 0) {
                name = options_.checkpoints->save(point, [this](Snapshot& snapshot) {
                    collect(model_, graph_, snapshot);
                    snapshot.position = position();
                });
            }
        });
    });
    return name;
}

void RunState::report_written() {
    if (options_.checkpoints == nullptr) {
        return;
    }
    for (const CheckpointReport& report : options_.checkpoints->reports()) {
        options_.notify([&](RunListener& listener) { listener.checkpoint_done(report); });
    }
}

void RunState::finish() {
    if (options_.checkpoints != nullptr) {
        options_.checkpoints->finish();
    }
}

}  // namespace rankscope::engine
