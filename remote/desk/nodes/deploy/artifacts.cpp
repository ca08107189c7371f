// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/json_number.h>
#include <base/json_text.h>
#include <base/nccl_plugin_variables.h>
#include <base/paths.h>
#include <remote/desk/nodes/deploy/artifacts.h>
#include <remote/desk/shared/text.h>

#include <cstdlib>
#include <map>
#include <mutex>

namespace rankscope::inline nodes {
namespace fs = std::filesystem;
namespace {

constexpr const char* kContext = "Artifacts";

// Build tree: bin/ and bundle/ side by side. Installed: /usr/bin and /usr/lib/rankscope.
fs::path first_existing(std::initializer_list<fs::path> candidates) {
    for (const auto& candidate : candidates) {
        std::error_code error;
        if (fs::exists(candidate, error)) {
            return candidate;
        }
    }
    return {};
}

Failure missing(const char* what, const fs::path& expected) {
    return {"incomplete-install", "", text(kContext, "This installation lacks %1.", {what}),
            text(kContext, "Build it (./packaging/build) or install the package again; expected at %1.",
                 {expected.string()}),
            ""};
}

// Of names and contents.
std::string hash_of(const std::vector<BundleFile>& files) {
    Sha256 hash;
    for (const auto& file : files) {
        const std::string line = file.name + ' ' + to_hex(file.sha256) + '\n';
        hash.update(std::as_bytes(std::span(line.data(), line.size())));
    }
    return to_hex(hash.finish()).substr(0, 32);
}

}  // namespace

std::optional<WorkerBundle> parse_manifest(const fs::path& folder, const std::string& content) {
    const auto json = read_json(content);
    if (!json.is_object() || !json.contains("files") || !json["files"].is_array()) {
        return std::nullopt;
    }
    WorkerBundle bundle;
    try {
        bundle.entry = json.value("entry", "rankscope-worker");
        bundle.cuda = json.value("cuda", "");
        bundle.capabilities = json.value("capabilities", nlohmann::json::object());
        for (const auto& entry : json["files"]) {
            BundleFile file;
            file.name = entry.value("name", "");
            file.path = folder / file.name;
            file.size = whole_number<std::uint64_t>(entry.at("size")).value_or(0);
            const auto digest = digest_from_hex(entry.value("sha256", ""));
            std::error_code error;
            if (file.name.empty() || file.name.find('/') != std::string::npos || !digest ||
                fs::file_size(file.path, error) != file.size || error) {
                return std::nullopt;
            }
            file.sha256 = *digest;
            bundle.total_bytes += file.size;
            bundle.files.push_back(std::move(file));
        }
    } catch (const nlohmann::json::exception&) {  // a value of another type
        return std::nullopt;
    }
    bundle.hash = hash_of(bundle.files);
    return bundle.files.empty() ? std::nullopt : std::optional(std::move(bundle));
}

Result<AgentBinary> find_agent_binary() {
    static std::mutex mutex;
    static AgentBinary known;
    const std::lock_guard lock(mutex);
    if (!known.hash.empty()) {
        return known;
    }
    const fs::path here = program_dir();
    const fs::path file =
        first_existing({here / "rankscope-agent", here.parent_path() / "lib/rankscope/rankscope-agent"});
    const auto digest = file.empty() ? std::nullopt : sha256_of_file(file);
    if (!digest) {
        return missing("rankscope-agent", here / "rankscope-agent");
    }
    known = {file, fs::file_size(file), to_hex(*digest)};
    return known;
}

Result<WorkerBundle> find_worker_bundle() {
    const fs::path here = program_dir();
    const fs::path folder = first_existing(
        {here.parent_path() / "bundle/worker", here.parent_path() / "lib/rankscope/worker", here / "worker"});
    const auto manifest = folder.empty() ? std::nullopt : read_file(folder / "manifest.json");
    auto bundle = manifest ? parse_manifest(folder, *manifest) : std::nullopt;
    if (!bundle) {
        return missing("rankscope-worker", here.parent_path() / "bundle/worker/manifest.json");
    }
    return *std::move(bundle);
}

Result<WorkerBundle> find_nccl_bundle() {
    auto worker = find_worker_bundle();
    if (!worker) {
        return worker.failure();
    }
    WorkerBundle bundle;
    for (auto& file : worker->files) {
        if (file.name == kNcclPluginFile) {
            bundle.total_bytes = file.size;
            bundle.files.push_back(std::move(file));
        }
    }
    if (bundle.files.empty()) {
        return missing(kNcclPluginFile, program_dir().parent_path() / "bundle/worker" / kNcclPluginFile);
    }
    bundle.hash = hash_of(bundle.files);
    return bundle;
}

}  // namespace rankscope::inline nodes
