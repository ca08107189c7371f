// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::throughput {

enum class Size {
    Batch,           ///< samples of one step
    MicroBatch,      ///< samples of one pass, several of which may make a step
    Accumulation,    ///< passes that make a step
    SequenceLength,  ///< tokens of a sample
    TokensPerStep,
    Parameters,
    ParallelSplit,  ///< ranks that share a batch: tensor, pipeline, context parallel
    Experts,        ///< of a mixture: a token passes only some of the parameters
    DataSplit       ///< ranks with batches of their own
};
enum class SizeOf { Unsaid, Rank, AllRanks, Trainable, Frozen, Active };

/// A size that a command or a line of output names, and the words that do.
struct StatedSize {
    Size size = Size::Batch;
    SizeOf of = SizeOf::Unsaid;
    double value = 0;
    std::string text;  ///< "--batch-size 64", "Total train batch size = 64"
    /// Of a split: "tp", "pp", "cp", "ep", "mp" (tensor or pipeline), "dp", "dp_shard", "dp_replicate"; empty: of several.
    std::string axis = {};

    bool operator==(const StatedSize&) const = default;
};

/// What options say: --batch-size 64, --per_device_train_batch_size=8, train.batch_size=64, -b 64. Names are read word by word;
/// one unknown word ("eval", "mini", "max") makes a name unknown.
std::vector<StatedSize> sizes_of_command(const std::vector<std::string>& command);
/// What a line of output says before the training: "Total train batch size (w. parallel) = 64", "number of parameters: 123.6M",
/// Namespace(batch_size=64, …).
std::vector<StatedSize> sizes_of_line(std::string_view line);
/// The text is about tokens of language.
bool speaks_of_tokens(std::string_view text);

enum class Rate { Steps, Samples, Images, Tokens, TokensSeen, SamplesSeen, Mfu };
/// What the name of a series says that it is: "tokens_per_s", "train_samples_per_second", "RunningAvgSamplesPerSec", "mfu",
/// "num_tokens" (all that were seen, of all ranks). Nothing for rates of a validation.
std::optional<Rate> rate_of_series(std::string_view name);

}  // namespace rankscope::throughput
