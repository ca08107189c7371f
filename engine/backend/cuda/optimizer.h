// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/optim/optimizer_step.h>
#include <engine/tensor/element_type.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// The optimizer over all parameters in one launch, and what precedes it: the gradients' norm, clipping and
/// the loss scale. All numbers that change from step to step lie in device memory, so that a recorded graph
/// serves for every step.
namespace rankscope::engine::cuda {

/// One update's numbers, rounded as optimizer_update() does.
struct UpdateNumbers {
    float gradient_scale = 1.0F;  ///< every gradient is multiplied by it first
    float clip_value = 0.0F;      ///< then limited to ± this
    float lr = 0.0F;
    float decay = 0.0F;  ///< times the parameter, added to the gradient
    float keep = 0.0F;  ///< sgd: buffer = keep · buffer + take · d; p −= lr · (direct · d + ahead · buffer)
    float take = 0.0F;
    float ahead = 0.0F;
    float direct = 0.0F;
    float keep_parameter = 1.0F;  ///< adamw's decay
    float beta1 = 0.0F;
    float take1 = 0.0F;
    float beta2 = 0.0F;
    float take2 = 0.0F;
    float size = 0.0F;  ///< lr / (1 − β₁ᵗ)
    float root_correction2 = 1.0F;
    float eps = 0.0F;
    int skip = 0;  ///< leave everything as it is
    OptimizerStep step;
};

/// What the loss scale remembers; engine/optim/loss_scale.h in device memory.
struct DeviceLossScale {
    float scale = 1.0F;
    double growth = 2.0;
    double backoff = 0.5;
    std::int64_t growth_interval = 2000;
    std::int64_t finite_in_a_row = 0;
    std::int64_t left_out = 0;  ///< updates that overflowed
};

/// What became of an update, in device memory.
struct UpdateReport {
    double norm = 0.0;
    float loss_scale = 1.0F;
    int updated = 1;
    /// OptimizerStep::step of the last update with a gradient that is not finite; 0: none so far.
    std::int64_t not_finite_in = 0;
};

/// Parameters are stored in lines of this many floats; a line has one kind.
constexpr int kLine = 16;
enum LineFlags : std::uint8_t {
    kDecayed = 1,  ///< weight decay applies
    kLive = 2      ///< the gradient can differ from zero; otherwise it is not even read
};

struct FlatParameters {
    std::size_t begin = 0;  ///< floats, a multiple of kLine
    std::size_t end = 0;
    const std::uint8_t* lines = nullptr;  ///< LineFlags of every line of the whole array
    const float* gradients = nullptr;     ///< all arrays from float 0
    float* parameters = nullptr;
    float* first = nullptr;   ///< momentum_buffer or exp_avg; may be null without momentum
    float* second = nullptr;  ///< exp_avg_sq
    void* copy = nullptr;     ///< the parameters for the kernels, rounded; null where they read the floats
    ElementType copy_type = ElementType::f32;
    bool live_only = false;  ///< lines without a gradient are left out: catch_up() updates them later
};

/// Updates that lines without a gradient have not made yet. They change with momentum and weight decay alone, and no kernel
/// reads them: many updates are made in one pass over memory, each with its own numbers and the same bits.
struct IdleUpdates {
    static constexpr unsigned kMost = 256;
    unsigned count = 0;
    UpdateNumbers numbers[kMost];
};

/// The numbers of one step, as optimizer_update() takes them from it. For the host and for the device.
void set_update_numbers(const OptimizerStep& step, UpdateNumbers& numbers);

/// What an update looks at and writes next to the parameters; device memory, each may be null.
struct UpdateNotes {
    /// Not finite: nothing is changed, and the step that made it can be looked at with the weights that it had.
    const double* loss = nullptr;
    /// Takes a note of an update that is made; the caller sees to it that there is room.
    IdleUpdates* idle = nullptr;
    UpdateReport* report = nullptr;  ///< not_finite_in is written
};

/// Nothing is changed where `numbers` say so. Parameters and state next to a gradient that is not finite stay as they are:
/// the gradients are the sum over the ranks, so a rank without a fault of its own keeps finite weights, too.
void update_parameters(OptimizerKind kind, const FlatParameters& flat, const UpdateNumbers* numbers,
                       const UpdateNotes& notes, cudaStream_t stream);
/// Makes the noted updates of the lines without a gradient, but for the kernels' copy; none is noted afterwards.
void catch_up(OptimizerKind kind, const FlatParameters& flat, IdleUpdates* idle, cudaStream_t stream);

struct NormOptions {
    double clip_norm = 0.0;            ///< greater than 0: the largest norm
    DeviceLossScale* scale = nullptr;  ///< the gradients are this much too large; null: they are not
};
/// Room for partial sums, and a counter that is 0 before the first use and 0 again after every one.
constexpr int kNormBlocks = 264;
struct NormScratch {
    double* partials = nullptr;  ///< [kNormBlocks]
    unsigned* counter = nullptr;
};
/// The norm of the gradients; from it gradient_scale and skip in `numbers`, the next loss scale, the report.
/// Added up in an order that depends on the size alone.
void measure_gradients(const FlatParameters& flat, const NormOptions& options, UpdateNumbers* numbers,
                       UpdateReport* report, const NormScratch& scratch, cudaStream_t stream);

}  // namespace rankscope::engine::cuda
