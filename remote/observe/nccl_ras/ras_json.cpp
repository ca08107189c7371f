// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/nccl_ras/ras_json.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace rankscope {
namespace {

using nlohmann::json;

constexpr int kNcclSuccess = 0;
constexpr int kNcclInProgress = 7;

NcclError error_of(std::int64_t result) {
    if (result == kNcclSuccess || result == kNcclInProgress) {
        return NcclError::None;
    }
    return result > 0 && result < kNcclInProgress ? static_cast<NcclError>(result) : NcclError::Other;
}

int as_int(std::int64_t value) {
    return std::in_range<int>(value) ? static_cast<int>(value) : -1;
}

/// The status of a rank, whose keys arrive in any order.
struct Status {
    std::int64_t init_state = kNcclSuccess;
    std::int64_t async_error = kNcclSuccess;
    bool finalizes = false;
    bool aborts = false;
    bool unresponsive = false;
    bool dead = false;
};

/// Takes the events of the parser: no tree is built, so that memory depends on what is kept alone, and nesting
/// costs nothing.
class Intake : public json::json_sax_t {
public:
    RasReport report;
    bool known = false;  ///< it has a key of RAS

    bool null() override { return true; }
    bool boolean(bool value) override {
        flag(value);
        return true;
    }
    bool number_integer(number_integer_t value) override { return integer(value); }
    bool number_unsigned(number_unsigned_t value) override {
        if (in_counts()) {
            rank_.counts.push_back({key_, value});
            return rank_.counts.size() <= kMostCounts;
        }
        return integer(std::in_range<std::int64_t>(value) ? static_cast<std::int64_t>(value)
                                                          : std::numeric_limits<std::int64_t>::max());
    }
    bool number_float(number_float_t value, const string_t& /*text*/) override {
        if (path_is("ras") && key_ == "collection_time_sec") {
            report.collection_s = value;
        }
        return true;
    }
    bool string(string_t& value) override {
        word(value);
        return true;
    }
    bool binary(binary_t& /*value*/) override { return true; }
    bool start_object(std::size_t /*size*/) override {
        open();
        if (in_communicators()) {
            if (report.communicators.size() == kMostRasRanks) {
                return false;
            }
            report.communicators.emplace_back();
        } else if (in_ranks()) {
            rank_ = {};
            status_ = {};
        }
        return true;
    }
    bool key(string_t& value) override {
        key_ = value;
        return true;
    }
    bool end_object() override {
        if (in_ranks()) {
            if (++ranks_ > kMostRasRanks) {
                return false;
            }
            finish_rank();
        }
        return close();
    }
    bool start_array(std::size_t /*size*/) override {
        open();
        return true;
    }
    bool end_array() override { return close(); }
    bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                     const json::exception& /*error*/) override {
        return false;
    }

private:
    static constexpr std::size_t kDepth = 6;        ///< of the places that hold something
    static constexpr std::size_t kMostCounts = 64;  ///< functions

    void open() {
        if (depth_ < path_.size()) {
            path_[depth_] = key_;
        }
        ++depth_;
        key_.clear();
    }
    bool close() {
        --depth_;
        key_ = depth_ < path_.size() ? path_[depth_] : std::string();
        return true;
    }
    // path_[0] is the whole document.
    bool path_is(const char* first) const { return depth_ == 2 && path_[1] == first; }
    bool in_communicators() const { return depth_ == 3 && path_[1] == "communicators"; }
    bool in_communicator() const { return in_communicators() && !report.communicators.empty(); }
    bool in_list(std::size_t depth) const {
        return depth_ == depth && path_[1] == "communicators" && !report.communicators.empty() &&
               (path_[3] == "ranks" || path_[3] == "missing_ranks");
    }
    bool in_ranks() const { return in_list(5); }
    bool in_status() const { return in_list(6) && path_[5] == "status"; }
    bool in_counts() const { return in_list(6) && path_[5] == "collective_counts"; }

    bool integer(std::int64_t value) {
        if (depth_ == 1) {
            top_number(value);
        } else if (path_is("ras") && key_ == "timeouts_count") {
            report.timeouts = as_int(value);
        } else if (path_is("ras") && key_ == "collection_time_sec") {
            report.collection_s = static_cast<double>(value);
        } else if (in_communicator()) {
            communicator_number(value);
        } else if (in_ranks()) {
            rank_number(value);
        } else if (in_status()) {
            if (key_ == "init_state") {
                status_.init_state = value;
            } else if (key_ == "async_error") {
                status_.async_error = value;
            }
        }
        return true;
    }
    void top_number(std::int64_t value) {
        if (key_ == "cuda_runtime_version") {
            report.cuda_runtime = as_int(value);
        } else if (key_ == "cuda_driver_version") {
            report.cuda_driver = as_int(value);
        }
        known = known || key_ == "communicators_count";
    }
    void communicator_number(std::int64_t value) {
        RasCommunicator& communicator = report.communicators.back();
        if (key_ == "size") {
            communicator.size = as_int(value);
        } else if (key_ == "missing_ranks_count") {
            communicator.missing = as_int(value);
        }
    }
    void rank_number(std::int64_t value) {
        if (key_ == "rank") {
            rank_.rank = as_int(value);
        } else if (key_ == "pid") {
            rank_.pid = value > 0 ? value : 0;
        } else if (key_ == "cuda_dev") {
            rank_.cuda_device = as_int(value);
        } else if (key_ == "nvml_dev") {
            rank_.nvml_device = as_int(value);
        }
    }
    void word(const std::string& value) {
        if (depth_ == 1 && key_ == "nccl_version") {
            report.nccl_version = value;
            known = true;
        } else if (depth_ == 1 && key_ == "timestamp") {
            report.time = value;
        } else if (in_communicator() && key_ == "hash") {
            report.communicators.back().hash = hash_of(value);
        } else if (in_communicator() && key_ == "secondary_hash") {
            report.communicators.back().secondary_hash = value;
        } else if (in_ranks() && key_ == "host" && value != "unknown") {
            rank_.host = value;
        }
    }
    static std::uint64_t hash_of(std::string_view text) {
        if (text.starts_with("0x")) {
            text.remove_prefix(2);
        }
        std::uint64_t hash = 0;
        std::from_chars(text.data(), text.data() + text.size(), hash, 16);
        return hash;
    }
    void flag(bool value) {
        if (!in_status()) {
            return;
        }
        if (key_ == "finalize_called" || key_ == "destroy_flag") {
            status_.finalizes = status_.finalizes || value;
        } else if (key_ == "abort_flag") {
            status_.aborts = value;
        } else if (key_ == "unresponsive") {
            status_.unresponsive = value;
        } else if (key_ == "considered_dead") {
            status_.dead = value;
        }
    }
    void finish_rank() {
        rank_.init_error = error_of(status_.init_state);
        rank_.async_error = error_of(status_.async_error);
        rank_.state = path_[3] == "ranks" ? member_state() : missing_state();
        report.communicators.back().ranks.push_back(std::move(rank_));
        rank_ = {};
    }
    RasRankState member_state() const {
        if (status_.aborts) {
            return RasRankState::Aborted;
        }
        if (status_.finalizes) {
            return RasRankState::Finalizing;
        }
        return status_.init_state == kNcclSuccess ? RasRankState::Running : RasRankState::Initializing;
    }
    RasRankState missing_state() const {
        if (status_.dead) {
            return RasRankState::Dead;
        }
        return status_.unresponsive ? RasRankState::NoAnswer : RasRankState::NotMember;
    }

    std::array<std::string, kDepth> path_;  ///< the key under which each level was opened
    std::size_t depth_ = 0;
    std::string key_;
    RasRank rank_;
    Status status_;
    std::size_t ranks_ = 0;
};

bool is_blank(char letter) {
    return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n';
}

bool ends_a_value(char letter) {
    return letter == '}' || letter == ']' || (letter >= '0' && letter <= '9') ||
           (letter >= 'a' && letter <= 'z');
}

}  // namespace

std::string with_missing_commas(std::string_view text) {
    std::string fixed;
    fixed.reserve(text.size() + 16);
    std::size_t value_end = 0;  // in `fixed`, after a value with nothing but blanks behind; 0: none
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char letter = text[i];
        if (in_string) {
            fixed += letter;
            if (letter == '\\' && i + 1 < text.size()) {
                fixed += text[++i];
            }
            in_string = letter != '"';
            continue;
        }
        if (letter == '"') {
            if (value_end > 0) {
                fixed.insert(value_end, 1, ',');
            }
            in_string = true;
        }
        fixed += letter;
        if (ends_a_value(letter)) {
            value_end = fixed.size();
        } else if (!is_blank(letter)) {
            value_end = 0;
        }
    }
    return fixed;
}

std::optional<RasReport> read_ras_json(std::string_view answer) {
    const std::string text = with_missing_commas(answer.substr(0, kMaxRasAnswer));
    Intake intake;
    intake.report.json = true;
    intake.report.complete = json::sax_parse(text, &intake);
    intake.report.repaired = text.size() != std::min(answer.size(), kMaxRasAnswer);
    return intake.known ? std::optional(std::move(intake.report)) : std::nullopt;
}

}  // namespace rankscope
