// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/distribuuuu/config/yaml_text.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Distribuuuu's configuration: its keys, defaults and rules of merging (those of yacs).
namespace rankscope::distribuuuu {

/// The configuration as a run uses it; every field is the key of the same name.
struct Settings {
    struct {
        std::string arch;
        std::int64_t num_classes = 0;
        bool pretrained = false;
        bool syncbn = false;
        std::string weights;  ///< empty: None
        bool dummy_input = false;
    } model;
    struct {
        std::int64_t batch_size = 0;
        std::int64_t im_size = 0;
        std::string dataset;
        std::string split;
        bool auto_resume = false;
        bool load_opt = false;
        std::int64_t workers = 0;
        std::int64_t print_freq = 0;
        std::int64_t topk = 0;
    } train;
    struct {
        std::string split;
        std::int64_t batch_size = 0;
        std::int64_t im_size = 0;
        std::int64_t print_freq = 0;
    } test;
    struct {
        bool deterministic = false;
    } cudnn;
    struct {
        std::int64_t max_epoch = 0;
        std::string lr_policy;
        double base_lr = 0;
        double min_lr = 0;
        std::vector<double> steps;
        double lr_mult = 0;
        double momentum = 0;
        double dampening = 0;
        bool nesterov = false;
        double warmup_factor = 0;
        std::int64_t warmup_epochs = 0;
        double weight_decay = 0;
    } optim;
    std::string out_dir;
    std::string cfg_dest;
    std::optional<std::int64_t> rng_seed;  ///< 0 is None, as there
};

/// Every key with its default.
const FlatValues& default_values();

/// Puts `changes` over `values`. Unknown keys and values of another type than the key's are SettingsErrors that
/// name the key, what was expected and the nearest known key; None goes everywhere, as in yacs. `where`
/// begins the message: the file, or "command line".
void merge(FlatValues& values, const FlatValues& changes, const std::string& where);

/// "KEY VALUE KEY VALUE" of the command line.
FlatValues read_overrides(const std::vector<std::string>& words);

/// Throws SettingsError where a value cannot be used (None where a number is needed, TOPK 0, …).
Settings settings_of(const FlatValues& values);

}  // namespace rankscope::distribuuuu
