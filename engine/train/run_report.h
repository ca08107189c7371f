// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/training_step.h>
#include <engine/train/run_checkpoints.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/// What the training loop reports, and who listens: metric lines, the log for people, Distribuuuu's lines.
namespace rankscope::engine {

struct WorkerFacts {
    int rank = 0;
    int world_size = 1;
    std::string backend;
    int threads = 1;
};

struct RunFacts {
    int rank = 0;
    int world_size = 1;
    std::int64_t parameters = 0;  ///< trainable numbers
    std::int64_t epochs = 1;
    std::int64_t updates = 0;  ///< of the whole run, if nothing stops it
    std::int64_t topk = 5;
    bool classifies = true;         ///< there are accuracies
    std::int64_t tokens = 0;        ///< of a sample; 0: samples are no sequences
    std::int64_t first_epoch = 0;   ///< where this start begins; behind 0 after a resume
    std::int64_t first_update = 0;  ///< updates made before it

    /// Images or tokens: what a throughput counts.
    double per_sample() const { return tokens > 0 ? static_cast<double>(tokens) : 1.0; }
};

/// Both over all ranks.
struct ReducedTotals {
    Totals step;
    Totals epoch;  ///< since the epoch's first batch of this start
};

/// What a rank keeps of a network, bytes.
struct ModelMemory {
    std::size_t weights = 0;
    std::size_t gradients = 0;
    std::size_t optimizer = 0;
    std::size_t activations = 0;
};

struct StepReport {
    std::int64_t update = 0;           ///< of the run, from 1
    std::int64_t epoch = 0;            ///< from 0
    std::int64_t update_in_epoch = 0;  ///< from 1
    std::int64_t updates_per_epoch = 0;
    Totals mine{};                    ///< this rank's batches of this update
    std::int64_t samples_so_far = 0;  ///< of this rank
    double lr = 0.0;
    StepTimes times{};
    double step_ms = 0.0;
    std::optional<double>
        gradient_norm{};  ///< of the averaged gradients, before clipping; where it was computed
    std::uint64_t sent =
        0;  ///< bytes that this rank gave to others in this update (Traffic); 0: none, or not counted
    std::optional<ModelMemory> memory{};  ///< where `all` is, too
    bool skipped = false;                 ///< fp16: a gradient overflowed, no update was made
    std::optional<ReducedTotals> all{};   ///< every metrics_every updates and at the end of an epoch
};

struct ValidationStep {
    std::int64_t batch = 0;    ///< from 1
    std::int64_t batches = 0;  ///< of the rank that has most
    Totals mine{};             ///< of this batch
    double data_ms = 0.0;
    double batch_ms = 0.0;
    std::optional<ReducedTotals> all{};  ///< every validation.report_every batches and at the end
};

struct EpochReport {
    std::int64_t epoch = 0;              ///< from 0
    std::int64_t update = 0;             ///< made so far
    std::optional<Totals> validation{};  ///< over all ranks
    double best_acc1 = 0.0;              ///< of all epochs so far
    std::string checkpoint{};            ///< what was written or is being written; empty: nothing
};

/// This rank's parameters are not those of the other ranks any more.
struct ParameterDrift {
    std::int64_t update = 0;  ///< the first one after which this was seen
    std::string parameter{};  ///< the first parameter of the model that differs
};

class RunListener {
public:
    virtual ~RunListener() = default;
    /// The ranks have met and the model is compiled.
    virtual void worker_ready(const WorkerFacts&) {}
    /// "mnist: 60000 training images"
    virtual void data_ready(const std::string& /*text*/) {}
    virtual void run_begins(const RunFacts&) {}
    virtual void epoch_begins(std::int64_t /*epoch*/, double /*lr*/) {}
    virtual void step_done(const StepReport&) {}
    virtual void validation_begins(std::int64_t /*epoch*/) {}
    virtual void validation_step_done(const ValidationStep&) {}
    virtual void epoch_done(const EpochReport&) {}
    /// Rank 0: a checkpoint is on disk, or could not be written.
    virtual void checkpoint_done(const CheckpointReport&) {}
    virtual void run_done(const std::string& /*checksum*/) {}
    /// Once a run, on the ranks that differ from the others.
    virtual void parameters_differ(const ParameterDrift&) {}
    /// A note for the user, in a sentence.
    virtual void note(const std::string& /*text*/) {}
};

}  // namespace rankscope::engine
