// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/observe/nccl_ras/ras_text.h>

#include <charconv>
#include <map>
#include <set>
#include <utility>

namespace rankscope {
namespace {

/// Reads a line from its start; after the first word that does not fit, nothing more fits.
class LineScan {
public:
    explicit LineScan(std::string_view line) : rest_(line) {}

    bool word(std::string_view text) {
        if (!rest_.starts_with(text)) {
            return false;
        }
        rest_.remove_prefix(text.size());
        return true;
    }
    template <typename T>
    std::optional<T> number() {
        const std::size_t blanks = rest_.find_first_not_of(' ');
        const std::string_view at = rest_.substr(blanks == std::string_view::npos ? rest_.size() : blanks);
        T value{};
        const auto [end, error] = std::from_chars(at.data(), at.data() + at.size(), value);
        if (error != std::errc{}) {
            return std::nullopt;
        }
        rest_ = at.substr(static_cast<std::size_t>(end - at.data()));
        return value;
    }
    std::string_view until(std::string_view end) {
        const std::string_view part = rest_.substr(0, rest_.find(end));
        rest_.remove_prefix(part.size());
        return part;
    }
    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
};

RasRankState state_of(std::string_view name) {
    using enum RasRankState;
    static constexpr std::array<std::pair<std::string_view, RasRankState>, 6> kNames{
        {{"RUNNING", Running},
         {"INIT", Initializing},
         {"FINALIZE", Finalizing},
         {"ABORT", Aborted},
         {"NOCOMM", NotMember},
         {"UNKNOWN", NotMember}}};
    for (const auto& [known, state] : kNames) {
        if (known == name) {
            return state;
        }
    }
    return Unknown;
}

NcclError error_of(std::string_view name) {
    static constexpr std::array<std::string_view, 6> kNames{"Unhandled CUDA error", "System error",
                                                            "Internal error",       "Invalid argument",
                                                            "Invalid usage",        "Remote process error"};
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (kNames[i] == name) {
            return static_cast<NcclError>(i + 1);
        }
    }
    return NcclError::Other;
}

std::string_view without_end(std::string_view line) {
    const std::size_t last = line.find_last_not_of(" \t\r");
    return last == std::string_view::npos ? std::string_view() : line.substr(0, last + 1);
}

class TextReader {
public:
    std::optional<RasReport> read(std::string_view text) {
        while (!text.empty() && ranks_ <= kMostRasRanks) {
            const std::size_t end = text.find('\n');
            line(without_end(text.substr(0, end)));
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        }
        if (!known_) {
            return std::nullopt;
        }
        report_.complete = part_ == Part::Warnings && ranks_ <= kMostRasRanks;
        drop_impossible();
        mark_dead();
        return std::move(report_);
    }

private:
    enum class Part { Head, Summary, Groups, Errors, Warnings };
    /// What the ranks that are named next have in common.
    enum class Topic { None, MissingProcesses, DeadProcesses, NoAnswer, InitError, AsyncError, State, Count };

    void line(std::string_view text) {
        if (heading(text)) {
            return;
        }
        switch (part_) {
            case Part::Head:
                return head(text);
            case Part::Summary:
                return summary(text);
            case Part::Groups:
                return group(text);
            default:
                return fault(text);
        }
    }

    bool heading(std::string_view text) {
        if (text.starts_with("Job summary")) {
            part_ = Part::Summary;
            known_ = true;
        } else if (LineScan scan(text); scan.word("Communicators...")) {
            part_ = Part::Groups;
            known_ = true;
            if (scan.word(" (")) {
                report_.collection_s = scan.number<double>().value_or(0);
            }
        } else if (text == "Errors") {
            part_ = Part::Errors;
            at_ = nullptr;
        } else if (text == "Warnings") {
            part_ = Part::Warnings;
            at_ = nullptr;
        } else {
            return false;
        }
        topic_ = Topic::None;
        return true;
    }

    void head(std::string_view text) {
        LineScan scan(text);
        if (scan.word("NCCL version ")) {
            report_.nccl_version = scan.until(" compiled");
            known_ = true;
        } else if (scan.word("CUDA runtime version ")) {
            report_.cuda_runtime = scan.number<int>().value_or(-1);
            if (scan.word(", driver version ")) {
                report_.cuda_driver = scan.number<int>().value_or(-1);
            }
        }
    }

    // The heading above a row says what its columns are.
    void summary(std::string_view text) {
        if (text.find("(total)") != std::string_view::npos) {
            columns_ = text.find("per process") != std::string_view::npos ? 5 : 3;
            return;
        }
        LineScan scan(text);
        std::array<int, 5> row{};
        int read = 0;
        for (; read < columns_; ++read) {
            const auto number = scan.number<int>();
            if (!number) {
                break;
            }
            row.at(static_cast<std::size_t>(read)) = *number;
        }
        if (columns_ > 0 && read == columns_) {
            report_.nodes = row[0];
            report_.processes = columns_ == 5 ? row[3] : row[1];
            report_.gpus = columns_ == 5 ? row[4] : row[2];
        }
        columns_ = 0;
    }

    // "    0         1         2         8        16        16   RUNNING  MISMATCH"
    void group(std::string_view text) {
        LineScan scan(text);
        RasGroup row;
        const auto index = scan.number<std::size_t>();
        if (!index || *index != report_.groups.size()) {
            return;
        }
        row.communicators = scan.number<int>().value_or(0);
        row.nodes = scan.number<int>().value_or(0);
        if (!scan.number<int>()) {  // per node: "8" or "7-8"
            return;
        }
        if (scan.word("-")) {
            scan.number<int>();
        }
        row.ranks = scan.number<int>().value_or(0);
        scan.number<int>();
        scan.word("  ");
        const std::string_view words = scan.rest();
        const std::size_t first = words.find_first_not_of(' ');
        if (first == std::string_view::npos) {
            return;
        }
        LineScan state(words.substr(first));
        row.state = state_of(state.until(" "));
        const std::string_view errors = state.rest();
        row.mismatch = errors.find("MISMATCH") != std::string_view::npos;
        row.error = errors.find("ERROR") != std::string_view::npos;
        row.incomplete = errors.find("INCOMPLETE") != std::string_view::npos;
        report_.groups.push_back(row);
    }

    void fault(std::string_view text) {
        if (text.empty()) {
            topic_ = topic_ == Topic::Count ? Topic::None : topic_;
        } else if (text.starts_with("#")) {
            begin_communicator(text);
        } else if (!text.starts_with("  ")) {
            at_ = nullptr;
            topic_ = text == "INCOMPLETE" ? Topic::MissingProcesses
                     : text == "DEAD"     ? Topic::DeadProcesses
                                          : Topic::None;
        } else if (at_ != nullptr) {
            of_communicator(text.substr(2));
        } else {
            of_job(text.substr(2));
        }
    }

    // "#0-0 (00c0ffee00c0ffee) MISMATCH"
    void begin_communicator(std::string_view text) {
        LineScan scan(text.substr(1));
        const std::string label(scan.until(" "));
        std::uint64_t hash = 0;
        if (scan.word(" (")) {
            const std::string_view digits = scan.until(")");
            std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
        }
        topic_ = Topic::None;
        const auto [place, added] = places_.try_emplace({label, hash}, report_.communicators.size());
        if (added) {
            RasCommunicator& communicator = report_.communicators.emplace_back();
            communicator.label = label;
            communicator.hash = hash;
            const auto group = LineScan(label).number<std::size_t>();
            if (group && *group < report_.groups.size()) {
                communicator.size = report_.groups[*group].ranks;
            }
            ++ranks_;
        }
        at_ = &report_.communicators[place->second];
        at_index_ = place->second;
    }

    void of_job(std::string_view text) {
        LineScan scan(text);
        if (scan.word("Missing communicator data from ")) {
            report_.missing_processes = scan.number<int>().value_or(0);
        } else if (scan.word("Encountered ")) {
            report_.timeouts = scan.number<int>().value_or(0);
        } else if (scan.word("Process ")) {
            process(scan);
        } else if (text.find(" considered dead") != std::string_view::npos) {
            report_.dead_processes = scan.number<int>().value_or(0);
        }
    }

    // "Process 40713 on node 192.0.2.12 managing GPUs 0,1 (NVML 4,5)"
    void process(LineScan scan) {
        RasProcess process;
        process.pid = scan.number<std::int64_t>().value_or(0);
        if (scan.word(" on node ")) {
            process.host = scan.until(" ");
        }
        if (scan.word(" managing GPU")) {
            scan.word("s");
            scan.word(" ");
            process.gpus = scan.rest();
        }
        ++ranks_;
        if (topic_ == Topic::MissingProcesses) {
            report_.missing.push_back(std::move(process));
        } else if (topic_ == Topic::DeadProcesses) {
            report_.dead.push_back(std::move(process));
        }
    }

    void of_communicator(std::string_view text) {
        LineScan scan(text);
        if (scan.word("Rank ")) {
            rank(scan);
        } else if (scan.word("Missing communicator data from ")) {
            at_->missing = scan.number<int>().value_or(0);
            topic_ = Topic::NoAnswer;
        } else if (scan.word("The missing rank")) {  // before 2.26
            topic_ = Topic::NoAnswer;
            listed_ranks(scan);
        } else if (scan.word("The unknown ranks: ")) {  // before 2.26
            topic_ = Topic::State;
            state_ = RasRankState::NotMember;
            listed_ranks(scan);
        } else if (scan.word("Communicator ranks have different ")) {
            different(scan);
        } else if (scan.word("Initialization error")) {
            topic_ = Topic::InitError;
        } else if (scan.word("Asynchronous error")) {
            topic_ = Topic::AsyncError;
        } else if (const auto ranks = scan.number<int>(); ranks && scan.word(" ranks ")) {
            some_ranks(*ranks, scan);
        }
    }

    void different(LineScan scan) {
        if (scan.word("status")) {
            topic_ = Topic::State;
            return;
        }
        topic_ = Topic::Count;
        const std::string_view name = scan.until(" operation counts");
        count_ = {name == "collective" ? std::string() : std::string(name), 0};
    }

    /// "have launched up to operation 412", of one rank or several.
    bool launched(LineScan& scan) {
        if (topic_ != Topic::Count) {
            return false;
        }
        if (scan.word(" has launched up to operation ") || scan.word("have launched up to operation ")) {
            count_.launched = scan.number<std::uint64_t>().value_or(0);
            return true;
        }
        if (scan.word(" has not launched any operations") || scan.word("have not launched any operations")) {
            count_.launched = 0;
            return true;
        }
        return false;
    }

    void some_ranks(int ranks, LineScan scan) {
        if (launched(scan)) {
            add_group(ranks);
        } else if (scan.word("have status ")) {
            state_ = state_of(scan.rest());
        } else if (scan.word("reported ")) {
            error_ = error_of(scan.rest());
        }
    }

    void add_group(int ranks) {
        at_->groups.push_back({count_, ranks});
        ++ranks_;
    }

    // "Rank 13 -- GPU 5 (NVML 6) managed by process 40713 on node 192.0.2.12", with a fact before the dashes or not
    void rank(LineScan scan) {
        const auto number = scan.number<int>();
        if (!number) {
            return;
        }
        if (launched(scan)) {
            add_group(1);
        } else if (scan.word(" has status ")) {
            state_ = state_of(without_end(scan.until(" --")));
        } else if (scan.word(" reported ")) {
            error_ = error_of(scan.until(" --"));
        }
        RasRank& rank = rank_of(*number);
        apply(rank);
        if (!scan.word(" -- GPU ")) {
            return;
        }
        rank.cuda_device = scan.number<int>().value_or(-1);
        rank.nvml_device = scan.word(" (NVML ") ? scan.number<int>().value_or(-1) : rank.cuda_device;
        scan.word(")");
        if (scan.word(" managed by process ")) {
            rank.pid = scan.number<std::int64_t>().value_or(0);
        }
        if (scan.word(" on node ")) {
            rank.host = scan.rest();
        }
    }

    // "s: 1,2,3"
    void listed_ranks(LineScan scan) {
        scan.until(":");
        scan.word(":");
        while (const auto number = scan.number<int>()) {
            apply(rank_of(*number));
            if (!scan.word(",") || ranks_ > kMostRasRanks) {
                return;
            }
        }
    }

    RasRank& rank_of(int number) {
        const auto [place, added] = rank_places_.try_emplace({at_index_, number}, at_->ranks.size());
        if (added) {
            at_->ranks.emplace_back().rank = number;
            ++ranks_;
        }
        return at_->ranks[place->second];
    }

    void apply(RasRank& rank) {
        switch (topic_) {
            case Topic::NoAnswer:
                rank.state = RasRankState::NoAnswer;
                return;
            case Topic::InitError:
                rank.init_error = error_;
                return;
            case Topic::AsyncError:
                rank.async_error = error_;
                return;
            case Topic::State:
                rank.state = state_;
                return;
            case Topic::Count:
                rank.counts.push_back(count_);
                ++ranks_;
                return;
            default:
                return;
        }
    }

    /// What the table and the blocks say of each other: random numbers do not agree.
    bool can_be(const RasCommunicator& communicator) const {
        return communicator.size > 0 && communicator.missing >= 0 &&
               communicator.missing <= communicator.size;
    }

    void drop_impossible() {
        report_.damaged = std::erase_if(report_.communicators, [this](const RasCommunicator& communicator) {
                              return !can_be(communicator);
                          }) > 0;
        for (RasCommunicator& communicator : report_.communicators) {
            const auto dropped = std::erase_if(communicator.ranks, [&communicator](const RasRank& rank) {
                return rank.rank < 0 || rank.rank >= communicator.size;
            });
            report_.damaged = report_.damaged || dropped > 0;
        }
        const auto dropped =
            std::erase_if(report_.groups, [](const RasGroup& group) { return group.ranks <= 0; });
        report_.damaged = report_.damaged || dropped > 0;
    }

    /// A rank without an answer is dead where RAS has dropped its process.
    void mark_dead() {
        std::set<std::pair<std::int64_t, std::string_view>> dead;
        for (const RasProcess& process : report_.dead) {
            dead.emplace(process.pid, process.host);
        }
        for (RasCommunicator& communicator : report_.communicators) {
            for (RasRank& rank : communicator.ranks) {
                if (rank.state == RasRankState::NoAnswer && dead.contains({rank.pid, rank.host})) {
                    rank.state = RasRankState::Dead;
                }
            }
        }
    }

    RasReport report_;
    bool known_ = false;
    Part part_ = Part::Head;
    int columns_ = 0;
    Topic topic_ = Topic::None;
    RasRankState state_ = RasRankState::Unknown;
    NcclError error_ = NcclError::None;
    RasCount count_;
    RasCommunicator* at_ = nullptr;
    std::size_t at_index_ = 0;
    std::map<std::pair<std::string, std::uint64_t>, std::size_t> places_;
    std::map<std::pair<std::size_t, int>, std::size_t> rank_places_;
    std::size_t ranks_ = 0;  ///< and whatever else is kept once per line
};

}  // namespace

std::optional<RasReport> read_ras_text(std::string_view answer) {
    return TextReader().read(answer.substr(0, kMaxRasAnswer));
}

}  // namespace rankscope
