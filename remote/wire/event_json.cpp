// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_number.h>
#include <base/json_text.h>
#include <remote/wire/event_json.h>
#include <remote/wire/log_json.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <type_traits>
#include <unordered_set>
#include <utility>

namespace rankscope {
namespace {

using Json = nlohmann::ordered_json;

// The largest bodies list what every rank of a node does.
constexpr JsonLimits kBodyLimits{.bytes = std::size_t{32} << 20, .depth = 16, .values = 200'000};

struct IgnoreFields {
    void operator()(const char*, auto&, auto...) const {}
};
/// A part of an event with visit_fields.
template <typename T>
concept Visited = requires(T& part) {
    T::visit_fields(part, IgnoreFields());
};

/// Writes the fields that visit_fields names.
class FieldWriter {
public:
    explicit FieldWriter(Json& json) : json_(json) {}

    template <typename T>
    void operator()(const char* key, const T& field, Written when = Written::Always) const {
        bool written = when == Written::Always;
        if constexpr (std::is_arithmetic_v<T>) {
            written = written || (when == Written::IfSet ? field != T{} : field >= T{});
        } else {
            written = written || field != T{};
        }
        if (written) {
            json_[key] = value_of(field);
        }
    }
    void operator()(const char* key, const std::optional<FailedDial>& dial, Written) const {
        if (dial) {
            json_[key] = {{"address", dial->address}, {"port", dial->port}, {"errno", dial->error}};
        }
    }
    template <typename T>
    void optional(const char* key, bool present, const T& field) const {
        if (present) {
            json_[key] = object_of(field);
        }
    }

    template <typename T>
    static Json object_of(const T& value) {
        Json json = Json::object();
        T::visit_fields(value, FieldWriter(json));
        return json;
    }

private:
    static Json value_of(const std::string& text) { return text; }
    static Json value_of(bool flag) { return flag; }
    static Json value_of(int number) { return number; }
    static Json value_of(double number) { return number; }
    static Json value_of(std::int64_t number) { return number; }
    static Json value_of(FailureId id) { return id.str(); }
    template <NamedEnum E>
    static Json value_of(E value) {
        return to_string(value);
    }
    static Json value_of(std::uint64_t number) { return number; }
    static Json value_of(CommunicatorHash hash) {
        std::ostringstream text;
        text << "0x" << std::hex << hash.value;
        return text.str();
    }
    template <Visited T>
    static Json value_of(const T& part) {
        return object_of(part);
    }
    static Json value_of(const std::map<std::string, std::string>& map) { return map; }
    template <typename T>
    static Json value_of(const std::vector<T>& list) {
        Json json = Json::array();
        for (const auto& entry : list) {
            json.push_back(value_of(entry));
        }
        return json;
    }

    Json& json_;
};

/// Reads them. A field that is absent or null keeps its default; one of another type throws Json::exception.
class FieldReader {
public:
    explicit FieldReader(const Json& json) : json_(json) {}

    template <typename T>
    void operator()(const char* key, T& field, Written = Written::Always) const {
        const auto it = json_.find(key);
        if (it != json_.end() && !it->is_null()) {
            read(*it, field);
        }
    }
    void operator()(const char* key, std::optional<FailedDial>& dial, Written) const {
        const auto it = json_.find(key);
        if (it == json_.end() || !it->is_object()) {
            return;
        }
        const FieldReader inner(*it);
        inner("address", dial.emplace().address);
        inner("port", dial->port);
        inner("errno", dial->error);
    }
    template <typename T>
    void optional(const char* key, bool& present, T& field) const {
        if (const auto it = json_.find(key); it != json_.end()) {
            present = true;
            T::visit_fields(field, FieldReader(*it));
        }
    }

private:
    template <typename T>
    static void read(const Json& json, T& field) {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            if (json.is_number()) {
                field = whole_number<T>(json).value_or(field);
                return;
            }
        }
        field = json.get<T>();
    }
    static void read(const Json& json, CommunicatorHash& hash) {
        hash.value = std::strtoull(json.get_ref<const std::string&>().c_str(), nullptr, 16);
    }
    static void read(const Json& json, FailureId& id) { id = FailureId::from(json.get<std::string>()); }
    // A name that this version does not know leaves the default.
    template <NamedEnum E>
    static void read(const Json& json, E& value) {
        value = enum_from<E>(json.get<std::string>()).value_or(value);
    }
    static void read(const Json& json, Evidence& evidence) {
        if (json.is_string()) {  // of a run that an earlier version stored
            evidence.text = json.get<std::string>();
            return;
        }
        Evidence::visit_fields(evidence, FieldReader(json));
    }
    template <Visited T>
    static void read(const Json& json, T& part) {
        T::visit_fields(part, FieldReader(json));
    }
    template <typename T>
    static void read(const Json& json, std::vector<T>& list) {
        list.clear();
        for (const auto& entry : json.get_ref<const Json::array_t&>()) {
            read(entry, list.emplace_back());
        }
    }

    const Json& json_;
};

/// Adds values under the names of others; the first of a name counts. An ordered object would compare each new key with
/// all others, and a node sends as many as it likes.
class NamedValues {
public:
    explicit NamedValues(Json& json) : members_(json.get_ref<Json::object_t&>()) {
        for (const auto& member : members_) {
            seen_.insert(member.first);
        }
    }

    void operator()(const std::string& key, Json value) {
        if (seen_.insert(key).second) {
            members_.emplace_back(key, std::move(value));
        }
    }

private:
    Json::object_t& members_;
    std::unordered_set<std::string> seen_;
};

struct BodyWriter {
    Json& json;

    template <typename T>
    void operator()(const T& event) const {
        T::visit_fields(event, FieldWriter(json));
    }
    void operator()(const DiagnosisEvent& diagnosis) const {
        DiagnosisEvent::visit_fields(diagnosis, FieldWriter(json));
        if (diagnosis.rank < 0) {
            json["rank"] = nullptr;
        }
    }
    void operator()(const LogEvent& log) const {
        json["stream"] = log.is_stderr ? "stderr" : "stdout";
        json["text"] = log.text;
        if (log.dropped_bytes > 0) {
            json["dropped_bytes"] = log.dropped_bytes;
        }
        if (log.shared) {
            json["shared"] = true;
        }
    }
    void operator()(const MetricEvent& metric) const {
        if (metric.step >= 0) {
            json["step"] = metric.step;
        }
        if (metric.epoch >= 0) {
            json["epoch"] = metric.epoch;
        }
        // No series is true or false, or an object.
        if (metric.from_file) {
            json["from_file"] = metric.voids_after ? Json{{"voids_after", *metric.voids_after}} : Json(true);
        }
        // Names are the rank's: "rank", "node" or "step" among them must not replace what we know ourselves.
        NamedValues put(json);
        for (const auto& [key, value] : metric.values) {
            // JSON has no such numbers: null is not-a-number, infinity is a text.
            if (key == "step" || key == "epoch") {
                continue;
            }
            put(key, std::isfinite(value) ? Json(value)
                     : std::isnan(value)  ? Json(nullptr)
                     : value > 0          ? Json("inf")
                                          : Json("-inf"));
        }
        for (const auto& [key, value] : metric.texts) {
            if (key != "step" && key != "epoch") {
                put(key, value);
            }
        }
    }
    void operator()(const SampleEvent& sample) const {
        NamedValues put(json);
        for (const auto& [key, value] : sample.values) {
            if (std::isfinite(value)) {
                put(key, value);
            }
        }
    }
};

struct BodyReader {
    const Json& json;

    template <typename T>
    void operator()(T& event) const {
        T::visit_fields(event, FieldReader(json));
    }
    void operator()(StageEvent& stage) const {
        StageEvent::visit_fields(stage, FieldReader(json));
        stage.progress = std::isfinite(stage.progress) ? stage.progress : -1;
    }
    void operator()(LogEvent& log) const {
        std::string stream;
        const FieldReader read(json);
        read("stream", stream);
        read("text", log.text);
        read("dropped_bytes", log.dropped_bytes);
        read("shared", log.shared);
        log.is_stderr = stream == "stderr";
    }
    void operator()(MetricEvent& metric) const {
        for (const auto& [key, value] : json.items()) {
            if (key == "step") {
                metric.step = whole_number<std::int64_t>(value).value_or(-1);
            } else if (key == "epoch") {
                metric.epoch = value.is_number() ? value.get<double>() : -1;
            } else if (key == "from_file" && (value.is_boolean() || value.is_object())) {
                metric.from_file = true;
                if (value.is_object() && value.contains("voids_after")) {
                    metric.voids_after = whole_number<std::int64_t>(value["voids_after"]);
                }
            } else if (value.is_number()) {
                metric.values.emplace_back(key, value.get<double>());
            } else if (value.is_null()) {
                metric.values.emplace_back(key, std::numeric_limits<double>::quiet_NaN());
            } else if (value.is_string()) {
                const auto& text = value.get_ref<const std::string&>();
                if (text == "inf" || text == "-inf") {
                    const double infinity = std::numeric_limits<double>::infinity();
                    metric.values.emplace_back(key, text == "inf" ? infinity : -infinity);
                } else {
                    metric.texts.emplace_back(key, text);
                }
            }
        }
    }
    void operator()(SampleEvent& sample) const {
        for (const auto& [key, value] : json.items()) {
            if (value.is_number()) {
                sample.values.emplace_back(key, value.get<double>());
            }
        }
    }
};

std::string dump(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// An empty body of the kind; false: no such kind.
template <std::size_t index = 0>
bool make_body(const std::string& kind, EventBody& body) {
    if constexpr (index == std::variant_size_v<EventBody>) {
        return false;
    } else {
        Event event;
        event.body.emplace<index>();
        if (kind == kind_of(event)) {
            body = std::move(event.body);
            return true;
        }
        return make_body<index + 1>(kind, body);
    }
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
    return json_line(to_json(event));
}

Json body_json(const EventBody& body) {
    Json json = Json::object();
    std::visit(BodyWriter{json}, body);
    return json;
}

std::string body_to_json(const EventBody& body) {
    if (const auto* log = std::get_if<LogEvent>(&body)) {
        if (auto json = log_json(*log)) {
            return std::move(*json);
        }
    }
    return dump(body_json(body));
}

bool body_from_json(const std::string& kind, const std::string& line, EventBody& body) {
    if (kind == "log" && line.size() <= kBodyLimits.bytes) {
        if (auto log = log_of_json(line)) {
            body = std::move(*log);
            return true;
        }
    }
    return read_body(kind, read_ordered_json(line, kBodyLimits), body);
}

bool read_body(const std::string& kind, const Json& json, EventBody& body) {
    EventBody read;
    if (!json.is_object() || !make_body(kind, read)) {
        return false;
    }
    try {
        std::visit(BodyReader{json}, read);
    } catch (const Json::exception&) {
        return false;
    }
    body = std::move(read);
    return true;
}

}  // namespace rankscope
