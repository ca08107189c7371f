// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <engine/checkpoint/convert_command.h>
#include <engine/checkpoint/gpt2_layout.h>
#include <engine/checkpoint/state_dict_file.h>
#include <engine/checkpoint/weights.h>
#include <engine/error.h>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::engine {
namespace {

constexpr int kWrongUse = 2;

}  // namespace

int convert_command(int argc, char** argv) {
    std::string in;
    std::string out;
    bool overwrite = false;
    bool transformers = false;
    CLI::App app(
        "rankscope-worker convert: weights from one kind of file to another, by the names' ends: "
        ".safetensors; "
        ".pt, .pth, .pth.tar, .bin for PyTorch's. The prefixes \"module.\" and \"_orig_mod.\" are taken "
        "off. Of a GPT-2 the files of transformers are read, too.");
    app.add_option(
           "IN", in,
           "a file with weights, a checkpoint (step_00001234), or a folder of checkpoints: its newest")
        ->required();
    app.add_option("OUT", out, "the file to write")->required();
    app.add_flag("--transformers", transformers,
                 "write a GPT-2 as GPT2LMHeadModel.from_pretrained() reads it");
    app.add_flag("--overwrite", overwrite, "OUT may be there already");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kWrongUse;
    }
    if (!overwrite && std::filesystem::exists(out)) {
        throw ConfigError(out + " is there already; --overwrite replaces it");
    }
    std::vector<TensorRecord> tensors = read_weights(std::filesystem::path(in).lexically_normal());
    if (transformers) {
        if (!is_gpt2(tensors)) {
            throw ConfigError(in + " has no GPT-2: --transformers is for no other network");
        }
        tensors = to_transformers_layout(std::move(tensors));
    }
    if (std::filesystem::path(out).extension() != ".safetensors") {
        tensors = with_head(std::move(tensors));
    }
    write_state_dict(out, tensors);
    std::uint64_t bytes = 0;
    for (const TensorRecord& tensor : tensors) {
        bytes += tensor.bytes.size();
    }
    std::printf("%s: %zu tensors, %s MB\n", out.c_str(), tensors.size(),
                fixed_text(static_cast<double>(bytes) / 1e6, 1).c_str());
    return 0;
}

}  // namespace rankscope::engine
