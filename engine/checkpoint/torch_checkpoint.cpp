// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <engine/checkpoint/torch_archive.h>
#include <engine/checkpoint/torch_checkpoint.h>
#include <engine/error.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <system_error>

namespace rankscope::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEpochPrefix = "ckpt_ep_";
constexpr std::string_view kSuffix = ".pth.tar";

std::optional<std::int64_t> epoch_of(const fs::path& path) {
    const std::string name = path.filename().string();
    if (!name.starts_with(kEpochPrefix) || !name.ends_with(kSuffix)) {
        return std::nullopt;
    }
    std::string_view digits(name);
    digits.remove_suffix(kSuffix.size());
    digits.remove_prefix(kEpochPrefix.size());
    const auto epoch = parse_number<std::int64_t>(digits);
    return epoch && *epoch >= 0 ? epoch : std::nullopt;
}

/// A number, or a tensor of one element: Distribuuuu's accuracies have been both.
std::optional<double> number_of(const TorchArchive& archive, PickleId id) {
    if (archive.values().object<PickleTensor>(id) == nullptr) {
        return archive.values().number(id);
    }
    const TensorRecord record = archive.tensor(id, "a number");
    const auto as = [&](auto number) -> std::optional<double> {
        if (record.bytes.size() != sizeof(number)) {
            return std::nullopt;
        }
        std::memcpy(&number, record.bytes.data(), sizeof(number));
        return static_cast<double>(number);
    };
    switch (record.dtype) {
        case StoredType::f32:
            return as(0.0F);
        case StoredType::f64:
            return as(0.0);
        case StoredType::i64:
            return as(std::int64_t{0});
        default:
            return std::nullopt;
    }
}

/// Numbers of the parameters in the order in which the groups name them: that is how PyTorch matches states.
std::vector<std::int64_t> numbers_of_groups(const PickleTree& values, PickleId optimizer) {
    std::vector<std::int64_t> numbers;
    const auto groups = values.find(optimizer, "param_groups");
    for (const PickleId group : groups ? values.items(*groups) : std::vector<PickleId>()) {
        const auto parameters = values.find(group, "params");
        for (const PickleId item : parameters ? values.items(*parameters) : std::vector<PickleId>()) {
            if (const auto number = values.integer(item)) {
                numbers.push_back(*number);
            }
        }
    }
    return numbers;
}

void read_optimizer(const TorchArchive& archive, PickleId optimizer, std::span<const std::string> names,
                    TorchCheckpoint& checkpoint) {
    const PickleTree& values = archive.values();
    const auto states = values.find(optimizer, "state");
    const auto* by_number = states ? std::get_if<PickleDict>(&values.at(*states)) : nullptr;
    const std::vector<std::int64_t> numbers = numbers_of_groups(values, optimizer);
    if (by_number == nullptr || numbers.size() != names.size()) {
        throw Error("its optimizer is for " + std::to_string(numbers.size()) + " parameters, the model has " +
                    std::to_string(names.size()));
    }
    std::map<std::int64_t, std::string> name_of;
    for (std::size_t i = 0; i < names.size(); ++i) {
        name_of[numbers[i]] = names[i];
    }
    for (const auto& [key, state] : by_number->items) {
        const auto name = name_of.find(values.integer(key).value_or(-1));
        const auto* items = std::get_if<PickleDict>(&values.at(state));
        if (name == name_of.end() || items == nullptr) {
            throw Error("its optimizer has a state for a parameter that its groups do not name");
        }
        for (const auto& [what, value] : items->items) {
            const auto* text = std::get_if<std::string_view>(&values.at(what));
            if (text != nullptr && *text == "step") {
                if (const auto step = number_of(archive, value)) {
                    checkpoint.step = std::llround(*step);
                }
            } else if (text != nullptr && values.object<PickleTensor>(value) != nullptr) {
                checkpoint.optimizer.push_back(
                    archive.tensor(value, optimizer_tensor_name(name->second, std::string(*text))));
            }
        }
    }
}

TorchCheckpoint read_archive(const TorchArchive& archive, std::span<const std::string> names) {
    const PickleTree& values = archive.values();
    TorchCheckpoint checkpoint;
    const auto state_dict = values.find(values.root, "state_dict");
    checkpoint.model = archive.tensors(state_dict.value_or(values.root));
    if (checkpoint.model.empty()) {
        throw Error("it is not a state dict and has no entry state_dict");
    }
    for (TensorRecord& tensor : checkpoint.model) {
        tensor.name = unwrapped_name(tensor.name);
    }
    if (const auto epoch = state_dict ? values.find(values.root, "epoch") : std::nullopt) {
        checkpoint.epoch = values.integer(*epoch);
    }
    if (const auto best = state_dict ? values.find(values.root, "best_acc1") : std::nullopt) {
        checkpoint.best_acc1 = number_of(archive, *best);
    }
    const auto optimizer = state_dict ? values.find(values.root, "optimizer") : std::nullopt;
    if (optimizer && std::holds_alternative<PickleDict>(values.at(*optimizer)) && !names.empty()) {
        checkpoint.has_optimizer = true;
        read_optimizer(archive, *optimizer, names, checkpoint);
    }
    return checkpoint;
}

void put(PickleWriter& to, const std::string& key, double value) {
    to.text(key);
    to.real(value);
}
void put(PickleWriter& to, const std::string& key, bool value) {
    to.text(key);
    to.boolean(value);
}
void put_none(PickleWriter& to, const std::string& key) {
    to.text(key);
    to.none();
}

void put_state_dict(TorchArchiveWriter& archive, std::span<const TensorRecord> model) {
    archive.values().begin_ordered_dict();
    for (const TensorRecord& tensor : model) {
        archive.values().text(tensor.name);
        archive.tensor(view_of(tensor));
    }
    archive.values().end_dict();
}

/// The one group, with every setting that PyTorch's optimizer of this kind reads.
void put_group(PickleWriter& to, const OptimizerStep& optimizer, std::size_t parameters) {
    to.begin_dict();
    put(to, "lr", optimizer.lr);
    if (optimizer.kind == OptimizerKind::sgd) {
        put(to, "momentum", optimizer.momentum);
        put(to, "dampening", optimizer.dampening);
        put(to, "weight_decay", optimizer.weight_decay);
        put(to, "nesterov", optimizer.nesterov);
    } else {
        to.text("betas");
        to.begin_tuple();
        to.real(optimizer.beta1);
        to.real(optimizer.beta2);
        to.end_tuple();
        put(to, "eps", optimizer.eps);
        put(to, "weight_decay", optimizer.weight_decay);
        put(to, "amsgrad", false);
        put(to, "capturable", false);
    }
    put(to, "maximize", false);
    put(to, "differentiable", false);
    put_none(to, "foreach");
    put_none(to, "fused");
    to.text("params");
    to.begin_list();
    for (std::size_t i = 0; i < parameters; ++i) {
        to.integer(static_cast<std::int64_t>(i));
    }
    to.end_list();
    to.end_dict();
}

void put_optimizer(TorchArchiveWriter& archive, const Snapshot& snapshot, const TorchCheckpointInfo& info,
                   const TensorRecord& step) {
    std::map<std::string, std::vector<std::pair<std::string, const TensorRecord*>>, std::less<>> states;
    for (const TensorRecord& tensor : snapshot.optimizer) {
        const auto [parameter, state] = split_optimizer_tensor_name(tensor.name);
        states[parameter].emplace_back(state, &tensor);
    }
    PickleWriter& to = archive.values();
    to.begin_dict();
    to.text("state");
    to.begin_dict();
    for (std::size_t i = 0; i < info.parameter_names.size(); ++i) {
        const auto found = states.find(info.parameter_names[i]);
        if (found == states.end()) {
            continue;
        }
        to.integer(static_cast<std::int64_t>(i));
        to.begin_dict();
        if (info.optimizer.kind != OptimizerKind::sgd) {
            to.text("step");
            archive.tensor(view_of(step));
        }
        for (const auto& [state, tensor] : found->second) {
            to.text(state);
            archive.tensor(view_of(*tensor));
        }
        to.end_dict();
    }
    to.end_dict();
    to.text("param_groups");
    to.begin_list();
    put_group(to, info.optimizer, info.parameter_names.size());
    to.end_list();
    to.end_dict();
}

std::uint64_t write(const fs::path& path, TorchArchiveWriter& archive) {
    std::uint64_t size = 0;
    write_file_atomically(path, [&](OutputFile& file) {
        archive.write(file);
        size = file.size();
    });
    return size;
}

}  // namespace

fs::path torch_checkpoint_path(const fs::path& folder, std::int64_t epoch) {
    std::array<char, 48> name{};
    std::snprintf(name.data(), name.size(), "ckpt_ep_%03lld.pth.tar", static_cast<long long>(epoch));
    return folder / name.data();
}

fs::path newest_torch_checkpoint(const fs::path& folder) {
    fs::path newest;
    std::int64_t newest_epoch = -1;
    std::error_code error;
    for (fs::directory_iterator entries(folder, error); !error && entries != fs::directory_iterator();
         entries.increment(error)) {
        const auto epoch = epoch_of(entries->path());
        if (epoch && *epoch > newest_epoch) {
            newest_epoch = *epoch;
            newest = entries->path();
        }
    }
    if (error && error != std::errc::no_such_file_or_directory) {
        throw Error(folder.string() + " cannot be read: " + error.message());
    }
    return newest;
}

TorchCheckpoint read_torch_checkpoint(const fs::path& path, std::span<const std::string> parameter_names) {
    const TorchArchive archive = TorchArchive::read(path);
    try {
        return read_archive(archive, parameter_names);
    } catch (const Error& error) {
        throw Error(path.string() + " cannot be used: " + error.what());
    }
}

std::uint64_t write_torch_checkpoint(const fs::path& path, const Snapshot& snapshot,
                                     const TorchCheckpointInfo& info) {
    const std::array step_value{static_cast<float>(info.optimizer.step)};
    const TensorRecord step = float_tensor("step", {}, step_value);
    TorchArchiveWriter archive;
    PickleWriter& to = archive.values();
    to.begin_dict();
    to.text("epoch");
    to.integer(info.epoch);
    to.text("state_dict");
    put_state_dict(archive, snapshot.model);
    to.text("optimizer");
    put_optimizer(archive, snapshot, info, step);
    put(to, "best_acc1", info.best_acc1);
    to.end_dict();
    return write(path, archive);
}

std::uint64_t write_torch_state_dict(const fs::path& path, std::span<const TensorRecord> model) {
    TorchArchiveWriter archive;
    put_state_dict(archive, model);
    return write(path, archive);
}

}  // namespace rankscope::engine
