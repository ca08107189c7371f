// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/agent/ranks/rank_reader.h>
#include <remote/agent/spool/run_events.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

namespace rankscope::agent {
namespace {

constexpr double kPartialLineWait = 0.2;  // an unfinished line (a prompt, a progress bar) is shown after this

wire::Event metric_event(int rank, const MetricsLine& line) {
    wire::Event event;
    event.set_rank(rank);
    auto* metric = event.mutable_metric();
    metric->set_step(line.step.value_or(-1));
    metric->set_epoch(line.epoch.value_or(-1));
    for (const auto& [key, value] : line.values) {
        metric->add_keys(key);
        metric->add_values(value);
    }
    for (const auto& [key, value] : line.texts) {
        metric->add_text_keys(key);
        metric->add_text_values(value);
    }
    return event;
}

}  // namespace

AgentResult<void> RankReader::prepare(const wire::StartRun& run) {
    if (!run.has_own() || run.ranks_size() == 0) {
        return {};
    }
    if (const int error = logs_.open(run.own().log_dir(), run.ranks(0).workdir(), run.run_id()); error != 0) {
        return AgentFailure{
            .code = "log-dir", .detail = std::strerror(error), .args = {run.own().log_dir()}, .error = error};
    }
    for (const auto& text : run.own().line_patterns()) {
        if (auto pattern = metric_lines::Pattern::compile(text)) {
            patterns_.push_back(std::move(*pattern));
        }
    }
    return {};
}

void RankReader::begin_attempt(const wire::StartRun& run, bool first) {
    if (!first) {
        read_files(true);  // what the attempt before wrote last
    }
    inner_.clear();
    if (first) {
        files_ = FoundFiles::of(run);
    }
}

void RankReader::begin(RankProcess& rank, const wire::StartRun& run) {
    begin_lines(rank, run);
    open_logs(rank);
}

void RankReader::begin_inner(RankProcess& rank, const wire::StartRun& run) {
    begin_lines(rank, run);
    inner_.push_back(&rank);
}

void RankReader::forget_inner(const RankProcess& rank) {
    std::erase(inner_, &rank);
}

void RankReader::begin_lines(RankProcess& rank, const wire::StartRun& run) const {
    if (run.has_own() && (run.own().read_lines() || !patterns_.empty())) {
        rank.printed.emplace(patterns_, run.own().read_lines());
    }
}

void RankReader::read() {
    for (auto& rank : ranks_) {
        read(rank);
    }
    read_files(false);
}

void RankReader::read(RankProcess& rank) {
    // The pipe first: what a program writes there before it prints it is not read twice.
    read_metrics(rank);
    read_output(rank, rank.out, false);
    read_output(rank, rank.err, true);
    if (monotonic_s() - rank.quiet_since >= kPartialLineWait) {
        flush_unsorted(rank);
        emit_lines(rank, rank.out_lines, false, true);
        emit_lines(rank, rank.err_lines, true, true);
    }
}

void RankReader::finish(RankProcess& rank, bool well) {
    read_metrics(rank);
    read_output(rank, rank.out, false);
    read_output(rank, rank.err, true);
    flush_unsorted(rank);
    if (well) {
        read_files(true);  // a failure is reported immediately: its files are read behind it
    }
    if (rank.printed) {
        emit_metrics(rank, rank.printed->finish());
        offer_lines(rank, well);
    }
    emit_lines(rank, rank.out_lines, false, true);
    emit_lines(rank, rank.err_lines, true, true);
}

void RankReader::finish_files(bool run_ended_well) {
    read_files(true);
    if (files_ && run_ended_well) {
        for (const auto& notice : files_->missing()) {
            add_notice(spool_, -1, notice.id, notice.args);
        }
    }
}

double RankReader::due_s() const {
    double due = std::numeric_limits<double>::infinity();
    for (const auto& rank : ranks_) {
        due = std::min(due, due_s(rank));
    }
    return files_ ? std::min(due, files_->due_s()) : due;
}

double RankReader::due_s(const RankProcess& rank) {
    const bool nothing = rank.out_lines.empty() && rank.err_lines.empty() && rank.out_unsorted.empty() &&
                         rank.err_unsorted.empty();
    return nothing ? std::numeric_limits<double>::infinity() : rank.quiet_since + kPartialLineWait;
}

void RankReader::open_logs(RankProcess& rank) {
    if (!logs_.is_open()) {
        return;
    }
    const auto attempt = rank.spec.env().find("TORCHELASTIC_RESTART_COUNT");
    const auto folder = logs_.rank(attempt == rank.spec.env().end() ? 0 : std::atoi(attempt->second.c_str()),
                                   rank.spec.local_rank());
    const int error = rank.logs.open(folder);
    add_stage(spool_, rank.number(), StageName::Note, error == 0 ? StageStatus::Done : StageStatus::Failed,
              "log files in " + folder.string() +
                  (error == 0 ? std::string() : std::string(": ") + std::strerror(error)));
}

void RankReader::write_logs(RankProcess& rank, bool is_stderr, std::string_view text) {
    if (const int error = rank.logs.write(is_stderr, text); error != 0) {
        add_stage(spool_, rank.number(), StageName::Note, StageStatus::Failed,
                  std::string("stopped writing the log file of ") + (is_stderr ? "stderr" : "stdout") + ": " +
                      std::strerror(error) + "; its output is still recorded here");
    }
}

void RankReader::read_output(RankProcess& rank, UniqueFd& fd, bool is_stderr) {
    std::array<char, 65536> bytes;
    for (int round = 0; fd && round < 16; ++round) {
        const auto got = ::read(fd.get(), bytes.data(), bytes.size());
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
            fd.reset();
            return;
        }
        if (got < 0) {
            return;
        }
        const std::string_view text(bytes.data(), static_cast<std::size_t>(got));
        write_logs(rank, is_stderr, text);
        rank.quiet_since = monotonic_s();
        if (rank.owner_of) {
            sort_lines(rank, is_stderr, text);
        } else {
            take_text(rank, is_stderr, text);
        }
    }
}

void RankReader::take_text(RankProcess& rank, bool is_stderr, std::string_view text) {
    LineBuffer& lines = is_stderr ? rank.err_lines : rank.out_lines;
    rank.last_lines.add(text);
    if (is_stderr && rank.traceback.feed(text)) {
        rank.traceback_at = monotonic_s();
    }
    if (is_stderr) {
        rank.crash.feed(text);
    }
    lines.feed(text);
    rank.quiet_since = monotonic_s();
    emit_lines(rank, lines, is_stderr, false);
    if (rank.printed) {
        emit_metrics(rank, rank.printed->feed(is_stderr, text));
        offer_lines(rank, false);
    }
}

// Lines of one owner that follow one another stay together.
void RankReader::sort_lines(RankProcess& rank, bool is_stderr, std::string_view text) {
    std::string& unsorted = is_stderr ? rank.err_unsorted : rank.out_unsorted;
    unsorted += text;
    std::string_view rest = unsorted;
    std::string_view run;
    RankProcess* of = &rank;
    for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
        const auto line = rest.substr(0, end + 1);
        RankProcess* owner = rank.owner_of(line);
        owner = owner == nullptr ? &rank : owner;
        if (owner != of && !run.empty()) {
            take_text(*of, is_stderr, run);
            run = {};
        }
        of = owner;
        run = run.empty() ? line : std::string_view(run.data(), run.size() + line.size());
        rest.remove_prefix(line.size());
    }
    if (!run.empty()) {
        take_text(*of, is_stderr, run);
    }
    unsorted.erase(0, unsorted.size() - rest.size());
    if (unsorted.size() >= LineBuffer::kMaxChunk) {
        flush_unsorted(rank);
    }
}

void RankReader::flush_unsorted(RankProcess& rank) {
    for (const bool is_stderr : {false, true}) {
        std::string& unsorted = is_stderr ? rank.err_unsorted : rank.out_unsorted;
        if (!unsorted.empty()) {
            RankProcess* owner = rank.owner_of ? rank.owner_of(unsorted) : nullptr;
            take_text(owner == nullptr ? rank : *owner, is_stderr, std::exchange(unsorted, {}));
        }
    }
}

void RankReader::emit_lines(RankProcess& rank, LineBuffer& lines, bool is_stderr, bool all) {
    for (std::string chunk = lines.take(all); !chunk.empty(); chunk = lines.take(all)) {
        wire::Event event;
        event.set_rank(rank.number());
        event.mutable_log()->set_is_stderr(is_stderr);
        event.mutable_log()->set_text(std::move(chunk));
        event.mutable_log()->set_shared(rank.shares_output);
        spool_.add(std::move(event));
    }
}

void RankReader::read_metrics(RankProcess& rank) {
    std::array<char, 65536> bytes;
    for (int round = 0; rank.metrics && round < 16; ++round) {
        const auto got = ::read(rank.metrics.get(), bytes.data(), bytes.size());
        if (got <= 0) {
            return;
        }
        rank.metrics_lines.append(bytes.data(), static_cast<std::size_t>(got));
        std::size_t begin = 0;
        for (auto end = rank.metrics_lines.find('\n'); end != std::string::npos;
             end = rank.metrics_lines.find('\n', begin)) {
            take_metrics_line(rank, std::string_view(rank.metrics_lines).substr(begin, end - begin));
            begin = end + 1;
        }
        rank.metrics_lines.erase(0, begin);
        if (rank.metrics_lines.size() > kMaxMetricsLine) {
            rank.metrics_lines.clear();
            take_metrics_line(rank, "(line too long)");
        }
    }
}

void RankReader::take_metrics_line(RankProcess& rank, std::string_view line) {
    if (line.empty()) {
        return;
    }
    std::string why;
    const auto parsed = parse_metrics_line(line, &why);
    if (!parsed) {
        if (++rank.bad_metrics == 1) {
            add_stage(spool_, rank.number(), StageName::Note, StageStatus::Failed,
                      "a line on the metrics pipe was not understood (" + why +
                          "): " + std::string(line.substr(0, 200)));
        }
        return;
    }
    if (parsed->stage) {
        double done = 0;
        double total = 0;
        for (const auto& [key, value] : parsed->values) {
            done = key == "done" ? value : done;
            total = key == "total" ? value : total;
        }
        wire::Event event;
        event.set_rank(rank.number());
        auto* stage = event.mutable_stage();
        stage->set_name(static_cast<wire::StageName>(*parsed->stage));
        stage->set_status(wire::STATUS_PROGRESS);
        stage->set_detail(parsed->detail);
        stage->set_progress(total > 0 ? done / total : -1);
        for (const int missing : parsed->waiting_for) {
            stage->add_waiting_for(missing);
        }
        if (parsed->failed_dial) {
            stage->mutable_failed_dial()->set_address(parsed->failed_dial->address);
            stage->mutable_failed_dial()->set_port(static_cast<std::uint32_t>(parsed->failed_dial->port));
            stage->mutable_failed_dial()->set_error(parsed->failed_dial->error);
        }
        spool_.add(std::move(event));
        return;
    }
    for (const auto& [key, text] : parsed->texts) {
        if (key == kParametersDifferKey) {
            add_notice(spool_, rank.number(), "parameters-differ",
                       {text, std::to_string(parsed->step.value_or(0))});
        }
    }
    if (rank.printed) {
        rank.printed->given(*parsed);
    }
    if (files_) {
        files_->given(rank.number(), *parsed);
    }
    emit_metric(rank, *parsed);
}

void RankReader::read_files(bool all) {
    if (!files_ || (!all && monotonic_s() < files_->due_s())) {
        return;
    }
    FoundFiles::Ranks ranks;
    for (const auto& rank : ranks_) {
        ranks.push_back({rank.number(), rank.pid, &rank.merge});
    }
    for (const auto* rank : inner_) {
        ranks.push_back({rank->number(), rank->pid, &rank->merge});
    }
    const auto news = files_->poll(ranks, all);
    for (const auto& notice : news.notices) {
        add_notice(spool_, -1, notice.id, notice.args);
    }
    for (const auto& [number, line] : news.metrics) {
        if (RankProcess* rank = find_rank(number); rank != nullptr) {
            for (const auto& one : rank->merge.take_file(line)) {
                note_first_metric(*rank, one.line);
                wire::Event event = metric_event(rank->number(), one.line);
                event.mutable_metric()->set_from_file(true);
                event.mutable_metric()->set_voids_after(one.voids_after ? *one.voids_after + 2 : 0);
                spool_.add(std::move(event));
            }
        }
    }
}

// What a program prints itself goes before the output that its ranks share.
RankProcess* RankReader::find_rank(int number) {
    for (auto& rank : ranks_) {
        if (rank.number() == number && rank.stands_for < 0) {
            return &rank;
        }
    }
    for (auto* rank : inner_) {
        if (rank->number() == number) {
            return rank;
        }
    }
    const auto any = std::find_if(ranks_.begin(), ranks_.end(),
                                  [number](const RankProcess& rank) { return rank.number() == number; });
    return any == ranks_.end() ? nullptr : &*any;
}

void RankReader::emit_metrics(RankProcess& rank, const std::vector<MetricsLine>& lines) {
    for (const auto& line : lines) {
        MetricsLine rest = line;
        rank.merge.take_lines(rest);
        if (!rest.values.empty() || line.values.empty()) {
            emit_metric(rank, rest);
        }
    }
}

// What nothing reads, with what would read it.
void RankReader::offer_lines(RankProcess& rank, bool ended) {
    const auto offer = rank.first_metric_seen ? std::nullopt : rank.printed->offer(monotonic_s(), ended);
    if (offer) {
        add_notice(spool_, rank.number(), metric_lines::UnreadNotice::id(), offer->notice().args());
    }
}

void RankReader::note_first_metric(RankProcess& rank, const MetricsLine& line) {
    if (!rank.first_metric_seen && line.step) {
        rank.first_metric_seen = true;
        add_stage(spool_, rank.number(), StageName::FirstStep, StageStatus::Done, "");
    }
}

void RankReader::emit_metric(RankProcess& rank, const MetricsLine& line) {
    note_first_metric(rank, line);
    spool_.add(metric_event(rank.number(), line));
}

}  // namespace rankscope::agent
