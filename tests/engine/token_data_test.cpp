// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/batch_loader.h>
#include <engine/data/dataset.h>
#include <engine/data/synthetic_text.h>
#include <engine/data/token_set.h>
#include <engine/error.h>

#include <gtest/gtest.h>
#include <tests/engine/temporary_folder.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace rankscope::engine::test {
namespace {

std::string as_words(const std::vector<int>& tokens) {
    std::string bytes;
    for (const int token : tokens) {
        bytes += static_cast<char>(token & 255);
        bytes += static_cast<char>(token >> 8);
    }
    return bytes;
}

std::string counting(int count) {
    std::vector<int> tokens(static_cast<std::size_t>(count));
    std::iota(tokens.begin(), tokens.end(), 1000);
    return as_words(tokens);
}

std::string as_numbers(const std::vector<std::int32_t>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::int32_t)};
}

config::DatasetConfig tokens_in(const TemporaryFolder& folder, std::int64_t sequence) {
    config::DatasetConfig config;
    config.name = "tokens";
    config.root = folder.path().string();
    config.sequence = sequence;
    return config;
}

struct Window {
    std::vector<float> inputs;
    std::vector<std::int32_t> labels;
};

Window window(const TokenSet& set, std::int64_t epoch, std::int64_t index) {
    const auto length = static_cast<std::size_t>(set.length());
    Window read{std::vector<float>(length), std::vector<std::int32_t>(length)};
    set.read(epoch, index, read.inputs, read.labels);
    return read;
}

std::string fault_of(const config::DatasetConfig& config, Split split = Split::train) {
    try {
        const auto set = load_tokens(config, split);
        window(*set, 0, 0);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(TokenFiles, AreReadInWindowsWithTheNextTokenAsLabel) {
    const TemporaryFolder folder;
    write_file(folder / "train.bin", counting(21));
    write_file(folder / "val.bin", counting(9));
    const auto training = load_tokens(tokens_in(folder, 4), Split::train);
    ASSERT_EQ(training->size(), 4) << "a shift by up to three tokens fits, too";
    const Window second = window(*training, 0, 1);
    EXPECT_EQ(second.inputs, (std::vector<float>{1004, 1005, 1006, 1007}));
    EXPECT_EQ(second.labels, (std::vector<std::int32_t>{1005, 1006, 1007, 1008}));
    const auto validation = load_tokens(tokens_in(folder, 4), Split::test);
    ASSERT_EQ(validation->size(), 2);
    EXPECT_EQ(window(*validation, 7, 1).labels.back(), 1008) << "the same in every epoch";
    EXPECT_NE(training->identity(), validation->identity());
    config::DatasetConfig limited = tokens_in(folder, 4);
    limited.limit = 3;
    EXPECT_EQ(load_tokens(limited, Split::train)->size(), 3);
    EXPECT_EQ(load_tokens(limited, Split::test)->size(), 2) << "a limit is for training";
}

TEST(TokenFiles, BeginAtAnotherTokenInEachEpoch) {
    const TemporaryFolder folder;
    write_file(folder / "train.bin", counting(1000));
    const auto set = load_tokens(tokens_in(folder, 8), Split::train);
    std::set<float> begins;
    for (std::int64_t epoch = 0; epoch < 40; ++epoch) {
        const Window first = window(*set, epoch, 0);
        EXPECT_EQ(first.inputs, window(*set, epoch, 0).inputs);
        begins.insert(first.inputs.front());
        EXPECT_LE(window(*set, epoch, set->size() - 1).labels.back(), 1999);
    }
    EXPECT_EQ(*begins.begin(), 1000);
    EXPECT_EQ(begins.size(), 8U);
}

TEST(TokenFiles, OfLlmcHaveAHeaderAndSeveralParts) {
    const TemporaryFolder folder;
    std::vector<std::int32_t> header(256, 0);
    header[0] = 20240520;
    header[1] = 1;
    header[2] = 9;
    write_file(folder / "fineweb_train_000001.bin", as_numbers(header) + counting(9));
    write_file(folder / "fineweb_train_000002.bin", as_numbers(header) + counting(9));
    write_file(folder / "fineweb_val_000000.bin", as_numbers(header) + counting(9));
    write_file(folder / "pretrained.bin", "no tokens");
    const auto set = load_tokens(tokens_in(folder, 2), Split::train);
    EXPECT_EQ(set->tokens(), 18);
    EXPECT_EQ(set->size(), 6);
    EXPECT_EQ(window(*set, 0, 3).inputs.front(), 1000) << "no window spans two files";
    header[2] = 10;
    write_file(folder / "fineweb_train_000002.bin", as_numbers(header) + counting(9));
    const std::string fault = fault_of(tokens_in(folder, 2));
    EXPECT_NE(fault.find("fineweb_train_000002.bin: its header says version 1 and 10 tokens; 9"),
              std::string::npos)
        << fault;
}

TEST(TokenFiles, EveryFaultIsNamed) {
    const TemporaryFolder folder;
    EXPECT_NE(fault_of(tokens_in(folder, 4)).find("has no token file for \"train\", such as train.bin"),
              std::string::npos);
    write_file(folder / "train.bin", "");
    EXPECT_NE(fault_of(tokens_in(folder, 4)).find("train.bin: is empty"), std::string::npos);
    write_file(folder / "train.bin", "abc");
    EXPECT_NE(fault_of(tokens_in(folder, 4)).find("odd number of bytes"), std::string::npos);
    write_file(folder / "train.bin", counting(7));
    EXPECT_NE(fault_of(tokens_in(folder, 4)).find("has 7 tokens: too few for a sequence of 4"),
              std::string::npos);
    write_file(folder / "train.bin", as_words({1, 2, 70, 3, 4, 5, 6, 7, 8, 9}));
    config::DatasetConfig small = tokens_in(folder, 4);
    small.classes = 70;
    const std::string outside = fault_of(small);
    EXPECT_NE(outside.find("train.bin: token 70 at place 2, but the vocabulary has 70 tokens"),
              std::string::npos)
        << outside;
    EXPECT_NE(outside.find("dataset.classes"), std::string::npos);
}

TEST(Text, IsBytesAndTheLastTenthIsForValidation) {
    const TemporaryFolder folder;
    std::string text;
    for (int i = 0; i < 100; ++i) {
        text += static_cast<char>('A' + i % 26);
    }
    write_file(folder / "a.txt", text);
    config::DatasetConfig config;
    config.name = "text";
    config.sequence = 3;
    for (const std::string& root : {folder.path().string(), (folder / "a.txt").string()}) {
        config.root = root;
        const auto training = load_tokens(config, Split::train);
        EXPECT_EQ(training->tokens(), 90);
        EXPECT_EQ(window(*training, 0, 0).inputs, (std::vector<float>{'A', 'B', 'C'}));
        const auto validation = load_tokens(config, Split::test);
        EXPECT_EQ(validation->size(), 3);
        EXPECT_EQ(window(*validation, 0, 0).inputs.front(), static_cast<float>(text[90]));
    }
    config.root = (folder / "b.txt").string();
    EXPECT_NE(fault_of(config).find("b.txt: has no text"), std::string::npos);
}

TEST(SyntheticText, IsTheSameForTheSameSeed) {
    const std::string text = synthetic_text(20000, 3, 0);
    EXPECT_EQ(text.size(), 20000U);
    EXPECT_EQ(synthetic_text(20000, 3, 0), text);
    EXPECT_EQ(synthetic_text(500, 3, 0), text.substr(0, 500));
    EXPECT_NE(synthetic_text(20000, 3, 1), text);
    EXPECT_NE(synthetic_text(20000, 4, 0), text);
    EXPECT_TRUE(
        std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
    EXPECT_NE(text.find("KING:\n"), std::string::npos);
    // The letters of the grammar do not appear as themselves.
    for (const char* left : {" F ", " V ", " N.", "C,"}) {
        EXPECT_EQ(text.find(left), std::string::npos) << left;
    }
}

TEST(TokenBatches, HaveALabelForEachToken) {
    config::DatasetConfig config;
    config.name = "synthetic-text";
    config.sequence = 16;
    config.train_size = 10;
    const ImageSet set = load_dataset(config, Split::train, {});
    EXPECT_EQ(set.size(), 10);
    EXPECT_EQ(set.classes, 256);
    EXPECT_EQ(fingerprint(set).rfind("10 sequences, 256 classes, sha256:", 0), 0U);
    for (const int workers : {1, 3}) {
        BatchLoader loader(set, Transform(config, Split::train), {.batch_size = 4, .workers = workers});
        loader.start(2, {9, 0, 5, 1, 7});
        const auto batch = loader.next();
        ASSERT_TRUE(batch);
        EXPECT_EQ(batch->size(), 4);
        EXPECT_EQ(batch->rows, 16);
        EXPECT_EQ(batch->labels.size(), 64U);
        const Window third = window(*set.tokens, 2, 5);
        EXPECT_TRUE(std::equal(third.inputs.begin(), third.inputs.end(), batch->pixels.begin() + 32));
        EXPECT_TRUE(std::equal(third.labels.begin(), third.labels.end(), batch->labels.begin() + 32));
        EXPECT_EQ(loader.next()->size(), 1);
    }
}

}  // namespace
}  // namespace rankscope::engine::test
