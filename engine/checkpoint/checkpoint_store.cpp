// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <base/text.h>
#include <engine/checkpoint/checkpoint_store.h>
#include <engine/checkpoint/file_io.h>
#include <engine/checkpoint/safetensors.h>
#include <engine/error.h>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace rankscope::engine {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModel = "model.safetensors";
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kState = "state.json";
constexpr const char* kFormat = "rankscope-checkpoint";
constexpr int kVersion = 1;
constexpr std::string_view kPrefix = "step_";
constexpr std::uint64_t kMaxState = 1'000'000;
// What is being written, removed or replaced; taken away by the next writer.
constexpr std::string_view kTemporary = ".partial-";

std::string name_of(std::int64_t step) {
    std::array<char, 40> name{};
    std::snprintf(name.data(), name.size(), "step_%08lld", static_cast<long long>(step));
    return name.data();
}

std::optional<std::int64_t> step_of(const fs::path& folder) {
    const std::string name = folder.filename().string();
    if (!name.starts_with(kPrefix)) {
        return std::nullopt;
    }
    const auto step = parse_number<std::int64_t>(std::string_view(name).substr(kPrefix.size()));
    // Only names that we would give: "step_5" and "step_00000005" must not be two.
    return step && *step >= 0 && name == name_of(*step) ? step : std::nullopt;
}

/// The file's text; its last member is the hash of everything else.
std::string state_text(nlohmann::json state) {
    ContentHash hash;
    hash.add(state.dump());
    state["checksum"] = hash.hex();
    return state.dump(1) + "\n";
}

nlohmann::json read_state(const fs::path& path) {
    InputFile file(path);
    if (file.size() > kMaxState) {
        throw Error(path.string() + " is too large");
    }
    std::string text(file.size(), '\0');
    file.read(std::as_writable_bytes(std::span(text)));
    nlohmann::json state = read_json(text);
    const bool ours = state.is_object() && state.contains("format") && state["format"] == kFormat;
    if (ours && state.contains("version") && state["version"].is_number() && state["version"] != kVersion) {
        throw Error(path.string() + " was written by another version of Rankscope (format " +
                    state["version"].dump() + ", this one reads " + std::to_string(kVersion) + ")");
    }
    if (ours) {
        state.erase("checksum");
    }
    if (!ours || state_text(state) != text) {
        throw Error(path.string() +
                    " is not what was written (its checksum does not fit): damaged, cut off "
                    "or edited");
    }
    return state;
}

nlohmann::json description(const OutputFile& file) {
    return {{"bytes", file.size()}, {"xxh3_128", file.hash()}};
}

std::vector<TensorRecord> read_checked(const fs::path& path, const nlohmann::json& expected) {
    InputFile file(path);
    if (file.size() != expected.at("bytes").get<std::uint64_t>()) {
        throw Error(path.string() + " has " + std::to_string(file.size()) + " bytes instead of " +
                    expected.at("bytes").dump() + ": it was cut off or changed");
    }
    SafetensorsContent content = read_safetensors(file);
    if (file.hash() != expected.at("xxh3_128").get<std::string>()) {
        throw Error(path.string() + " is not what was written (its hash does not fit): damaged or changed");
    }
    return std::move(content.tensors);
}

nlohmann::json write_tensors(const fs::path& path, std::span<const TensorRecord> tensors) {
    OutputFile file(path);
    write_safetensors(file, views_of(tensors));
    file.finish();
    return description(file);
}

/// Held while one writes: two runs in one folder would take away one another's half-written files.
class WriteLock {
public:
    explicit WriteLock(const fs::path& folder)
        : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
        if (descriptor_ < 0) {
            throw Error(write_error(folder, errno));
        }
        if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            ::close(descriptor_);
            throw Error(
                folder.string() +
                ": another process is writing a checkpoint there. Give each run a folder of its own.");
        }
        // A file system without locks: continue without.
    }
    ~WriteLock() { ::close(descriptor_); }
    WriteLock(const WriteLock&) = delete;
    WriteLock& operator=(const WriteLock&) = delete;

private:
    int descriptor_;
};

void remove_all_quietly(const fs::path& path) {
    std::error_code ignored;
    fs::remove_all(path, ignored);
}

/// Removed unless renamed.
class PendingFolder {
public:
    explicit PendingFolder(fs::path path) : path_(std::move(path)) {
        remove_all_quietly(path_);
        std::error_code error;
        if (!fs::create_directory(path_, error)) {
            throw Error(write_error(path_, error ? error.value() : EEXIST));
        }
    }
    ~PendingFolder() {
        if (!path_.empty()) {
            remove_all_quietly(path_);
        }
    }
    PendingFolder(const PendingFolder&) = delete;
    PendingFolder& operator=(const PendingFolder&) = delete;

    const fs::path& path() const { return path_; }

    /// Takes the final name; one that has it already goes in the same moment, where the file system can.
    void commit(const fs::path& name) {
        std::error_code error;
        if (fs::exists(name, error)) {
            if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, name.c_str(), RENAME_EXCHANGE) == 0) {
                remove_all_quietly(std::exchange(path_, fs::path()));
                return;
            }
            const fs::path old =
                name.parent_path() / (std::string(kTemporary) + "old-" + name.filename().string());
            remove_all_quietly(old);
            fs::rename(name, old, error);
            try {
                rename_to(name);
            } catch (const Error&) {
                fs::rename(old, name, error);
                throw;
            }
            remove_all_quietly(old);
        } else {
            rename_to(name);
        }
    }

private:
    void rename_to(const fs::path& name) {
        std::error_code error;
        fs::rename(path_, name, error);
        if (error) {
            throw Error(write_error(name, error.value()));
        }
        path_.clear();
    }

    fs::path path_;
};

}  // namespace

CheckpointStore::CheckpointStore(fs::path folder, int keep) : folder_(std::move(folder)), keep_(keep) {}

std::vector<fs::path> CheckpointStore::list() const {
    std::vector<std::pair<std::int64_t, fs::path>> found;
    std::error_code error;
    fs::directory_iterator entries(folder_, error);
    if (error == std::errc::no_such_file_or_directory) {
        return {};
    }
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
        if (const auto step = step_of(entries->path())) {
            found.emplace_back(*step, entries->path());
        }
    }
    if (error) {
        throw Error(folder_.string() + " cannot be read: " + error.message());
    }
    std::sort(found.rbegin(), found.rend());
    std::vector<fs::path> folders;
    for (auto& [step, path] : found) {
        folders.push_back(std::move(path));
    }
    return folders;
}

Snapshot CheckpointStore::read(const fs::path& checkpoint) const {
    const nlohmann::json state = read_state(checkpoint / kState);
    Snapshot snapshot;
    try {
        snapshot.position = training_position_of(state.at("position"));
        const nlohmann::json& files = state.at("files");
        snapshot.model = read_checked(checkpoint / kModel, files.at(kModel));
        snapshot.optimizer = read_checked(checkpoint / kOptimizer, files.at(kOptimizer));
    } catch (const nlohmann::json::exception& error) {
        throw Error((checkpoint / kState).string() + ": " + error.what());
    }
    if (step_of(checkpoint).value_or(snapshot.position.step) != snapshot.position.step) {
        throw Error(checkpoint.string() + " holds step " + std::to_string(snapshot.position.step) +
                    ": it was renamed");
    }
    return snapshot;
}

LoadedCheckpoint CheckpointStore::load_newest_valid() const {
    LoadedCheckpoint loaded;
    for (const fs::path& checkpoint : list()) {
        try {
            loaded.snapshot = read(checkpoint);
            loaded.folder = checkpoint;
            break;
        } catch (const Error& error) {
            loaded.rejected.push_back({checkpoint, error.what()});
        }
    }
    return loaded;
}

WrittenCheckpoint CheckpointStore::write(const Snapshot& snapshot) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) {
        throw Error(write_error(folder_, error.value()));
    }
    const WriteLock lock(folder_);
    remove_leftovers();
    const std::string name = name_of(snapshot.position.step);
    PendingFolder pending(folder_ / (std::string(kTemporary) + name));
    const nlohmann::json model = write_tensors(pending.path() / kModel, snapshot.model);
    const nlohmann::json optimizer = write_tensors(pending.path() / kOptimizer, snapshot.optimizer);
    OutputFile state(pending.path() / kState);
    state.write(state_text({{"format", kFormat},
                            {"version", kVersion},
                            {"position", to_json(snapshot.position)},
                            {"files", {{kModel, model}, {kOptimizer, optimizer}}}}));
    state.finish();
    sync_folder(pending.path());
    WrittenCheckpoint written{
        folder_ / name,
        model.at("bytes").get<std::uint64_t>() + optimizer.at("bytes").get<std::uint64_t>() + state.size(),
        {}};
    pending.commit(written.folder);
    sync_folder(folder_);
    written.abandoned = set_newer_aside(snapshot.position.step);
    remove_old();
    return written;
}

void CheckpointStore::remove_leftovers() const {
    std::error_code error;
    std::vector<fs::path> leftovers;
    for (fs::directory_iterator entries(folder_, error); !error && entries != fs::directory_iterator();
         entries.increment(error)) {
        if (entries->path().filename().string().starts_with(std::string(kTemporary) + "step_") ||
            entries->path().filename().string().starts_with(std::string(kTemporary) + "old-step_")) {
            leftovers.push_back(entries->path());
        }
    }
    for (const fs::path& leftover : leftovers) {
        remove_all_quietly(leftover);
    }
}

std::vector<fs::path> CheckpointStore::set_newer_aside(std::int64_t step) const {
    std::vector<fs::path> aside;
    for (const fs::path& checkpoint : list()) {
        if (step_of(checkpoint).value_or(step) <= step) {
            continue;
        }
        // Number by number: one of an earlier time may have the name.
        for (int number = 1; number < 1000; ++number) {
            const fs::path name =
                folder_ / ("abandoned_" + std::to_string(number) + "_" + checkpoint.filename().string());
            std::error_code error;
            if (fs::exists(name, error)) {
                continue;
            }
            fs::rename(checkpoint, name, error);
            if (!error) {
                aside.push_back(name);
            }
            break;
        }
    }
    return aside;
}

void CheckpointStore::remove_old() const {
    if (keep_ <= 0) {
        return;
    }
    const std::vector<fs::path> all = list();
    for (std::size_t i = static_cast<std::size_t>(keep_); i < all.size(); ++i) {
        // Renamed first: a removal that is cut off leaves nothing that looks like a checkpoint.
        const fs::path going = folder_ / (std::string(kTemporary) + "old-" + all[i].filename().string());
        remove_all_quietly(going);
        std::error_code error;
        fs::rename(all[i], going, error);
        remove_all_quietly(going);
    }
}

}  // namespace rankscope::engine
