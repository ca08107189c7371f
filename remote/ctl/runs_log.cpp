// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <base/text.h>
#include <remote/ctl/local_time.h>
#include <remote/ctl/output.h>
#include <remote/ctl/runs_log.h>
#include <remote/ctl/stored_lines.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/shared/text.h>
#include <remote/logs/fold/line_folder.h>
#include <remote/logs/fold/rank_set.h>

#include <nlohmann/json.hpp>
#include <re2/re2.h>
#include <unistd.h>

#include <cstdio>
#include <deque>
#include <memory>
#include <ranges>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "RunsLog";

struct LogOptions {
    std::string run;
    std::vector<int> ranks;
    std::string node;
    std::string grep;
    std::string since;
    bool folded = false;
};

/// Lines as text or JSON.
class LinePrinter {
public:
    explicit LinePrinter(bool json) : json_(json), columns_(terminal_columns(STDOUT_FILENO)) {}

    void line(const StoredLine& line) const {
        if (json_) {
            print({{"time", static_cast<double>(line.t_us) / 1e6},
                   {"node", line.node},
                   {"rank", line.rank},
                   {"stream", line.is_stderr ? "stderr" : "stdout"},
                   {"text", line.text}});
            return;
        }
        print(line.t_us, "rank " + std::to_string(line.rank), line.is_stderr, line.text);
    }
    void folded(const StoredLine& line, const std::vector<int>& ranks, std::uint64_t count) const {
        if (json_) {
            print({{"time", static_cast<double>(line.t_us) / 1e6},
                   {"ranks", ranks},
                   {"count", count},
                   {"stream", line.is_stderr ? "stderr" : "stdout"},
                   {"text", line.text}});
            return;
        }
        print(line.t_us, (ranks.size() == 1 ? "rank " : "ranks ") + logs::ranks_text(ranks), line.is_stderr,
              line.text);
    }
    void left_out(const StoredLine& line) const {
        if (json_) {
            print({{"time", static_cast<double>(line.t_us) / 1e6},
                   {"node", line.node},
                   {"rank", line.rank},
                   {"dropped_bytes", line.dropped_bytes}});
            return;
        }
        std::printf("[rank %d] (%s MB of its output left out here: it writes more than is kept)\n", line.rank,
                    fixed_text(static_cast<double>(line.dropped_bytes) / 1e6, 1).c_str());
    }
    /// False: the output is closed, as by `| head`.
    static bool open() { return std::ferror(stdout) == 0; }

private:
    static void print(const nlohmann::ordered_json& json) { print_json(json); }
    void print(std::int64_t t_us, const std::string& who, bool is_stderr, std::string_view text) const {
        char milliseconds[8];
        std::snprintf(milliseconds, sizeof milliseconds, ".%03d", static_cast<int>(t_us / 1000 % 1000));
        const std::string prefix =
            local_time_text(t_us) + milliseconds + " [" + who + (is_stderr ? "]! " : "] ");
        print_foreign_line(prefix, text, columns_);
    }

    bool json_;
    std::size_t columns_;
};

/// The same line of several ranks once; it waits until no other rank can repeat it.
class FoldedPrinter {
public:
    explicit FoldedPrinter(const LinePrinter& printer) : printer_(printer) {}

    void take(const StoredLine& line) {
        const std::uint32_t first = folder_.take({line.text, line.rank, line.is_stderr, line.t_us, next_});
        if (first == logs::LineFolder::kNone || first < gone_) {
            rows_.push_back({line.t_us, line.is_stderr, std::string(line.text), {line.rank}, 1});
        } else {
            // The rows that wait are numbered without gaps: a repetition keeps an empty one.
            Row& row = rows_[first - gone_];
            row.ranks.insert(line.rank);
            ++row.count;
            rows_.push_back({line.t_us, false, {}, {}, 0});
        }
        ++next_;
        while (!rows_.empty() && (rows_.front().t_us < line.t_us - 2 * logs::LineFolder::kApartUs ||
                                  rows_.size() > kMostRows)) {
            give_first();
        }
    }
    void finish() {
        while (!rows_.empty()) {
            give_first();
        }
    }

private:
    static constexpr std::size_t kMostRows = 500'000;
    struct Row {
        std::int64_t t_us;
        bool is_stderr;
        std::string text;
        std::set<int> ranks;
        std::uint64_t count;  ///< 0: a repetition
    };
    void give_first() {
        const Row& row = rows_.front();
        if (row.count > 0) {
            printer_.folded({row.t_us, *row.ranks.begin(), {}, row.is_stderr, row.text, 0},
                            {row.ranks.begin(), row.ranks.end()}, row.count);
        }
        rows_.pop_front();
        ++gone_;
    }

    const LinePrinter& printer_;
    logs::LineFolder folder_;
    std::deque<Row> rows_;
    std::uint32_t gone_ = 0;  ///< rows that are printed
    std::uint32_t next_ = 0;
};

Failure bad_value(const std::string& option, const std::string& what, const std::string& remedy) {
    return Failure{"bad-request", option, what, remedy, ""};
}

Result<LineFilter> filter_of(const LogOptions& how, const RunRecord& run) {
    LineFilter filter;
    filter.node = how.node;
    filter.ranks.insert(how.ranks.begin(), how.ranks.end());
    for (const int rank : how.ranks) {
        if (run.world_size > 0 && rank >= run.world_size) {
            return bad_value("--rank", text(kContext, "The run has no rank %1.", {std::to_string(rank)}),
                             text(kContext, "It has ranks 0 to %1.", {std::to_string(run.world_size - 1)}));
        }
    }
    bool known = how.node.empty() || run.plan.nodes.empty();
    for (const NodePlan& node : run.plan.nodes) {
        known = known || node.node == how.node;
    }
    if (!known) {
        return bad_value("--node", text(kContext, "The run has no node \"%1\".", {how.node}),
                         text(kContext, "Its nodes: %1.",
                              {joined(run.plan.nodes | std::views::transform(&NodePlan::node))}));
    }
    if (!how.since.empty()) {
        const auto since = moment_of("--since", how.since, run);
        if (!since) {
            return since.failure();
        }
        filter.since_us = *since;
    }
    return filter;
}

int show_log(const GlobalOptions& options, const LogOptions& how) {
    const auto store = open_store(options);
    if (!store) {
        return kUsage;
    }
    const auto run = store->run(how.run);
    const auto filter = run ? filter_of(how, *run) : Result<LineFilter>(run.failure());
    if (!filter) {
        report(filter.failure(), options.json);
        return kUsage;
    }
    re2::RE2::Options quiet(re2::RE2::Quiet);
    quiet.set_encoding(re2::RE2::Options::EncodingLatin1);  // ranks may write any bytes
    const re2::RE2 pattern(how.grep, quiet);
    if (!pattern.ok()) {
        report(bad_value("--grep",
                         text(kContext, "\"%1\" is no regular expression: %2.", {how.grep, pattern.error()}),
                         text(kContext, "Syntax: https://github.com/google/re2/wiki/Syntax")),
               options.json);
        return kUsage;
    }
    const LinePrinter printer(options.json);
    FoldedPrinter folded(printer);
    std::uint64_t shown = 0;
    const auto replayed = replay_lines(*store, how.run, *filter, [&](const StoredLine& line) {
        if (line.dropped_bytes > 0) {
            printer.left_out(line);
        }
        if ((line.dropped_bytes > 0 && line.text.empty()) ||
            (!how.grep.empty() &&
             !re2::RE2::PartialMatch(re2::StringPiece(line.text.data(), line.text.size()), pattern))) {
            return LinePrinter::open();
        }
        ++shown;
        if (how.folded) {
            folded.take(line);
        } else {
            printer.line(line);
        }
        return LinePrinter::open();
    });
    folded.finish();
    if (!replayed) {
        report(replayed.failure(), options.json);
        return kUsage;
    }
    if (shown == 0 && !options.json) {
        std::fprintf(stderr, "%s\n", text(kContext, "No such lines.").c_str());
    }
    return kDone;
}

}  // namespace

void add_log_command(CLI::App& runs, GlobalOptions& options, int& code) {
    auto how = std::make_shared<LogOptions>();
    auto* command = runs.add_subcommand(
        "log", "What its ranks printed, by time: clock, rank, ! for stderr. --json: a line each");
    command->add_option("run", how->run, "Id, as `runs list` shows it")->required();
    auto* rank = command->add_option("--rank", how->ranks, "Of these ranks; without it, of all")
                     ->check(CLI::NonNegativeNumber);
    command->add_option("--node", how->node, "Of the ranks on this node")->excludes(rank);
    command->add_option("--grep", how->grep,
                        "Lines that match this regular expression (RE2); (?i) ignores case");
    command->add_option("--since", how->since,
                        "From then on: 90s, 10m, 2h before the end of the run (before now while it runs), or "
                        "\"2026-11-21 10:15:00\"");
    command->add_flag("--folded", how->folded, "The same line of several ranks once, with the ranks");
    command->callback([&options, &code, how] { code = show_log(options, *how); });
}

}  // namespace rankscope::ctl
