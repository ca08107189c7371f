// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/archive/failure_bundle/bundle_import.h>
#include <remote/desk/archive/failure_bundle/bundle_lines.h>
#include <remote/diagnosis/verdict_source.h>

#include <memory>

namespace rankscope::inline archive {

Result<RunLines> read_bundle_lines(const std::filesystem::path& file, std::uint32_t first,
                                   const RunSink& sink, const std::stop_token& stop) {
    RunLines read;
    std::unique_ptr<RunOutput> output;
    auto content = read_bundle_file(file, [&](const RunRecord& record, const Event& event) {
        if (!output) {
            output = std::make_unique<RunOutput>(record.run_id, first, sink);
        }
        output->take(event);
        if (const auto* verdict = event.as<DiagnosisEvent>();
            verdict != nullptr && verdict->phase == VerdictPhase::End && !is_from_logs(*verdict)) {
            read.verdicts.push_back(*verdict);
        }
        if (sink.event) {
            sink.event(record, event);
        }
        return !stop.stop_requested();
    });
    if (!content) {
        return content.failure();
    }
    if (output) {
        output->finish();
        read.sources = output->sources();
        read.names = output->names();
    }
    read.names.note(content->record.plan);
    return read;
}

}  // namespace rankscope::inline archive
