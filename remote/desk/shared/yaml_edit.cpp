// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/foreign_yaml.h>
#include <remote/desk/shared/text.h>
#include <remote/desk/shared/yaml_edit.h>
#include <remote/desk/shared/yaml_layout.h>
#include <remote/desk/shared/yaml_tree.h>
#include <remote/desk/shared/yaml_write.h>

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <utility>

namespace rankscope {
namespace {

using nlohmann::json;
using Path = std::vector<std::string>;

constexpr const char* kContext = "YamlEdit";

/// One key of a mapping; undefined nodes where it is absent.
std::pair<YAML::Node, YAML::Node> entry_of(const YAML::Node& mapping, const std::string& key) {
    for (const auto& entry : mapping) {
        if (entry.first.IsScalar() && entry.first.Scalar() == key) {
            return {entry.first, entry.second};
        }
    }
    return {YAML::Node(YAML::NodeType::Undefined), YAML::Node(YAML::NodeType::Undefined)};
}

/// The value of the keys path[from…], as nested mappings.
json nested(const Path& path, std::size_t from, const json& value) {
    json result = value;
    for (std::size_t i = path.size(); i > from; --i) {
        result = json{{path[i - 1], std::move(result)}};
    }
    return result;
}

void set(json& root, const Path& path, const json& value) {
    json* object = &root;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        if (value.is_null() && !(object->is_object() && object->contains(path[i]))) {
            return;
        }
        object = &(object->is_object() ? * object : * object = json::object())[path[i]];
    }
    if (!object->is_object()) {
        *object = json::object();
    }
    if (value.is_null()) {
        object->erase(path.back());
    } else {
        (*object)[path.back()] = value;
    }
}

json get(const json& root, const Path& path) {
    const json* value = &root;
    for (const auto& key : path) {
        if (!value->is_object() || !value->contains(key)) {
            return nullptr;
        }
        value = &(*value)[key];
    }
    return *value;
}

std::optional<json> read(const std::string& text) {
    config::ConfigProblems problems;
    const auto root = read_yaml(text, problems);
    if (!root || !problems.empty() || (!root->is_mapping() && root->kind != config::ConfigNode::Kind::Null)) {
        return std::nullopt;
    }
    return root->is_mapping() ? config::to_json(*root) : json::object();
}

/// One change of the text, without a check of what came of it.
class TextEdit {
public:
    explicit TextEdit(const std::string& text) : text_(text), layout_(text) {}

    std::optional<std::string> run(const Path& path, const json& value) const {
        YAML::Node mapping = load_yaml(text_);
        bool flow = mapping.IsMap() && mapping.size() > 0 && begins_flow(mapping);
        std::optional<YamlPlace> outer;
        for (std::size_t i = 0; i < path.size(); ++i) {
            const auto [key, below] = entry_of(mapping, path[i]);
            if (!key.IsDefined()) {
                return value.is_null() ? std::optional(text_)
                                       : insert(mapping, outer, flow, path[i], nested(path, i + 1, value));
            }
            const auto place = layout_.place(key, flow);
            if (!place) {
                return std::nullopt;
            }
            if (i + 1 == path.size()) {
                return value.is_null() ? take_out(*place) : replace(*place, value);
            }
            if (!below.IsMap()) {
                return value.is_null() ? std::optional(text_) : replace(*place, nested(path, i + 1, value));
            }
            flow = place->value > place->colon && !place->own_lines ? layout_.is_flow(place->value)
                                                                    : place->own_lines && begins_flow(below);
            outer = place;
            mapping.reset(below);
        }
        return std::nullopt;
    }

private:
    bool begins_flow(const YAML::Node& mapping) const {
        const auto mark = mapping.Mark();
        std::size_t at = 0;
        for (int line = 0; line < mark.line && at < text_.size(); ++line) {
            at = layout_.next_line(at);
        }
        return layout_.is_flow(at + static_cast<std::size_t>(mark.column));
    }

    std::string replaced(std::size_t from, std::size_t to, const std::string& with) const {
        return text_.substr(0, from) + with + text_.substr(to);
    }

    std::string replace(const YamlPlace& place, const json& value) const {
        const std::string word = yaml_flow(value);
        if (place.value == place.colon) {  // nothing is there yet
            return replaced(place.colon, place.colon, ' ' + word);
        }
        if (!place.own_lines) {
            return replaced(place.value, place.end, word);
        }
        // The lines below the key go; what stands behind the key, a comment, stays.
        const std::size_t from = layout_.next_line(place.key);
        const std::string without = replaced(from, layout_.next_line(place.end), "");
        return without.substr(0, place.colon) + ' ' + word + without.substr(place.colon);
    }

    std::string take_out(const YamlPlace& place) const {
        if (!place.flow) {
            return replaced(layout_.line_start(place.key), layout_.next_line(place.end), "");
        }
        std::size_t from = place.key;
        std::size_t to = place.end;
        const auto is_space = [&](std::size_t at) {
            return text_[at] == ' ' || text_[at] == '\t' || text_[at] == '\n' || text_[at] == '\r';
        };
        while (to < text_.size() && is_space(to)) {
            ++to;
        }
        if (to < text_.size() && text_[to] == ',') {
            ++to;
            while (to < text_.size() && is_space(to)) {
                ++to;
            }
            return replaced(from, to, "");
        }
        while (from > 0 && is_space(from - 1)) {
            --from;
        }
        from -= from > 0 && text_[from - 1] == ',' ? 1U : 0U;
        return replaced(from, place.end, "");
    }

    std::optional<std::string> insert(const YAML::Node& mapping, const std::optional<YamlPlace>& outer,
                                      bool flow, const std::string& key, const json& value) const {
        const std::string line = yaml_flow(key) + ": " + yaml_flow(value);
        std::optional<YamlPlace> last;
        std::optional<YamlPlace> first;
        for (const auto& entry : mapping) {
            const auto place = layout_.place(entry.first, flow);
            if (!place) {
                return std::nullopt;
            }
            first = first ? first : place;
            last = place;
        }
        if (!last) {
            if (outer) {  // { }
                return replaced(layout_.skip_properties(outer->value), outer->end, "{ " + line + " }");
            }
            const bool open = !text_.empty() && text_.back() != '\n';
            return text_ + (open ? layout_.line_end() : "") + line + layout_.line_end();
        }
        if (flow) {
            return replaced(last->end, last->end, ", " + line);
        }
        const std::size_t at = layout_.next_line(last->end > last->key ? last->end - 1 : last->key);
        const bool open = at > 0 && text_[at - 1] != '\n';
        return replaced(at, at,
                        (open ? layout_.line_end() : "") + std::string(first->indent, ' ') + line +
                            (open ? "" : layout_.line_end()));
    }

    const std::string& text_;
    YamlLayout layout_;
};

void collect(const json& before, const json& after, Path& path, std::vector<YamlEdit>& edits) {
    if (!before.is_object() || !after.is_object()) {
        if (before != after) {
            edits.push_back({path, after});
        }
        return;
    }
    for (const auto& [key, value] : before.items()) {
        path.push_back(key);
        if (!after.contains(key)) {
            edits.push_back({path, nullptr});
        } else {
            collect(value, after[key], path, edits);
        }
        path.pop_back();
    }
    for (const auto& [key, value] : after.items()) {
        if (!before.contains(key) && !value.is_null()) {
            path.push_back(key);
            edits.push_back({path, value});
            path.pop_back();
        }
    }
}

}  // namespace

std::vector<YamlEdit> yaml_edits(const json& before, const json& after) {
    std::vector<YamlEdit> edits;
    Path path;
    collect(before, after, path, edits);
    return edits;
}

Result<std::string> edit_yaml(const std::string& yaml, const std::vector<YamlEdit>& edits) {
    const Failure refused{"bad-file", "", text(kContext, "The text cannot be edited."),
                          text(kContext, "It must be a YAML mapping in which no key stands twice."), ""};
    std::string now = yaml;
    auto expected = read(yaml);
    if (!expected) {
        return refused;
    }
    for (const YamlEdit& edit : edits) {
        set(*expected, edit.path, edit.value);
        Path path = edit.path;
        json value = edit.value;
        bool done = false;
        while (!done && !path.empty()) {
            const auto changed = TextEdit(now).run(path, value);
            const auto result = changed ? read(*changed) : std::nullopt;
            done = result && *result == *expected;
            if (done) {
                now = *changed;
            } else {  // the mapping around it, whole
                path.pop_back();
                value = get(*expected, path);
            }
        }
        if (!done) {
            return refused;
        }
    }
    return now;
}

}  // namespace rankscope
