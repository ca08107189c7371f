// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <engine/distribuuuu/config/settings_error.h>
#include <engine/distribuuuu/config/train_config_of.h>

#include <algorithm>

namespace rankscope::distribuuuu {
namespace {

void check_model(const Settings& settings) {
    const std::vector<std::string> known{
        "resnet18",        "resnet34",         "resnet50",        "resnet101",        "resnet152",
        "resnext50_32x4d", "resnext101_32x8d", "wide_resnet50_2", "wide_resnet101_2", "regnetx_002",
        "regnetx_160",     "regnety_002",      "regnety_160",     "regnety_320",      "densenet121",
        "densenet169",     "densenet201",      "efficientnet_b0", "botnet50"};
    if (std::find(known.begin(), known.end(), settings.model.arch) == known.end()) {
        throw SettingsError("MODEL.ARCH is '" + settings.model.arch + "'; this engine trains " +
                            joined(known) + config::suggestion(settings.model.arch, known) +
                            ". Other models run with Distribuuuu itself, as a program of your own.");
    }
    if (settings.model.pretrained) {
        throw SettingsError(
            "MODEL.PRETRAINED is True; nothing is downloaded here. Save the pretrained state_dict to a "
            "file and set MODEL.PRETRAINED False. rankscope-worker distribuuuu reads the file from "
            "MODEL.WEIGHTS, a "
            "job from train.checkpoint.init_from.");
    }
}

config::DatasetConfig dataset_of(const Settings& settings) {
    config::DatasetConfig dataset;
    dataset.image_size = settings.train.im_size;
    if (settings.model.dummy_input) {
        dataset.name = "dummy";
        dataset.classes = settings.model.num_classes;
        return dataset;
    }
    dataset.name = "image-folder";
    dataset.root = settings.train.dataset;  // TEST.DATASET is not read there, either
    dataset.train_split = settings.train.split;
    dataset.val_split = settings.test.split;
    dataset.classes = settings.model.num_classes;
    dataset.resize = settings.test.im_size;
    dataset.augment.random_resized_crop = config::AugmentConfig::RandomResizedCrop{};
    dataset.augment.horizontal_flip = 0.5;
    dataset.normalize = {{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};
    dataset.workers = std::max<std::int64_t>(settings.train.workers, 1);
    return dataset;
}

config::ScheduleConfig schedule_of(const Settings& settings) {
    const auto& optim = settings.optim;
    config::ScheduleConfig schedule;
    schedule.name = optim.lr_policy;
    schedule.min_lr_factor = optim.min_lr;
    if (optim.lr_policy == "steps") {
        schedule.min_lr_factor = 0.0;
        schedule.milestones.assign(optim.steps.begin() + 1, optim.steps.end());  // the first is 0
        schedule.gamma = optim.lr_mult;
    }
    if (optim.warmup_epochs > 0) {
        schedule.warmup = config::WarmupConfig{.epochs = static_cast<double>(optim.warmup_epochs),
                                               .steps = std::nullopt,
                                               .factor = optim.warmup_factor};
    }
    return schedule;
}

}  // namespace

config::TrainConfig train_config_of(const Settings& settings, bool pad_validation) {
    check_model(settings);
    config::TrainConfig config;
    config.model = settings.model.arch;
    config.classes = settings.model.num_classes;
    config.dataset = dataset_of(settings);
    config.epochs = settings.optim.max_epoch;
    config.batch_size = settings.train.batch_size;
    config.optimizer.lr = settings.optim.base_lr;
    config.optimizer.momentum = settings.optim.momentum;
    config.optimizer.dampening = settings.optim.dampening;
    config.optimizer.weight_decay = settings.optim.weight_decay;
    config.optimizer.nesterov = settings.optim.nesterov;
    config.schedule = schedule_of(settings);
    config.sync_bn = settings.model.syncbn;
    config.topk = settings.train.topk;
    config.seed = settings.rng_seed.value_or(0);
    config.order_seed = 0;  // the sampler there is never seeded
    config.deterministic = settings.rng_seed.has_value() || settings.cudnn.deterministic;
    config.drop_short_batch = true;
    config.metrics_every = settings.train.print_freq;
    config.validation.batch_size = settings.test.batch_size;
    config.validation.pad = pad_validation;
    config.validation.report_every = settings.test.print_freq;
    const std::vector<config::ConfigProblem> problems = config::check_train_config(config::to_json(config));
    if (!problems.empty()) {
        throw SettingsError("these settings cannot be trained: " + problems[0].path + ": " +
                            config::to_sentence(problems[0]));
    }
    return config;
}

}  // namespace rankscope::distribuuuu
