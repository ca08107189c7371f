// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/archive/export/draft_folder.h>
#include <remote/desk/archive/export/event_files.h>
#include <remote/desk/archive/export/export_places.h>
#include <remote/desk/shared/text.h>
#include <remote/observe/tensorboard/event_writer.h>

#include <map>
#include <utility>
#include <vector>

namespace rankscope::inline archive {
namespace {

constexpr const char* kContext = "RunExport";
constexpr double kMicroseconds = 1e6;

double seconds_of(std::int64_t t_us) {
    return static_cast<double>(t_us) / kMicroseconds;
}

// "gpu.0.util" → "gpu.0/util": TensorBoard groups by what stands before the slash.
std::string tag_of(std::string key) {
    if (const auto dot = key.rfind('.'); dot != std::string::npos) {
        key[dot] = '/';
    }
    return key;
}

// In a fence that the text does not hold.
std::string code_block(const std::string& code) {
    std::string fence = "~~~~";
    while (code.find(fence) != std::string::npos) {
        fence += '~';
    }
    return fence + "\n" + code + "\n" + fence + "\n";
}

class EventFiles {
public:
    EventFiles(DraftFolder folder, const RunRecord& run)
        : folder_(std::move(folder)),
          run_(run),
          file_name_("events.out.tfevents." + std::to_string(run.started_us / 1'000'000) + '.' + run.run_id) {
    }

    void add(const std::string& place, const std::string& record) {
        const std::filesystem::path file = std::filesystem::path(place) / file_name_;
        if (!folder_.has(file)) {
            folder_.append(file, tensorboard::version_record(seconds_of(run_.started_us)));
        }
        folder_.append(file, record);
    }

    void take(const Event& event) {
        const double at = seconds_of(event.t_us);
        if (const auto* metric = event.as<MetricEvent>(); metric != nullptr && !metric->values.empty()) {
            std::int64_t& step = steps_[event.rank];
            step = metric->step >= 0 ? metric->step : step;
            auto values = metric->values;
            if (metric->epoch >= 0) {
                values.emplace_back("epoch", metric->epoch);
            }
            add(rank_place(event.rank, run_.world_size), tensorboard::scalars_record(at, step, values));
        } else if (const auto* sample = event.as<SampleEvent>()) {
            std::vector<std::pair<std::string, double>> values;
            for (const auto& [key, value] : sample->values) {
                values.emplace_back(tag_of(key), value);
            }
            const std::int64_t second = std::max<std::int64_t>(0, (event.t_us - run_.started_us) / 1'000'000);
            add(node_place(event.node), tensorboard::scalars_record(at, second, values));
        }
    }

    Result<void> finish() { return folder_.finish(); }

private:
    DraftFolder folder_;
    const RunRecord& run_;
    const std::string file_name_;
    std::map<int, std::int64_t> steps_;  ///< the last step of each rank
};

}  // namespace

Result<void> export_event_files(const RunRecord& run, const std::string& job_text,
                                const std::filesystem::path& folder, EventPasses passes) {
    auto draft = DraftFolder::create(folder);
    if (!draft) {
        return draft.failure();
    }
    EventFiles files(std::move(*draft), run);
    const std::string first = rank_place(0, run.world_size);
    files.add(first, tensorboard::text_record(seconds_of(run.started_us), text(kContext, "job"),
                                              code_block(job_text)));
    if (!run.summary.empty()) {
        files.add(first,
                  tensorboard::text_record(seconds_of(run.ended_us), text(kContext, "end"), run.summary));
    }
    auto read = passes.each([&](const Event& event) { files.take(event); });
    return read ? files.finish() : read;
}

}  // namespace rankscope::inline archive
