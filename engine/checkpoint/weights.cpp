// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/checkpoint_store.h>
#include <engine/checkpoint/gpt2_layout.h>
#include <engine/checkpoint/state_dict_file.h>
#include <engine/checkpoint/weights.h>
#include <engine/error.h>

#include <utility>

namespace rankscope::engine {
namespace {

namespace fs = std::filesystem;

std::vector<TensorRecord> newest_of(const fs::path& folder) {
    LoadedCheckpoint loaded = CheckpointStore(folder).load_newest_valid();
    if (!loaded.snapshot) {
        throw Error(folder.string() + ": is no checkpoint, and has none" +
                    (loaded.rejected.empty() ? "" : " that is whole: " + loaded.rejected.front().reason));
    }
    return std::move(loaded.snapshot->model);
}

}  // namespace

std::vector<TensorRecord> read_weights(const fs::path& path) {
    if (!fs::is_directory(path)) {
        return to_engine_layout(read_state_dict(path));
    }
    return fs::exists(path / "state.json") ? CheckpointStore(path.parent_path()).read(path).model
                                           : newest_of(path);
}

}  // namespace rankscope::engine
