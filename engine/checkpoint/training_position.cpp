// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/training_position.h>
#include <engine/error.h>

#include <nlohmann/json.hpp>

#include <cmath>

namespace rankscope::engine {
namespace {

/// Reads members of one object; every fault names the member.
class Members {
public:
    explicit Members(const nlohmann::json& object) : object_(object) {
        if (!object.is_object()) {
            throw Error("the position is not an object");
        }
    }

    std::int64_t count(const char* name) const {
        const nlohmann::json& member = get(name);
        if (!member.is_number_unsigned() || member.get<std::uint64_t>() > std::uint64_t{1} << 62U) {
            throw Error(std::string("position.") + name + " is not a count");
        }
        return member.get<std::int64_t>();
    }
    std::uint64_t any_unsigned(const char* name) const {
        const nlohmann::json& member = get(name);
        if (!member.is_number_unsigned()) {
            throw Error(std::string("position.") + name + " is not a whole number from 0");
        }
        return member.get<std::uint64_t>();
    }
    std::string text(const char* name) const {
        const nlohmann::json& member = get(name);
        if (!member.is_string()) {
            throw Error(std::string("position.") + name + " is not a text");
        }
        return member.get<std::string>();
    }
    const nlohmann::json& get(const char* name) const {
        const auto found = object_.find(name);
        if (found == object_.end()) {
            throw Error(std::string("position.") + name + " is missing");
        }
        return *found;
    }

private:
    const nlohmann::json& object_;
};

double finite(const std::string& name, const nlohmann::json& value) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
        throw Error("position." + name + " is not a finite number");
    }
    return value.get<double>();
}

}  // namespace

nlohmann::json to_json(const TrainingPosition& position) {
    nlohmann::json numbers = nlohmann::json::object();
    for (const auto& [name, value] : position.numbers) {
        numbers[name] = finite("numbers." + name, value);
    }
    nlohmann::json json{{"step", static_cast<std::uint64_t>(position.step)},
                        {"epoch", static_cast<std::uint64_t>(position.epoch)},
                        {"batch_in_epoch", static_cast<std::uint64_t>(position.batch_in_epoch)},
                        {"samples_in_epoch", static_cast<std::uint64_t>(position.samples_in_epoch)},
                        {"samples", static_cast<std::uint64_t>(position.samples)},
                        {"world_size", static_cast<std::uint64_t>(position.world_size)},
                        {"batch_size", static_cast<std::uint64_t>(position.batch_size)},
                        {"accumulation", static_cast<std::uint64_t>(position.accumulation)},
                        {"seed", position.seed},
                        {"config_digest", position.config_digest},
                        {"numbers", numbers}};
    json["best_accuracy"] = position.best_accuracy
                                ? nlohmann::json(finite("best_accuracy", *position.best_accuracy))
                                : nlohmann::json(nullptr);
    return json;
}

TrainingPosition training_position_of(const nlohmann::json& json) {
    const Members members(json);
    TrainingPosition position;
    position.step = members.count("step");
    position.epoch = members.count("epoch");
    position.batch_in_epoch = members.count("batch_in_epoch");
    position.samples_in_epoch = members.count("samples_in_epoch");
    position.samples = members.count("samples");
    const std::int64_t world = members.count("world_size");
    position.batch_size = members.count("batch_size");
    position.accumulation = members.count("accumulation");
    if (world < 1 || world > 1'000'000 || position.accumulation < 1) {
        throw Error("position.world_size or position.accumulation is out of range");
    }
    position.world_size = static_cast<int>(world);
    position.seed = members.any_unsigned("seed");
    position.config_digest = members.text("config_digest");
    if (const nlohmann::json& best = members.get("best_accuracy"); !best.is_null()) {
        position.best_accuracy = finite("best_accuracy", best);
    }
    const nlohmann::json& numbers = members.get("numbers");
    if (!numbers.is_object()) {
        throw Error("position.numbers is not an object");
    }
    for (const auto& [name, value] : numbers.items()) {
        position.numbers[name] = finite("numbers." + name, value);
    }
    return position;
}

ResumePoint resume_point(const TrainingPosition& position, int world_size, std::int64_t batch_size,
                         std::int64_t accumulation, std::int64_t batches_per_epoch) {
    ResumePoint point{.epoch = position.epoch};
    const bool same = position.world_size == world_size && position.batch_size == batch_size &&
                      position.accumulation == accumulation;
    if (same) {
        point.first_batch = position.batch_in_epoch;
    } else {
        const std::int64_t step = world_size * batch_size * accumulation;
        const std::int64_t steps = position.samples_in_epoch / step;
        point.first_batch = steps * accumulation;
        point.repeated_samples = position.samples_in_epoch - steps * step;
    }
    if (batches_per_epoch > 0 && point.first_batch >= batches_per_epoch) {
        return {.epoch = position.epoch + 1};
    }
    return point;
}

}  // namespace rankscope::engine
