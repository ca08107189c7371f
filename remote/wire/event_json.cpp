// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_number.h>
#include <remote/wire/event_json.h>

#include <cmath>
#include <limits>
#include <type_traits>

namespace rankscope {
namespace {

using Json = nlohmann::ordered_json;

struct BodyWriter {
    Json& json;

    void operator()(const StageEvent& stage) const {
        json["stage"] = stage.name;
        json["status"] = to_string(stage.status);
        if (!stage.detail.empty()) {
            json["detail"] = stage.detail;
        }
        if (stage.progress >= 0) {
            json["progress"] = stage.progress;
        }
        if (!stage.waiting_for.empty()) {
            json["waiting_for"] = stage.waiting_for;
        }
        if (stage.failed_dial) {
            json["failed_dial"] = {{"address", stage.failed_dial->address},
                                   {"port", stage.failed_dial->port},
                                   {"errno", stage.failed_dial->error}};
        }
    }
    void operator()(const MetricEvent& metric) const {
        if (metric.step >= 0) {
            json["step"] = metric.step;
        }
        if (metric.epoch >= 0) {
            json["epoch"] = metric.epoch;
        }
        // Names are the rank's: "rank", "node" or "step" among them must not replace what we know ourselves.
        const auto put = [this](const std::string& key, Json value) {
            if (key != "step" && key != "epoch" && !json.contains(key)) {
                json[key] = std::move(value);
            }
        };
        for (const auto& [key, value] : metric.values) {
            put(key, std::isfinite(value) ? Json(value) : Json(nullptr));
        }
        for (const auto& [key, value] : metric.texts) {
            put(key, value);
        }
    }
    void operator()(const LogEvent& log) const {
        json["stream"] = log.is_stderr ? "stderr" : "stdout";
        json["text"] = log.text;
    }
    void operator()(const ExitEvent& exit) const {
        json["code"] = exit.code;
        json["signal"] = exit.signal;
        json["requested"] = exit.requested;
        json["pid"] = exit.pid;
        if (exit.core_dumped) {
            json["core_dumped"] = true;
        }
        if (!exit.reason.empty()) {
            json["reason"] = exit.reason;
        }
        if (!exit.last_lines.empty()) {
            json["last_lines"] = exit.last_lines;
        }
        if (!exit.stop_cause.empty()) {
            json["stop_cause"] = exit.stop_cause;
        }
        if (exit.failed_us != 0) {
            json["failed_us"] = exit.failed_us;
        }
        if (exit.missing_rank >= 0) {
            json["missing_rank"] = exit.missing_rank;
        }
        if (exit.lost_peer) {
            json["lost_peer"] = true;
        }
        if (!exit.oom.empty()) {
            json["oom"] = exit.oom;
        }
        if (!exit.core_file.empty()) {
            json["core_file"] = exit.core_file;
        }
        if (!exit.traceback.empty()) {
            json["traceback"] = exit.traceback;
        }
        if (exit.attempt > 0) {
            json["attempt"] = exit.attempt;
        }
    }
    void operator()(const DiagnosisEvent& diagnosis) const {
        json["id"] = diagnosis.id;
        json["title"] = diagnosis.title;
        json["confidence"] = diagnosis.confidence;
        json["evidence"] = diagnosis.evidence;
        json["fix"] = diagnosis.fix;
    }
    void operator()(const EndEvent& end) const {
        json["outcome"] = to_string(end.outcome);
        json["exit_code"] = end.exit_code;
        if (!end.detail.empty()) {
            json["detail"] = end.detail;
        }
        if (end.has_culprit) {
            json["culprit"] = {{"rank", end.culprit.rank},     {"node", end.culprit.node},
                               {"code", end.culprit.code},     {"signal", end.culprit.signal},
                               {"reason", end.culprit.reason}, {"last_lines", end.culprit.last_lines}};
        }
        if (!end.culprit.process_state.empty()) {
            json["culprit"]["process_state"] = end.culprit.process_state;
        }
        if (!end.lost_node.empty()) {
            json["lost_node"] = end.lost_node;
            json["lost_how"] = to_string(end.lost_how);
            json["silent_s"] = end.silent_s;
        }
    }
    void operator()(const SampleEvent& sample) const {
        for (const auto& [key, value] : sample.values) {
            if (!json.contains(key) && std::isfinite(value)) {
                json[key] = value;
            }
        }
    }
    // Replaces the node of the event, which is the desk's: this is about that one.
    void operator()(const LinkEvent& link) const {
        json["node"] = link.node;
        json["state"] = to_string(link.state);
        json["last_seen_us"] = link.last_seen_us;
        if (link.retry_at_us != 0) {
            json["retry_at_us"] = link.retry_at_us;
        }
        if (!link.failure.empty()) {
            json["failure_id"] = link.failure_id;
            json["failure"] = link.failure;
            json["remedy"] = link.remedy;
        }
    }
};

template <typename T>
T get(const Json& json, const char* key, T fallback) {
    const auto it = json.find(key);
    if (it == json.end() || it->is_null()) {
        return fallback;
    }
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        if (it->is_number()) {
            return whole_number<T>(*it).value_or(fallback);
        }
    }
    return it->template get<T>();
}

MetricEvent read_metric(const Json& json) {
    MetricEvent metric;
    for (const auto& [key, value] : json.items()) {
        if (key == "step") {
            metric.step = whole_number<std::int64_t>(value).value_or(-1);
        } else if (key == "epoch") {
            metric.epoch = value.is_number() ? value.get<double>() : -1;
        } else if (value.is_number()) {
            metric.values.emplace_back(key, value.get<double>());
        } else if (value.is_null()) {
            metric.values.emplace_back(key, std::numeric_limits<double>::quiet_NaN());
        } else if (value.is_string()) {
            metric.texts.emplace_back(key, value.get<std::string>());
        }
    }
    return metric;
}

std::optional<FailedDial> read_failed_dial(const Json& json) {
    const auto it = json.find("failed_dial");
    if (it == json.end() || !it->is_object()) {
        return std::nullopt;
    }
    return FailedDial{get<std::string>(*it, "address", ""), get(*it, "port", 0), get(*it, "errno", 0)};
}

ExitEvent read_exit(const Json& json) {
    ExitEvent exit;
    exit.code = get(json, "code", 0);
    exit.signal = get(json, "signal", 0);
    exit.requested = get(json, "requested", false);
    exit.pid = get<std::int64_t>(json, "pid", 0);
    exit.core_dumped = get(json, "core_dumped", false);
    exit.reason = get<std::string>(json, "reason", "");
    exit.last_lines = get<std::vector<std::string>>(json, "last_lines", {});
    exit.stop_cause = get<std::string>(json, "stop_cause", "");
    exit.failed_us = get<std::int64_t>(json, "failed_us", 0);
    exit.oom = get<std::string>(json, "oom", "");
    exit.core_file = get<std::string>(json, "core_file", "");
    exit.traceback = get<std::vector<std::string>>(json, "traceback", {});
    exit.attempt = get(json, "attempt", 0);
    exit.missing_rank = get(json, "missing_rank", -1);
    exit.lost_peer = get(json, "lost_peer", false);
    return exit;
}

EndEvent read_end(const Json& json) {
    EndEvent end;
    end.outcome = outcome_from(get<std::string>(json, "outcome", ""));
    end.exit_code = get(json, "exit_code", 0);
    end.detail = get<std::string>(json, "detail", "");
    end.lost_node = get<std::string>(json, "lost_node", "");
    end.lost_how = lost_how_from(get<std::string>(json, "lost_how", ""));
    end.silent_s = get(json, "silent_s", 0.0);
    if (const auto it = json.find("culprit"); it != json.end()) {
        end.has_culprit = true;
        end.culprit = {get(*it, "rank", -1),
                       get<std::string>(*it, "node", ""),
                       get(*it, "code", 0),
                       get(*it, "signal", 0),
                       get<std::string>(*it, "reason", ""),
                       get<std::vector<std::string>>(*it, "last_lines", {}),
                       get<std::string>(*it, "process_state", "")};
    }
    return end;
}

LinkEvent read_link(const Json& json) {
    LinkEvent link;
    link.node = get<std::string>(json, "node", "");
    link.state = link_state_from(get<std::string>(json, "state", ""));
    link.last_seen_us = get<std::int64_t>(json, "last_seen_us", 0);
    link.retry_at_us = get<std::int64_t>(json, "retry_at_us", 0);
    link.failure_id = get<std::string>(json, "failure_id", "");
    link.failure = get<std::string>(json, "failure", "");
    link.remedy = get<std::string>(json, "remedy", "");
    return link;
}

std::string dump(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Json to_json(const Event& event) {
    Json json;
    json["event"] = kind_of(event);
    json["t"] = static_cast<double>(event.t_us) / 1e6;
    json["seq"] = event.seq;
    json["node"] = event.node;
    json["rank"] = event.rank >= 0 ? Json(event.rank) : Json(nullptr);
    std::visit(BodyWriter{json}, event.body);
    return json;
}

std::string to_json_line(const Event& event) {
    return dump(to_json(event));
}

std::string body_to_json(const EventBody& body) {
    Json json = Json::object();
    std::visit(BodyWriter{json}, body);
    return dump(json);
}

bool body_from_json(const std::string& kind, const std::string& line, EventBody& body) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) {
        return false;
    }
    try {
        if (kind == "stage") {
            body = StageEvent{get<std::string>(json, "stage", ""),
                              stage_status_from(get<std::string>(json, "status", "")),
                              get<std::string>(json, "detail", ""),
                              get(json, "progress", -1.0),
                              get<std::vector<int>>(json, "waiting_for", {}),
                              read_failed_dial(json)};
        } else if (kind == "metric") {
            body = read_metric(json);
        } else if (kind == "log") {
            body = LogEvent{get<std::string>(json, "stream", "") == "stderr",
                            get<std::string>(json, "text", "")};
        } else if (kind == "exit") {
            body = read_exit(json);
        } else if (kind == "diagnosis") {
            DiagnosisEvent diagnosis;
            diagnosis.id = get<std::string>(json, "id", "");
            diagnosis.title = get<std::string>(json, "title", "");
            diagnosis.confidence = get(json, "confidence", 1.0);
            diagnosis.evidence = get<std::vector<std::string>>(json, "evidence", {});
            diagnosis.fix = get<std::vector<std::string>>(json, "fix", {});
            body = diagnosis;
        } else if (kind == "end") {
            body = read_end(json);
        } else if (kind == "link") {
            body = read_link(json);
        } else if (kind == "sample") {
            SampleEvent sample;
            for (const auto& [key, value] : json.items()) {
                if (value.is_number()) {
                    sample.values.emplace_back(key, value.get<double>());
                }
            }
            body = sample;
        } else {
            return false;
        }
    } catch (const Json::exception&) {
        return false;
    }
    return true;
}

}  // namespace rankscope
