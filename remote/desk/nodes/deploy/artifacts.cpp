// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/json_number.h>
#include <base/json_text.h>
#include <base/nccl_plugin_variables.h>
#include <base/paths.h>
#include <remote/desk/nodes/deploy/artifacts.h>
#include <remote/desk/shared/text.h>

#include <sys/utsname.h>

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

bool is_other(const std::string& machine) {
    return !machine.empty() && machine != own_machine();
}

// Where the programs of one processor are: in a build tree (a preset each, bin/ and bundle/), or installed.
struct Places {
    fs::path build;
    fs::path installed;
};

Places places_for(const std::string& machine) {
    const fs::path own = program_dir().parent_path();  // build/release, or /usr
    if (!is_other(machine)) {
        return {own, own / "lib/rankscope"};
    }
    return {own.parent_path() / (machine == "aarch64" ? "arm64" : machine), own / "lib/rankscope" / machine};
}

Failure missing(const char* what, const fs::path& expected, const std::string& machine) {
    if (is_other(machine)) {
        return {
            "agent-architecture", "",
            text(kContext, "This installation has no %1 for nodes with the processor %2.", {what, machine}),
            machine == "aarch64"
                ? text(kContext, "Build it: `packaging/setup --arm64 && packaging/build arm64`.")
                : text(kContext, "Start the run from a computer with such a processor."),
            expected.string()};
    }
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

std::string own_machine() {
    utsname self{};
    return ::uname(&self) == 0 ? self.machine : "";
}

Result<AgentBinary> find_agent_binary(const std::string& machine) {
    static std::mutex mutex;
    static std::map<std::string, AgentBinary> known;
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(machine); found != known.end()) {
        return found->second;
    }
    const Places places = places_for(machine);
    const fs::path file =
        first_existing({places.build / "bin/rankscope-agent", places.installed / "rankscope-agent"});
    const auto digest = file.empty() ? std::nullopt : sha256_of_file(file);
    if (!digest) {
        return missing("rankscope-agent", places.build / "bin/rankscope-agent", machine);
    }
    return known[machine] = {file, fs::file_size(file), to_hex(*digest)};
}

Result<WorkerBundle> find_worker_bundle(const std::string& machine) {
    const Places places = places_for(machine);
    const fs::path folder = first_existing(
        {places.build / "bundle/worker", places.installed / "worker", program_dir() / "worker"});
    const auto manifest = folder.empty() ? std::nullopt : read_file(folder / "manifest.json");
    auto bundle = manifest ? parse_manifest(folder, *manifest) : std::nullopt;
    if (!bundle) {
        return missing("rankscope-worker", places.build / "bundle/worker/manifest.json", machine);
    }
    return *std::move(bundle);
}

Result<WorkerBundle> find_nccl_bundle(const std::string& machine) {
    auto worker = find_worker_bundle(machine);
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
        return missing(kNcclPluginFile, places_for(machine).build / "bundle/worker" / kNcclPluginFile,
                       machine);
    }
    bundle.hash = hash_of(bundle.files);
    return bundle;
}

}  // namespace rankscope::inline nodes
