// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/dataset_config.h>
#include <engine/data/split.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope::engine {

/// Tokens that lie one after the other, in memory or in a mapped file.
struct TokenRun {
    std::string name;  ///< of the file, for messages
    std::shared_ptr<const void> owner;
    std::span<const std::byte> bytes;
    std::size_t width = 1;  ///< bytes of a token; two are little-endian

    std::int64_t size() const { return static_cast<std::int64_t>(bytes.size() / width); }
    std::int32_t token(std::int64_t at) const;
};

/// Sequences of tokens for a model that predicts each next one: sample i of an epoch is a window of `length` tokens, its
/// labels are the same tokens one place on. Windows follow each other without overlap. In training they begin at another
/// token in each epoch, so that a model sees every place of the text with every context.
class TokenSet {
public:
    /// `limit`: windows at most. Throws Error where no run has a whole window, naming what there is.
    TokenSet(std::vector<TokenRun> runs, std::int64_t length, std::int64_t vocabulary, Split split,
             std::optional<std::int64_t> limit);

    std::int64_t length() const { return length_; }
    /// Windows of an epoch.
    std::int64_t size() const { return size_; }
    std::int64_t tokens() const;
    /// Window `index` of the epoch: `length` numbers each. Throws Error for a token outside the vocabulary, naming file
    /// and place.
    void read(std::int64_t epoch, std::int64_t index, std::span<float> inputs,
              std::span<std::int32_t> labels) const;
    /// Differs when the tokens differ, if their number, beginning or end do.
    std::string identity() const;

private:
    std::int64_t windows_of(const TokenRun& run) const;
    std::int64_t shift(std::int64_t epoch) const;

    std::vector<TokenRun> runs_;
    std::int64_t length_;
    std::int64_t vocabulary_;
    bool shifts_;
    std::int64_t size_ = 0;
};

/// Sets whose samples are sequences of tokens (config::is_token_set()):
///   tokens: `<root>/*.bin` of 16-bit tokens, as nanoGPT (train.bin, val.bin) and llm.c (with a header of 256 numbers;
///     fineweb_train_000001.bin) write them. A file belongs to a split that is a word of its name.
///   text: a file, or all *.txt of a folder; a token is a byte. The first nine tenths are for training.
///   synthetic-text: sentences of a small grammar, drawn from the seed.
/// Throws Error: what is missing or wrong and what to do.
std::shared_ptr<const TokenSet> load_tokens(const config::DatasetConfig& config, Split split);

}  // namespace rankscope::engine
