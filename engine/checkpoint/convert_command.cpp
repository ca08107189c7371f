// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <engine/checkpoint/checkpoint_store.h>
#include <engine/checkpoint/convert_command.h>
#include <engine/checkpoint/state_dict_file.h>
#include <engine/error.h>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <string>

namespace rankscope::engine {
namespace {

constexpr int kWrongUse = 2;

std::vector<TensorRecord> read_weights(const std::filesystem::path& path) {
    if (!std::filesystem::is_directory(path)) {
        return read_state_dict(path);
    }
    return CheckpointStore(path.parent_path()).read(path).model;
}

}  // namespace

int convert_command(int argc, char** argv) {
    std::string in;
    std::string out;
    bool overwrite = false;
    CLI::App app(
        "rankscope-worker convert: weights from one kind of file to another, by the names' ends: "
        ".safetensors; "
        ".pt, .pth, .pth.tar, .bin for PyTorch's. The prefixes \"module.\" and \"_orig_mod.\" are taken "
        "off.");
    app.add_option("IN", in, "a file with weights, or a checkpoint folder (step_00001234)")->required();
    app.add_option("OUT", out, "the file to write")->required();
    app.add_flag("--overwrite", overwrite, "OUT may be there already");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kWrongUse;
    }
    if (!overwrite && std::filesystem::exists(out)) {
        throw ConfigError(out + " is there already; --overwrite replaces it");
    }
    const std::vector<TensorRecord> tensors = read_weights(std::filesystem::path(in).lexically_normal());
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
