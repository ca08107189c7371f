// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/train_config.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace rankscope::config {
namespace {

using nlohmann::json;

constexpr double kMostBuckets = 4096.0;  // MiB

void read_model(ConfigSection& section, ConfigProblems& problems, TrainConfig& config) {
    const json* value = section.find("model");
    if (value == nullptr || !value->is_object()) {
        section.name("model", known_models(), true, config.model);
        return;
    }
    ConfigSection model(*value, "model", problems);
    model.name("name", known_models(), true, config.model);
    model.whole("classes", 1, 1'000'000, config.classes);
    model.report_unknown();
}

/// Keys of another optimizer are refused, unless they say what that one does anyway (forms write
/// "momentum: 0").
void refuse(ConfigSection& section, const json& object, const std::string& optimizer, const std::string& key,
            const std::string& owner) {
    const json* value = section.find(key);
    const bool idle =
        value == nullptr || (value->is_number() && value->get<double>() == 0) || *value == json(false);
    if (!idle) {
        section.add(key, "is " + shown(object[key]) + "; " + optimizer +
                             " has none: leave it out, or choose " + "optimizer.name: " + owner);
    }
}

void read_optimizer(ConfigSection& parent, ConfigProblems& problems, OptimizerConfig& optimizer) {
    const json* value = parent.object("optimizer", "{name: sgd, lr: 0.01, momentum: 0.9}");
    if (value == nullptr) {
        return;
    }
    const std::size_t before = problems.size();
    ConfigSection section(*value, "optimizer", problems);
    section.name("name", {"sgd", "adam", "adamw"}, false, optimizer.name);
    const bool sgd = optimizer.name == "sgd";
    if (!sgd) {
        optimizer.lr = 1e-3;
        optimizer.weight_decay = optimizer.name == "adamw" ? 0.01 : 0.0;
    }
    section.real("lr", 0.0, false, kNoLimit, optimizer.lr);
    if (sgd) {
        section.real("momentum", 0.0, false, 1.0, optimizer.momentum);
        section.real("dampening", 0.0, false, kNoLimit, optimizer.dampening);
        section.real("weight_decay", 0.0, false, kNoLimit, optimizer.weight_decay);
        section.flag("nesterov", optimizer.nesterov);
        for (const char* key : {"beta1", "beta2", "eps"}) {
            refuse(section, *value, "sgd", key, "adamw");
        }
        if (problems.size() == before && optimizer.nesterov &&
            (optimizer.momentum <= 0 || optimizer.dampening != 0)) {
            section.add("nesterov", "is true; Nesterov needs a momentum greater than 0 and dampening 0");
        }
    } else {
        section.real("weight_decay", 0.0, false, kNoLimit, optimizer.weight_decay);
        section.real("beta1", 0.0, false, 1.0, optimizer.beta1);
        section.real("beta2", 0.0, false, 1.0, optimizer.beta2);
        section.real("eps", 0.0, true, kNoLimit, optimizer.eps);
        for (const char* key : {"momentum", "dampening", "nesterov"}) {
            refuse(section, *value, optimizer.name, key, "sgd");
        }
    }
    section.flag("no_decay_norm_bias", optimizer.no_decay_norm_bias);
    section.report_unknown();
}

void read_milestones(ConfigSection& section, ScheduleConfig& schedule) {
    const json* value = section.find("milestones");
    const std::string right = "; epochs in ascending order are expected, for example [30, 60, 90]";
    if (value == nullptr) {
        section.add("milestones", "is missing" + right);
        return;
    }
    if (!value->is_array()) {
        section.add("milestones", "is " + shown(*value) + right);
        return;
    }
    for (const json& epoch : *value) {
        const double number = epoch.is_number() ? epoch.get<double>() : std::nan("");
        if (!(number >= 0 && number < kNoLimit) ||
            (!schedule.milestones.empty() && number <= schedule.milestones.back())) {
            section.add("milestones", "has " + shown(epoch) + right);
            return;
        }
        schedule.milestones.push_back(number);
    }
}

void read_warmup(ConfigSection& parent, ConfigProblems& problems, ScheduleConfig& schedule) {
    const json* value = parent.object("warmup", "{epochs: 5, factor: 0.1}");
    if (value == nullptr) {
        return;
    }
    WarmupConfig warmup;
    const std::size_t before = problems.size();
    ConfigSection section(*value, parent.path_of("warmup"), problems);
    section.real("epochs", 0.0, false, 1e9, warmup.epochs);
    section.whole("steps", 0, kMaxWhole, warmup.steps);
    section.real("factor", 0.0, false, kNoLimit, warmup.factor);
    section.report_unknown();
    if (problems.size() == before && warmup.epochs.has_value() == warmup.steps.has_value()) {
        section.add("", "needs either epochs or steps, for example {epochs: 5}");
    }
    schedule.warmup = warmup;
}

void read_one_cycle(ConfigSection& section, ScheduleConfig& schedule) {
    section.real("pct_start", 0.0, false, 1.0, schedule.pct_start);
    section.name("anneal", {"cos", "linear"}, false, schedule.anneal);
    section.real("div_factor", 0.0, true, kNoLimit, schedule.div_factor);
    section.real("final_div_factor", 0.0, true, kNoLimit, schedule.final_div_factor);
    section.flag("three_phase", schedule.three_phase);
    section.flag("cycle_momentum", schedule.cycle_momentum);
    section.real("base_momentum", 0.0, false, 1.0, schedule.base_momentum);
    section.real("max_momentum", 0.0, false, 1.0, schedule.max_momentum);
}

const std::vector<std::string>& known_schedules() {
    static const std::vector<std::string> names{"constant", "cos", "steps", "onecycle"};
    return names;
}

void read_schedule(ConfigSection& parent, ConfigProblems& problems, ScheduleConfig& schedule) {
    const json* value = parent.find("schedule");
    if (value == nullptr) {
        return;
    }
    if (value->is_string() && *value != json("steps")) {
        parent.name("schedule", known_schedules(), false, schedule.name);
        return;
    }
    value = parent.object("schedule", value->is_string() ? "{name: steps, milestones: [30, 60, 90]}"
                                                         : "{name: cos, warmup: {epochs: 5}}");
    if (value == nullptr) {
        return;
    }
    ConfigSection section(*value, "schedule", problems);
    section.name("name", known_schedules(), true, schedule.name);
    if (schedule.name == "onecycle") {
        read_one_cycle(section, schedule);
    } else {
        section.name("by", {"epoch", "step"}, false, schedule.by);
        read_warmup(section, problems, schedule);
    }
    if (schedule.name == "cos") {
        section.real("min_lr_factor", 0.0, false, kNoLimit, schedule.min_lr_factor);
    } else if (schedule.name == "steps") {
        read_milestones(section, schedule);
        section.real("gamma", 0.0, true, kNoLimit, schedule.gamma);
    }
    section.whole("reference_batch", 1, kMaxWhole, schedule.reference_batch);
    section.report_unknown();
}

void read_ddp(ConfigSection& parent, ConfigProblems& problems, DdpConfig& ddp) {
    std::optional<double> older;
    parent.real("bucket_mb", 0.0, true, kMostBuckets, older);
    ddp.bucket_mb = older;
    const json* value = parent.object("ddp", "{bucket_mb: 25, compression: bf16}");
    if (value == nullptr) {
        return;
    }
    ConfigSection section(*value, "ddp", problems);
    section.real("first_bucket_mb", 0.0, true, kMostBuckets, ddp.first_bucket_mb);
    section.real("bucket_mb", 0.0, true, kMostBuckets, ddp.bucket_mb);
    if (older && ddp.bucket_mb != older) {
        section.add("bucket_mb", "differs from bucket_mb beside ddp, its older name; keep one of them");
    }
    section.name("compression", {"none", "bf16", "fp16"}, false, ddp.compression);
    section.flag("broadcast_buffers", ddp.broadcast_buffers);
    section.flag("find_unused_parameters", ddp.find_unused_parameters);
    section.real("collective_timeout_s", 0.0, true, 1e9, ddp.collective_timeout_s);
    section.real("heartbeat_s", 0.0, true, 1e6, ddp.heartbeat_s);
    section.real("rendezvous_timeout_s", 0.1, true, 86400.0, ddp.rendezvous_timeout_s);
    section.report_unknown();
}

void read_validation(ConfigSection& parent, ConfigProblems& problems, ValidationConfig& validation) {
    const json* value = parent.object("validation", "{batch_size: 200}");
    if (value == nullptr) {
        return;
    }
    ConfigSection section(*value, "validation", problems);
    section.whole("batch_size", 1, 1'000'000, validation.batch_size);
    section.flag("pad", validation.pad);
    section.whole("report_every", 1, kMaxWhole, validation.report_every);
    section.report_unknown();
}

void read_checkpoint(ConfigSection& parent, ConfigProblems& problems, CheckpointConfig& checkpoint) {
    const json* value = parent.object("checkpoint", "{folder: ./checkpoints, every_epochs: 1}");
    if (value == nullptr) {
        return;
    }
    const std::size_t before = problems.size();
    ConfigSection section(*value, "checkpoint", problems);
    section.text("folder", checkpoint.folder);
    section.whole("every_epochs", 0, 1e9, checkpoint.every_epochs);
    section.whole("every_steps", 1, kMaxWhole, checkpoint.every_steps);
    section.whole("keep", 0, 1e9, checkpoint.keep);
    section.text("resume", checkpoint.resume);
    section.text("init_from", checkpoint.init_from);
    section.report_unknown();
    if (problems.size() == before && checkpoint.resume.empty()) {
        section.add("resume", "is empty; auto, never or the path of a checkpoint is expected");
    }
    if (problems.size() == before && checkpoint.folder.empty() && checkpoint.every_steps) {
        section.add("folder", "is missing: every_steps is set, but nothing says where checkpoints go");
    }
}

TrainConfig read(const json& value, ConfigProblems& problems) {
    TrainConfig config;
    if (!value.is_object()) {
        problems.push_back(
            {"", "is " + shown(value) + "; a section of keys is expected: model, dataset, epochs, …"});
        return config;
    }
    ConfigSection section(value, "", problems);
    read_model(section, problems, config);
    read_dataset(section.find("dataset"), problems, config.dataset);
    section.whole("epochs", 1, 1'000'000'000, config.epochs);
    section.whole("batch_size", 1, 1'000'000, config.batch_size);
    section.whole("accumulate_steps", 1, 1'000'000, config.accumulate_steps);
    read_optimizer(section, problems, config.optimizer);
    read_schedule(section, problems, config.schedule);
    section.real("label_smoothing", 0.0, false, 1.0, config.label_smoothing);
    section.real("clip_norm", 0.0, true, kNoLimit, config.clip_norm);
    section.real("clip_value", 0.0, true, kNoLimit, config.clip_value);
    if (config.clip_norm && config.clip_value) {
        section.add("clip_value", "is set beside clip_norm; keep one of them");
    }
    section.flag("sync_bn", config.sync_bn);
    section.name("device", {"cpu", "cuda"}, false, config.device);
    section.name("precision", {"fp32", "tf32", "bf16", "fp16"}, false, config.precision);
    section.whole("topk", 1, 1'000'000, config.topk);
    section.whole("seed", 0, kMaxWhole, config.seed);
    section.whole("order_seed", 0, kMaxWhole, config.order_seed);
    section.flag("deterministic", config.deterministic);
    section.flag("drop_last", config.drop_last);
    section.flag("drop_short_batch", config.drop_short_batch);
    section.flag("shuffle", config.shuffle);
    read_ddp(section, problems, config.ddp);
    section.whole("threads", 1, 1024, config.threads);
    section.whole("max_steps", 1, kMaxWhole, config.max_steps);
    section.whole("log_every", 1, kMaxWhole, config.log_every);
    section.whole("metrics_every", 1, kMaxWhole, config.metrics_every);
    section.flag("validate", config.validate);
    read_validation(section, problems, config.validation);
    read_checkpoint(section, problems, config.checkpoint);
    section.report_unknown();
    return config;
}

json optional(const auto& value) {
    return value ? json(*value) : json(nullptr);
}

json to_json(const OptimizerConfig& optimizer) {
    json result = {{"name", optimizer.name},
                   {"lr", optimizer.lr},
                   {"weight_decay", optimizer.weight_decay},
                   {"no_decay_norm_bias", optimizer.no_decay_norm_bias}};
    if (optimizer.name == "sgd") {
        result["momentum"] = optimizer.momentum;
        result["dampening"] = optimizer.dampening;
        result["nesterov"] = optimizer.nesterov;
    } else {
        result["beta1"] = optimizer.beta1;
        result["beta2"] = optimizer.beta2;
        result["eps"] = optimizer.eps;
    }
    return result;
}

json to_json(const ScheduleConfig& schedule) {
    json result = {{"name", schedule.name}, {"reference_batch", optional(schedule.reference_batch)}};
    if (schedule.name == "onecycle") {
        result["pct_start"] = schedule.pct_start;
        result["anneal"] = schedule.anneal;
        result["div_factor"] = schedule.div_factor;
        result["final_div_factor"] = schedule.final_div_factor;
        result["three_phase"] = schedule.three_phase;
        result["cycle_momentum"] = schedule.cycle_momentum;
        result["base_momentum"] = schedule.base_momentum;
        result["max_momentum"] = schedule.max_momentum;
        return result;
    }
    result["by"] = schedule.by;
    if (schedule.warmup) {
        result["warmup"] = {{"epochs", optional(schedule.warmup->epochs)},
                            {"steps", optional(schedule.warmup->steps)},
                            {"factor", schedule.warmup->factor}};
    }
    if (schedule.name == "cos") {
        result["min_lr_factor"] = schedule.min_lr_factor;
    } else if (schedule.name == "steps") {
        result["milestones"] = schedule.milestones;
        result["gamma"] = schedule.gamma;
    }
    return result;
}

json to_json(const DdpConfig& ddp) {
    return {{"first_bucket_mb", optional(ddp.first_bucket_mb)},
            {"bucket_mb", optional(ddp.bucket_mb)},
            {"compression", ddp.compression},
            {"broadcast_buffers", ddp.broadcast_buffers},
            {"find_unused_parameters", ddp.find_unused_parameters},
            {"collective_timeout_s", optional(ddp.collective_timeout_s)},
            {"heartbeat_s", optional(ddp.heartbeat_s)},
            {"rendezvous_timeout_s", optional(ddp.rendezvous_timeout_s)}};
}

json to_json(const CheckpointConfig& checkpoint) {
    return {{"folder", checkpoint.folder},
            {"every_epochs", checkpoint.every_epochs},
            {"every_steps", optional(checkpoint.every_steps)},
            {"keep", checkpoint.keep},
            {"resume", checkpoint.resume},
            {"init_from", checkpoint.init_from}};
}

}  // namespace

const std::vector<std::string>& known_models() {
    static const std::vector<std::string> names{"convnet",  "mlp",      "linear",   "toy",       "paddle-cnn",
                                                "resnet18", "resnet34", "resnet50", "resnet101", "resnet152"};
    return names;
}

std::vector<ConfigProblem> check_train_config(const json& section) {
    ConfigProblems problems;
    read(section, problems);
    return problems;
}

TrainConfig parse_train_config(const json& section) {
    ConfigProblems problems;
    TrainConfig config = read(section, problems);
    if (!problems.empty()) {
        throw std::invalid_argument("train" + (problems[0].path.empty() ? "" : "." + problems[0].path) + " " +
                                    problems[0].message);
    }
    return config;
}

json to_json(const TrainConfig& config) {
    return {{"model", config.classes ? json{{"name", config.model}, {"classes", *config.classes}}
                                     : json(config.model)},
            {"dataset", to_json(config.dataset)},
            {"epochs", config.epochs},
            {"batch_size", config.batch_size},
            {"accumulate_steps", config.accumulate_steps},
            {"optimizer", to_json(config.optimizer)},
            {"schedule", to_json(config.schedule)},
            {"label_smoothing", config.label_smoothing},
            {"clip_norm", optional(config.clip_norm)},
            {"clip_value", optional(config.clip_value)},
            {"sync_bn", config.sync_bn},
            {"device", config.device},
            {"precision", config.precision},
            {"topk", config.topk},
            {"seed", config.seed},
            {"order_seed", optional(config.order_seed)},
            {"deterministic", config.deterministic},
            {"drop_last", config.drop_last},
            {"drop_short_batch", config.drop_short_batch},
            {"shuffle", config.shuffle},
            {"ddp", to_json(config.ddp)},
            {"threads", optional(config.threads)},
            {"max_steps", optional(config.max_steps)},
            {"log_every", config.log_every},
            {"metrics_every", config.metrics_every},
            {"validate", config.validate},
            {"validation",
             {{"batch_size", optional(config.validation.batch_size)},
              {"pad", config.validation.pad},
              {"report_every", optional(config.validation.report_every)}}},
            {"checkpoint", to_json(config.checkpoint)}};
}

}  // namespace rankscope::config
