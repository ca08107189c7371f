// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/ctl/local_time.h>
#include <remote/ctl/output.h>
#include <remote/ctl/recorded_stops_delivery.h>
#include <remote/ctl/runs_labels.h>
#include <remote/ctl/runs_list.h>
#include <remote/ctl/runs_on_nodes.h>
#include <remote/ctl/runs_trash.h>
#include <remote/ctl/table.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/archive/compare/run_groups.h>
#include <remote/desk/archive/compare/run_summary.h>
#include <remote/desk/runs/store/run_filter.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>

namespace rankscope::ctl {
namespace {

struct ListOptions {
    RunFilter filter;
    std::vector<std::string> columns;
    std::string sort;
    std::string by;
    bool descending = false;
    bool deleted = false;
};

/// What the list is made from.
struct Listed {
    std::vector<RunRecord> runs;
    std::map<std::string, RunLabels> labels;
    std::map<std::string, std::shared_ptr<const RunSummary>> summaries;
    std::vector<RunColumn> columns;
    UnfinishedRuns unfinished;

    const RunSummary* summary(const RunRecord& run) const {
        const auto found = summaries.find(run.run_id);
        return found == summaries.end() ? nullptr : found->second.get();
    }
    ColumnValue value(const RunColumn& column, const RunRecord& run) const {
        return column_value(column, run, summary(run));
    }
};

// "*, group lr-sweep, baseline".
std::string label_text(const RunLabels& labels) {
    std::vector<std::string> words;
    if (labels.starred) {
        words.emplace_back("*");
    }
    if (!labels.group.empty()) {
        words.push_back("group " + labels.group);
    }
    words.insert(words.end(), labels.tags.begin(), labels.tags.end());
    return safe_text(joined(words));
}

Failure bad_column(const char* option, const std::string& word) {
    return {"bad-command-line", option, "\"" + word + "\" is not a column.",
            "Write a metric (loss, loss:best, loss:min, loss:max, loss:mean), job:KEY, or run: and one of " +
                joined(run_column_keys()) + ".",
            ""};
}

nlohmann::ordered_json json_of(const ColumnValue& value) {
    return value.text.empty()         ? nlohmann::ordered_json(nullptr)
           : std::isnan(value.number) ? nlohmann::ordered_json(value.text)
                                      : nlohmann::ordered_json(value.number);
}

void print_as_json(const Listed& listed) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const auto& record : listed.runs) {
        const auto labels = listed.labels.find(record.run_id);
        all.push_back(record_json(record, labels == listed.labels.end() ? RunLabels() : labels->second,
                                  listed.unfinished));
        for (const RunColumn& column : listed.columns) {
            all.back()["columns"][column.id()] = json_of(listed.value(column, record));
        }
    }
    print_json(nlohmann::ordered_json{{"runs", all}});
}

void print_table(const Listed& listed) {
    std::vector<std::vector<std::string>> rows{
        {"RUN", "NAME", "STARTED", "LASTED", "RANKS", "NODES", "OUTCOME", "LABELS"}};
    for (const RunColumn& column : listed.columns) {
        rows.front().push_back(column.id());
    }
    for (const auto& record : listed.runs) {
        const auto labels = listed.labels.find(record.run_id);
        rows.push_back({record.run_id, record.name, local_time_text(record.started_us),
                        lasted(record, listed.unfinished), std::to_string(record.world_size), record.nodes,
                        outcome_text(record, listed.unfinished),
                        labels == listed.labels.end() ? "" : label_text(labels->second)});
        for (const RunColumn& column : listed.columns) {
            rows.back().push_back(safe_text(listed.value(column, record).text));
        }
    }
    std::fputs(format_table(rows).c_str(), stdout);
}

void print_groups(const Listed& listed, const RunGrouping& by, bool json) {
    std::map<std::string, std::vector<const RunRecord*>> groups;
    for (const auto& record : listed.runs) {
        const auto labels = listed.labels.find(record.run_id);
        for (const auto& name :
             by.groups_of(record, labels == listed.labels.end() ? RunLabels() : labels->second,
                          listed.summary(record))) {
            groups[name].push_back(&record);
        }
    }
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    std::vector<std::vector<std::string>> rows{{by.id(), "RUNS"}};
    for (const RunColumn& column : listed.columns) {
        rows.front().push_back(column.id());
    }
    for (const auto& [name, members] : groups) {
        nlohmann::ordered_json group{{"group", name}, {"runs", nlohmann::ordered_json::array()}};
        rows.push_back({name.empty() ? "-" : safe_text(name), std::to_string(members.size())});
        for (const auto* record : members) {
            group["runs"].push_back(record->run_id);
        }
        for (const RunColumn& column : listed.columns) {
            std::vector<double> values;
            for (const auto* record : members) {
                values.push_back(listed.value(column, *record).number);
            }
            const Spread spread = spread_of(values);
            rows.back().push_back(to_text(spread));
            group["columns"][column.id()] = {
                {"n", spread.count}, {"mean", spread.mean}, {"deviation", spread.deviation}};
        }
        all.push_back(std::move(group));
    }
    if (json) {
        print_json(nlohmann::ordered_json{{"groups", all}});
    } else {
        std::fputs(format_table(rows).c_str(), stdout);
    }
}

// What is wrong with the columns is reported.
bool read_columns(const GlobalOptions& options, const ListOptions& how, Listed& listed,
                  std::optional<RunColumn>& sort, std::optional<RunGrouping>& by) {
    for (const auto& word : how.columns) {
        const auto column = run_column(word);
        if (!column) {
            report(bad_column("--columns", word), options.json);
            return false;
        }
        listed.columns.push_back(*column);
    }
    sort = run_column(how.sort);
    by = run_grouping(how.by);
    if (!how.sort.empty() && !sort) {
        report(bad_column("--sort", how.sort), options.json);
        return false;
    }
    if (!how.by.empty() && !by) {
        report(bad_column("--by", how.by), options.json);
        return false;
    }
    return true;
}

Result<void> add_summaries(RunStore& store, Listed& listed) {
    return load_summaries(store, listed.runs,
                          [&](const std::string& run_id, std::shared_ptr<const RunSummary> summary) {
                              listed.summaries[run_id] = std::move(summary);
                          });
}

int list(const GlobalOptions& options, const ListOptions& how) {
    Listed listed;
    std::optional<RunColumn> sort;
    std::optional<RunGrouping> by;
    const auto store = open_store(options);
    if (!store || !read_columns(options, how, listed, sort, by)) {
        return kUsage;
    }
    static_cast<void>(deliver_recorded_stops(options, *store, {}));
    auto runs = store->runs();
    if (!runs) {
        report(runs.failure(), options.json);
        return kUsage;
    }
    listed.runs = std::move(*runs);
    listed.labels = labels_of_runs(options);
    const bool any = !listed.runs.empty();
    std::erase_if(listed.runs,
                  [&](const RunRecord& run) { return !how.filter.fits(run, listed.labels[run.run_id]); });
    listed.unfinished = look_at_unfinished(options, store, listed.runs);
    if (!listed.columns.empty() || sort || by) {
        if (const auto read = add_summaries(*store, listed); !read) {
            report(read.failure(), options.json);
            return kUsage;
        }
    }
    if (sort) {
        std::stable_sort(listed.runs.begin(), listed.runs.end(), [&](const RunRecord& a, const RunRecord& b) {
            const ColumnValue left = listed.value(*sort, a);
            const ColumnValue right = listed.value(*sort, b);
            const bool known = !left.text.empty() && !right.text.empty();
            return how.descending && known ? column_less(right, left) : column_less(left, right);
        });
    }
    if (by) {
        print_groups(listed, *by, options.json);
    } else if (options.json) {
        print_as_json(listed);
    } else if (listed.runs.empty()) {
        std::puts(any ? "No run fits." : "No runs yet. Start one: rankscopectl run JOB");
    } else {
        print_table(listed);
    }
    return kDone;
}

}  // namespace

std::string lasted(const RunRecord& record, const UnfinishedRuns& unfinished) {
    const std::int64_t end = known_until(record, unfinished);
    return std::to_string((end - record.started_us + 500000) / 1000000) + " s";
}

nlohmann::ordered_json record_json(const RunRecord& record, const RunLabels& labels,
                                   const UnfinishedRuns& unfinished) {
    using State = NodesSay::State;
    const auto found = unfinished.find(record.run_id);
    const State state = found == unfinished.end()                ? State::Runs
                        : found->second.say.state == State::Gone ? State::Silent
                                                                 : found->second.say.state;
    const bool ended = state == State::Ended;
    const std::int64_t ended_us = ended ? found->second.say.ended_us : record.ended_us;
    nlohmann::ordered_json json{
        {"run", record.run_id},
        {"name", record.name},
        {"started", static_cast<double>(record.started_us) / 1e6},
        {"ended", ended_us == 0 ? nlohmann::ordered_json(nullptr)
                                : nlohmann::ordered_json(static_cast<double>(ended_us) / 1e6)},
        {"outcome", to_string(ended ? found->second.say.outcome : record.outcome)},
        {"exit_code", record.exit_code},
        {"summary", record.summary},
        {"world_size", record.world_size},
        {"nodes", record.nodes},
        {"parent", record.parent},
        {"starred", labels.starred},
        {"tags", labels.tags},
        {"group", labels.group},
        {"note", labels.note}};
    if (state == State::Silent) {
        json["not_known_since"] = static_cast<double>(known_until(record, unfinished)) / 1e6;
    }
    return json;
}

CLI::App* add_list_command(CLI::App& runs, GlobalOptions& options, int& code,
                           const std::shared_ptr<std::vector<std::string>>& nodes) {
    auto how = std::make_shared<ListOptions>();
    auto* listing =
        runs.add_subcommand("list", "Show them, newest first; with nodes, the runs that are on these");
    listing->callback([&options, &code, nodes, how] {
        code = how->deleted     ? list_trash(options)
               : nodes->empty() ? list(options, *how)
                                : list_on_nodes(options, *nodes);
    });
    listing
        ->add_option("--search", how->filter.words,
                     "Only runs with this in their id, name, nodes, labels or job; may be repeated")
        ->allow_extra_args(false);
    listing->add_option("--tag", how->filter.tags, "Only runs with this tag; may be repeated")
        ->allow_extra_args(false);
    listing->add_option("--group", how->filter.group, "Only runs of this group");
    listing->add_flag("--starred", how->filter.starred, "Only starred ones");
    listing
        ->add_option("--columns", how->columns,
                     "More columns, with commas: loss, loss:best, job:train.batch_size, run:verdict")
        ->delimiter(',')
        ->allow_extra_args(false);
    listing->add_option("--sort", how->sort, "By this column instead, smallest first");
    listing->add_flag("--descending", how->descending, "With --sort: largest first");
    listing->add_option("--by", how->by, "Groups instead of runs: by tag, group, name or a column");
    listing->add_flag("--deleted", how->deleted, "The deleted ones, which can be restored");
    return listing;
}

}  // namespace rankscope::ctl
