// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>
#include <engine/backend/backend.h>
#include <engine/comm/process_group.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace rankscope::engine {

/// What the configuration says about compiling the model. A null group is a world of one. `device_group`: the
/// same ranks, for a backend with memory of its own; null: `group` does that too.
CompileOptions compile_options(const config::TrainConfig& config, ProcessGroup* group,
                               ProcessGroup* device_group = nullptr);

/// What all ranks must have in common: the configuration without what may differ from node to node (folders,
/// threads).
nlohmann::json common_settings(config::TrainConfig config);

/// Throws Error on every rank when one of them was given other settings than rank 0, naming rank, keys
/// and values. Collective.
void check_common_settings(const nlohmann::json& mine, ProcessGroup* group);

/// Throws Error on every rank when one of them has another text than rank 0: "rank 2 has another `what` than
/// rank 0: …, not …". Collective; texts may be of any length.
void check_same(const std::string& what, const std::string& mine, ProcessGroup* group);

using CompileModel = std::function<std::unique_ptr<CompiledModel>(const CompileOptions& options)>;

/// Compiles the model and gives all ranks rank 0's parameters, after checking that they train the same
/// network. When their storage differs (another CPU, another oneDNN) it is compiled again in canonical order.
std::unique_ptr<CompiledModel> synchronised_model(const CompileModel& compile, const Graph& graph,
                                                  CompileOptions options, std::uint64_t seed,
                                                  ProcessGroup* group, ProcessGroup* device_group = nullptr);

/// Throws ConfigError when a batch norm would see a single value per channel in training: the variance of one
/// value is none. `smallest_batch`: of this rank in an epoch.
void check_batch_norms(const Graph& graph, std::int64_t smallest_batch);

/// SHA-256 over all parameters in canonical order and layout (little-endian fp32): "sha256:<hex>".
std::string parameter_checksum(CompiledModel& model, const Graph& graph);

}  // namespace rankscope::engine
