// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <base/sha256.h>
#include <remote/desk/archive/export/draft_folder.h>
#include <remote/desk/archive/export/export_places.h>
#include <remote/desk/archive/export/mlflow_folder.h>
#include <remote/desk/shared/yaml_write.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace rankscope::inline archive {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExperiment = "1";
constexpr std::size_t kIdDigits = 32;

// mlflow.entities.RunStatus
int status_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::Running:
            return 1;
        case Outcome::Done:
            return 3;
        case Outcome::Stopped:
            return 5;
        case Outcome::Failed:
        case Outcome::Lost:
            break;
    }
    return 4;
}

// The same export has the same ids.
std::string id_of(const std::string& text) {
    Sha256 hash;
    hash.update(std::as_bytes(std::span(text)));
    static constexpr const char* kDigits = "0123456789abcdef";
    std::string id;
    for (const unsigned char byte : hash.finish()) {
        id += {kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
    return id.substr(0, kIdDigits);
}

// A name that MLflow takes, as a path: a slash makes a folder.
std::string metric_name(std::string name) {
    std::replace_if(
        name.begin(), name.end(),
        [](unsigned char c) {
            const bool taken = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                               c == '_' || c == '-' || c == '.' || c == ' ' || c == '/';
            return !taken;
        },
        '_');
    const fs::path path = fs::path('/' + name).lexically_normal().relative_path();
    return path.empty() || !path.has_filename() ? path.string() + "value" : path.string();
}

std::string yaml_lines(const std::vector<std::pair<std::string, nlohmann::ordered_json>>& entries) {
    std::string text;
    for (const auto& [key, value] : entries) {
        text += key + ": " + yaml_flow(value) + '\n';
    }
    return text;
}

class MlflowFolder {
public:
    MlflowFolder(DraftFolder folder, const RunRecord& run, std::string job_text)
        : folder_(std::move(folder)), run_(run), job_text_(std::move(job_text)) {
        folder_.append(fs::path(kExperiment) / "meta.yaml",
                       yaml_lines({{"artifact_location", std::string("mlflow-artifacts:/") + kExperiment},
                                   {"creation_time", run.started_us / 1000},
                                   {"experiment_id", kExperiment},
                                   {"last_update_time", run.ended_us / 1000},
                                   {"lifecycle_stage", "active"},
                                   {"name", run.name.empty() ? run.run_id : run.name}}));
    }

    void take(const Event& event) {
        if (const auto* metric = event.as<MetricEvent>(); metric != nullptr && !metric->values.empty()) {
            std::int64_t& step = steps_[event.rank];
            step = metric->step >= 0 ? metric->step : step;
            auto values = metric->values;
            if (metric->epoch >= 0) {
                values.emplace_back("epoch", metric->epoch);
            }
            add(rank_place(event.rank, run_.world_size), event.t_us, step, values);
        } else if (const auto* sample = event.as<SampleEvent>()) {
            const std::int64_t second = std::max<std::int64_t>(0, (event.t_us - run_.started_us) / 1'000'000);
            add(node_place(event.node), event.t_us, second, {sample->values.begin(), sample->values.end()});
        }
    }

    Result<void> finish() { return folder_.finish(); }

private:
    void add(const std::string& place, std::int64_t t_us, std::int64_t step,
             const std::vector<std::pair<std::string, double>>& values) {
        auto& folder = runs_[place];
        if (folder.empty()) {
            folder = begin_run(place);
        }
        for (const auto& [name, value] : values) {
            folder_.append(
                folder / "metrics" / file_of(place, name),
                std::to_string(t_us / 1000) + ' ' + number_text(value) + ' ' + std::to_string(step) + '\n');
        }
    }

    // A file and a folder cannot have one name: after "loss", "loss/best" becomes "loss.best".
    const std::string& file_of(const std::string& place, const std::string& name) {
        auto& files = files_[place];
        const auto known = files.find(name);
        if (known != files.end()) {
            return known->second;
        }
        std::string file = metric_name(name);
        const auto below = [](const std::string& inner, const std::string& outer) {
            return inner.starts_with(outer + '/');
        };
        for (const auto& other : files) {
            if (below(file, other.second)) {
                std::replace(file.begin(), file.end(), '/', '.');
            } else if (below(other.second, file)) {
                file += ".value";
            }
        }
        return files.emplace(name, std::move(file)).first->second;
    }

    fs::path begin_run(const std::string& place) {
        const std::string id = id_of(run_.run_id + '/' + place);
        fs::path folder = fs::path(kExperiment) / id;
        const std::string name = (run_.name.empty() ? run_.run_id : run_.name) + ' ' + place;
        folder_.append(
            folder / "meta.yaml",
            yaml_lines(
                {{"artifact_uri", std::string("mlflow-artifacts:/") + kExperiment + '/' + id + "/artifacts"},
                 {"end_time", run_.ended_us == 0 ? nlohmann::ordered_json()
                                                 : nlohmann::ordered_json(run_.ended_us / 1000)},
                 {"entry_point_name", ""},
                 {"experiment_id", kExperiment},
                 {"lifecycle_stage", "active"},
                 {"run_id", id},
                 {"run_name", name},
                 {"run_uuid", id},
                 {"source_name", ""},
                 {"source_type", 4},
                 {"source_version", ""},
                 {"start_time", run_.started_us / 1000},
                 {"status", status_of(run_.outcome)},
                 {"tags", nlohmann::ordered_json::array()},
                 {"user_id", "rankscope"}}));
        folder_.append(folder / "tags" / "mlflow.runName", name);
        folder_.append(folder / "tags" / "rankscope.run", run_.run_id);
        folder_.append(folder / "params" / "world_size", std::to_string(run_.world_size));
        folder_.append(folder / "artifacts" / "job.yaml", job_text_);
        return folder;
    }

    DraftFolder folder_;
    const RunRecord& run_;
    const std::string job_text_;
    std::map<std::string, fs::path> runs_;                             ///< place → its folder
    std::map<std::string, std::map<std::string, std::string>> files_;  ///< place → metric → its file
    std::map<int, std::int64_t> steps_;                                ///< the last step of each rank
};

}  // namespace

Result<void> export_mlflow_folder(const RunRecord& run, const std::string& job_text, const fs::path& folder,
                                  EventPasses passes) {
    auto draft = DraftFolder::create(folder);
    if (!draft) {
        return draft.failure();
    }
    MlflowFolder written(std::move(*draft), run, job_text);
    auto read = passes.each([&](const Event& event) { written.take(event); });
    return read ? written.finish() : read;
}

}  // namespace rankscope::inline archive
