// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/foreign_yaml.h>

#include <yaml-cpp/eventhandler.h>

#include <map>
#include <sstream>
#include <vector>

namespace rankscope {
namespace {

/// Counts what yaml-cpp reads and stops it at the first excess. An alias counts with all its values.
class Measure : public YAML::EventHandler {
public:
    explicit Measure(const YamlLimits& limits) : limits_(limits) {}

    void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { leaf(mark, anchor); }
    void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  const std::string& /*value*/) override {
        leaf(mark, anchor);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto target = anchored_.find(anchor);
        if (target == anchored_.end()) {  // it is still open
            throw YamlExcess(YamlExcess::Kind::Depth, mark, "a value contains itself");
        }
        if (open_.size() + target->second.depth > limits_.depth) {
            too_deep(mark);
        }
        add(mark, target->second.values);
        reach(target->second.depth);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value /*style*/) override {
        begin(mark, anchor);
    }
    void OnSequenceEnd() override { end(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value /*style*/) override {
        begin(mark, anchor);
    }
    void OnMapEnd() override { end(); }

private:
    struct Open {
        YAML::anchor_t anchor;
        std::size_t values_before;
        std::size_t depth;  ///< of the levels within
    };
    struct Anchored {
        std::size_t values;
        std::size_t depth;
    };

    [[noreturn]] void too_deep(const YAML::Mark& mark) const {
        throw YamlExcess(YamlExcess::Kind::Depth, mark,
                         "nested deeper than " + std::to_string(limits_.depth) + " levels");
    }
    void add(const YAML::Mark& mark, std::size_t count) {
        if (count > limits_.values - values_) {
            throw YamlExcess(YamlExcess::Kind::Values, mark,
                             "more than " + std::to_string(limits_.values) + " values");
        }
        values_ += count;
    }
    // What is open has so many levels within at least.
    void reach(std::size_t depth) {
        if (!open_.empty() && open_.back().depth < depth) {
            open_.back().depth = depth;
        }
    }
    void leaf(const YAML::Mark& mark, YAML::anchor_t anchor) {
        add(mark, 1);
        if (anchor != YAML::NullAnchor) {
            anchored_[anchor] = {1, 0};
        }
    }
    void begin(const YAML::Mark& mark, YAML::anchor_t anchor) {
        if (open_.size() == limits_.depth) {
            too_deep(mark);
        }
        open_.push_back({anchor, values_, 0});
        add(mark, 1);
    }
    void end() {
        const Open closed = open_.back();
        open_.pop_back();
        const std::size_t depth = closed.depth + 1;
        if (closed.anchor != YAML::NullAnchor) {
            anchored_[closed.anchor] = {values_ - closed.values_before, depth};
        }
        reach(depth);
    }

    const YamlLimits& limits_;
    std::size_t values_ = 0;
    std::vector<Open> open_;
    std::map<YAML::anchor_t, Anchored> anchored_;
};

}  // namespace

YAML::Node load_yaml(const std::string& text, const YamlLimits& limits) {
    if (text.size() > limits.bytes) {
        throw YamlExcess(YamlExcess::Kind::Bytes, YAML::Mark::null_mark(),
                         "longer than " + std::to_string(limits.bytes) + " bytes");
    }
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    Measure measure(limits);
    parser.HandleNextDocument(measure);
    return YAML::Load(text);
}

}  // namespace rankscope
