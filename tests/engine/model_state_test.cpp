// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "temporary_folder.h"

#include <engine/backend/cpu/cpu_backend.h>
#include <engine/checkpoint/checkpoint_store.h>
#include <engine/checkpoint/convert_command.h>
#include <engine/checkpoint/gpt2_layout.h>
#include <engine/checkpoint/model_state.h>
#include <engine/checkpoint/state_dict_file.h>
#include <engine/checkpoint/weights.h>
#include <engine/error.h>
#include <engine/models/initialise.h>
#include <engine/models/model_registry.h>

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <random>
#include <string>

namespace rankscope::engine::test {
namespace {

constexpr std::int64_t kBatch = 8;

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

/// A network with its optimizer, trained on a stream of random batches that its step decides.
struct Training {
    Training(const Graph& net, StorageOrder order, OptimizerStep settings)
        : graph(net),
          model(make_cpu_backend(1)->compile(graph, {.batch_size = kBatch, .order = order})),
          optimizer(settings) {
        const CanonicalParameters initial = default_initialisation(graph, 3);
        for (const ParameterId id : initial.indices()) {
            model->set_weight(id, initial[id]);
        }
    }

    void train(std::int64_t steps) {
        Executable& executable = model->executable(kBatch);
        for (; steps > 0; --steps) {
            std::mt19937 random(static_cast<unsigned>(++step));
            for (float& value : executable.input()) {
                value = static_cast<float>(random() % 1000) / 500.0F - 1.0F;
            }
            for (std::int32_t& label : executable.labels()) {
                label = static_cast<std::int32_t>(random() % 10U);
            }
            losses.push_back(executable.forward().loss);
            executable.backward([](ParameterId) {});
            optimizer.step = step;
            model->optimizer_step(optimizer);
        }
    }
    Snapshot snapshot() {
        Snapshot taken;
        collect(*model, graph, taken);
        taken.position.step = step;
        return taken;
    }
    void restore(const Snapshot& snapshot) {
        restore_model(snapshot.model, *model, graph);
        restore_optimizer(snapshot.optimizer, *model, graph);
        step = snapshot.position.step;
    }

    Graph graph;
    std::unique_ptr<CompiledModel> model;
    OptimizerStep optimizer;
    std::int64_t step = 0;
    std::vector<double> losses;
};

class Resuming : public ::testing::TestWithParam<std::tuple<const char*, OptimizerKind, StorageOrder>> {};

TEST_P(Resuming, ContinuesBitForBit) {
    const auto [name, kind, order] = GetParam();
    const Graph graph = build_model(name, {3, 32, 32}, 10);
    const OptimizerStep settings{
        .kind = kind, .lr = 0.01, .weight_decay = 1e-3, .momentum = 0.9, .nesterov = true};
    Training whole(graph, order, settings);
    whole.train(6);

    const TemporaryFolder folder;
    CheckpointStore store(folder.path());
    {
        Training first(graph, order, settings);
        first.train(3);
        store.write(first.snapshot());
    }
    Training second(graph, order, settings);
    second.train(2);  // anything: all of it is replaced
    second.restore(*store.load_newest_valid().snapshot);
    second.losses.clear();
    second.train(3);
    EXPECT_EQ(second.losses, std::vector<double>(whole.losses.begin() + 3, whole.losses.end()));
    EXPECT_EQ(digest_of(second.snapshot()), digest_of(whole.snapshot()));

    // The other storage order reads the same file, to the same values.
    Training other(graph, order == StorageOrder::native ? StorageOrder::canonical : StorageOrder::native,
                   settings);
    const Snapshot saved = *store.load_newest_valid().snapshot;
    other.restore(saved);
    EXPECT_EQ(digest_of(other.snapshot()), digest_of(saved));
}

INSTANTIATE_TEST_SUITE_P(Models, Resuming,
                         ::testing::Combine(::testing::Values("resnet18", "mlp"),
                                            ::testing::Values(OptimizerKind::sgd, OptimizerKind::adamw),
                                            ::testing::Values(StorageOrder::native, StorageOrder::canonical)),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param)) +
                                    (std::get<1>(test.param) == OptimizerKind::sgd ? "Sgd" : "AdamW") +
                                    (std::get<2>(test.param) == StorageOrder::native ? "Native"
                                                                                     : "Canonical");
                         });

TEST(ModelState, HasPyTorchsNamesAndNothingElse) {
    Training training(build_model("resnet18", {3, 32, 32}, 10), StorageOrder::native, {.momentum = 0.9});
    EXPECT_TRUE(training.snapshot().optimizer.empty());
    training.train(1);
    const Snapshot snapshot = training.snapshot();
    EXPECT_EQ(snapshot.model.size(), 122U);
    std::size_t bytes = 0;
    for (const TensorRecord& tensor : snapshot.model) {
        bytes += tensor.bytes.size();
    }
    EXPECT_EQ(bytes, 44'765'128U) << "torchvision's state dict, ten classes, with this stem";
    EXPECT_EQ(int64_value(*find_tensor(snapshot.model, "layer4.1.bn2.num_batches_tracked")), 1);
    EXPECT_EQ(find_tensor(snapshot.model, "layer2.0.downsample.0.weight")->shape, (Shape{128, 64, 1, 1}));
    EXPECT_EQ(snapshot.optimizer.size(), 62U);
    EXPECT_NE(find_tensor(snapshot.optimizer, "state.fc.bias.momentum_buffer"), nullptr);
    const std::vector<float> saved = float_values(*find_tensor(snapshot.model, "fc.weight"));
    EXPECT_EQ(saved, training.model->weight(ParameterId(training.graph.parameters.size() - 2)));
}

TEST(Convert, WeightsGoFromACheckpointToPyTorchsFileAndBack) {
    const TemporaryFolder folder;
    Training training(build_model("mlp", {3, 32, 32}, 10), StorageOrder::native, {.momentum = 0.9});
    CheckpointStore store(folder / "run");
    const std::string checkpoint = store.write(training.snapshot()).folder.string();
    const auto convert = [&](std::vector<std::string> arguments) {
        std::vector<char*> argv;
        arguments.insert(arguments.begin(), "convert");
        for (std::string& argument : arguments) {
            argv.push_back(argument.data());
        }
        return convert_command(static_cast<int>(argv.size()), argv.data());
    };
    const std::string torch = (folder / "a.pth.tar").string();
    const std::string safetensors = (folder / "b.safetensors").string();
    EXPECT_EQ(convert({checkpoint + "/", torch}), 0);
    EXPECT_EQ(convert({torch, safetensors}), 0);
    EXPECT_EQ(read_state_dict(safetensors), training.snapshot().model);
    EXPECT_NE(message_of([&] { convert({torch, safetensors}); }).find("--overwrite"), std::string::npos);
    EXPECT_EQ(convert({"--overwrite", torch, safetensors}), 0);
    EXPECT_NE(message_of([&] {
                  convert({torch, (folder / "x.h5").string()});
              }).find(".safetensors"),
              std::string::npos);
    write_file(checkpoint + "/model.safetensors", "damaged");
    EXPECT_NE(message_of([&] {
                  convert({checkpoint, (folder / "c.pt").string()});
              }).find("model.safetensors"),
              std::string::npos);
    EXPECT_EQ(convert({torch}), 2);
}

TEST(Convert, Gpt2HasTheLayoutOfTransformersWhereRequested) {
    const TemporaryFolder folder;
    Training training(build_model("gpt2-mini", {16}, 32), StorageOrder::native, {});
    const std::vector<TensorRecord> own = training.snapshot().model;
    std::vector<TensorRecord> theirs = to_transformers_layout(own);
    EXPECT_EQ(find_tensor(theirs, "transformer.h.0.attn.c_attn.weight")->shape, (Shape{128, 384}));
    EXPECT_EQ(find_tensor(theirs, "transformer.h.3.mlp.c_proj.weight")->shape, (Shape{512, 128}));
    EXPECT_EQ(find_tensor(theirs, "transformer.wte.weight")->shape, (Shape{32, 128}));
    const auto weight = float_values(*find_tensor(own, "transformer.h.0.mlp.c_fc.weight"));
    const auto turned = float_values(*find_tensor(theirs, "transformer.h.0.mlp.c_fc.weight"));
    EXPECT_EQ(weight[3 * 128 + 5], turned[5 * 512 + 3]);
    EXPECT_EQ(to_engine_layout(theirs), own);
    EXPECT_EQ(to_engine_layout(own), own);
    // Files on the hub: without the prefix, with masks and the head's copy.
    for (TensorRecord& tensor : theirs) {
        tensor.name = tensor.name.substr(std::string("transformer.").size());
    }
    theirs.push_back(float_tensor("h.0.attn.bias", {1, 1, 2, 2}, std::vector<float>(4)));
    theirs.push_back(float_tensor("lm_head.weight", {1}, std::vector<float>(1)));
    EXPECT_EQ(to_engine_layout(theirs), own);
    const std::string file = (folder / "gpt.safetensors").string();
    write_state_dict(file, theirs);
    EXPECT_EQ(read_weights(file), own);
    const std::vector<TensorRecord> with_both = with_head(own);
    EXPECT_EQ(with_both.size(), own.size() + 1) << "PyTorch's state dict has the tied weight twice";
    EXPECT_EQ(find_tensor(with_both, "lm_head.weight")->bytes,
              find_tensor(own, "transformer.wte.weight")->bytes);
    EXPECT_EQ(to_engine_layout(with_both), own);
    const std::vector<TensorRecord> other{float_tensor("fc.weight", {1}, std::vector<float>(1))};
    EXPECT_EQ(to_engine_layout(other), other);
    EXPECT_EQ(with_head(other), other);
    EXPECT_FALSE(is_gpt2(other));
}

TEST(ModelState, ABufferIsFilledAgainWithoutNewMemory) {
    Training training(build_model("mlp", {3, 32, 32}, 10), StorageOrder::native, {.momentum = 0.9});
    training.train(1);
    Snapshot snapshot = training.snapshot();
    std::vector<const void*> memory;
    for (const TensorRecord& tensor : snapshot.model) {
        memory.push_back(tensor.bytes.data());
    }
    training.train(1);
    collect(*training.model, training.graph, snapshot);
    snapshot.position.step = 2;
    EXPECT_EQ(digest_of(snapshot), digest_of(training.snapshot()));
    for (std::size_t i = 0; i < memory.size(); ++i) {
        EXPECT_EQ(snapshot.model[i].bytes.data(), memory[i]);
    }
}

TEST(ModelState, WhatDoesNotFitIsNamedAndNothingIsChanged) {
    Training training(build_model("resnet18", {3, 32, 32}, 10), StorageOrder::native, {.momentum = 0.9});
    training.train(1);
    const Snapshot good = training.snapshot();
    const auto model_error = [&](const std::function<void(std::vector<TensorRecord>&)>& change) {
        Snapshot changed = good;
        for (TensorRecord& tensor : changed.model) {
            std::fill(tensor.bytes.begin(), tensor.bytes.end(), std::byte{0});
        }
        change(changed.model);
        return message_of([&] { restore_model(changed.model, *training.model, training.graph); });
    };
    const std::string missing = model_error([](auto& tensors) { tensors[0].name = "features.0.weight"; });
    EXPECT_NE(missing.find("has no conv1.weight"), std::string::npos) << missing;
    const std::string more = model_error([](auto& tensors) {
        tensors.push_back({"head.bias", StoredType::f32, {}, std::vector<std::byte>(4)});
    });
    EXPECT_NE(more.find("head.bias"), std::string::npos) << more;
    const std::string shape = model_error([](auto& tensors) {
        for (TensorRecord& tensor : tensors) {
            if (tensor.name == "fc.bias") {
                reuse(tensor, "fc.bias", StoredType::f32, {1000});
            }
        }
    });
    EXPECT_NE(shape.find("fc.bias"), std::string::npos) << shape;
    EXPECT_NE(shape.find("number of classes"), std::string::npos) << shape;
    const std::string type = model_error(
        [](auto& tensors) { reuse(tensors[0], "conv1.weight", StoredType::i32, tensors[0].shape); });
    EXPECT_NE(type.find("I32"), std::string::npos) << type;
    const std::string twice = model_error([](auto& tensors) { tensors.push_back(tensors[0]); });
    EXPECT_NE(twice.find("twice"), std::string::npos) << twice;
    Snapshot some = good;
    some.optimizer.pop_back();
    EXPECT_NE(message_of([&] {
                  restore_optimizer(some.optimizer, *training.model, training.graph);
              }).find("61 parameters only"),
              std::string::npos);
    EXPECT_EQ(digest_of(training.snapshot()), digest_of(good));
}

}  // namespace
}  // namespace rankscope::engine::test
