// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/foreign_yaml.h>
#include <remote/logs/rules/literal_scan.h>
#include <remote/logs/rules/rule_file.h>
#include <remote/logs/rules/version_range.h>

#include <re2/re2.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

namespace rankscope::logs {
namespace {

constexpr std::string_view kProperties[] = {"own-address",    "other-subnet", "same-subnet",
                                            "loopback",       "link-local",   "bridge",
                                            "ephemeral-port", "own-host",     "subnet-twice"};

// Reads one file. A problem marks the rule that is being read as bad.
class Reader {
public:
    Reader(std::string file, std::vector<RuleProblem>& problems)
        : file_(std::move(file)), problems_(problems) {}

    std::vector<Rule> read(const YAML::Node& root) {
        std::vector<Rule> rules;
        const auto take = [&](const YAML::Node& node) {
            bad_ = false;
            Rule rule = read_rule(node);
            if (!bad_) {
                rules.push_back(std::move(rule));
            }
        };
        if (root.IsSequence()) {
            for (const auto& node : root) {
                take(node);
            }
        } else if (root.IsMap()) {
            take(root);
        } else if (!root.IsNull()) {
            problem(root, "the file is no rule and no list of rules");
        }
        return rules;
    }

private:
    static int line_of(const YAML::Node& node) { return node.Mark().line + 1; }

    void problem(const YAML::Node& node, const std::string& message) {
        bad_ = true;
        problems_.push_back({file_, line_of(node), message});
    }

    bool keys(const YAML::Node& node, const std::string& what, const std::set<std::string>& known) {
        if (!node.IsMap()) {
            problem(node, what + " is a map of keys");
            return false;
        }
        for (const auto& item : node) {
            const auto key = item.first.Scalar();
            if (!known.contains(key)) {
                problem(item.first, "unknown key \"" + key + "\" of " + what);
            }
        }
        return true;
    }

    std::string text(const YAML::Node& node) {
        if (!node) {
            return {};
        }
        if (!node.IsScalar()) {
            problem(node, "one text is expected");
            return {};
        }
        return node.Scalar();
    }

    std::vector<std::string> texts(const YAML::Node& node) {
        std::vector<std::string> all;
        if (!node) {
            return all;
        }
        if (!node.IsSequence()) {
            return {text(node)};
        }
        for (const auto& item : node) {
            all.push_back(text(item));
        }
        return all;
    }

    std::optional<double> number(const YAML::Node& node) {
        if (!node) {
            return std::nullopt;
        }
        double value = 0;
        if (!node.IsScalar() || !YAML::convert<double>::decode(node, value)) {
            problem(node, "a number is expected");
            return std::nullopt;
        }
        return value;
    }

    bool flag(const YAML::Node& node) {
        bool value = false;
        if (node && (!node.IsScalar() || !YAML::convert<bool>::decode(node, value))) {
            problem(node, "true or false is expected");
        }
        return value;
    }

    std::optional<double> share(const YAML::Node& node) {
        const auto value = number(node);
        if (value && (*value < 0 || *value > 1)) {
            problem(node, "confidence is between 0 and 1");
        }
        return value;
    }

    std::shared_ptr<const re2::RE2> compile(const YAML::Node& node, const std::string& pattern) {
        RE2::Options options;
        options.set_log_errors(false);
        options.set_encoding(RE2::Options::EncodingLatin1);  // bytes: a log may hold any
        auto matcher = std::make_shared<re2::RE2>(pattern, options);
        if (!matcher->ok()) {
            problem(node, "the pattern is not valid: " + matcher->error());
        }
        return matcher;
    }

    Condition read_condition(const YAML::Node& node) {
        Condition condition;
        condition.line = line_of(node);
        if (!node.IsMap() || node.size() != 1) {
            problem(node,
                    "a condition is one key (seen, missing, count, capture, elapsed, nccl, torch, nodes, "
                    "exit, silent, collectives) with its value");
            return condition;
        }
        const auto item = *node.begin();
        const auto kind = enum_from<ConditionKind>(item.first.Scalar());
        if (!kind) {
            problem(item.first, "unknown condition \"" + item.first.Scalar() + "\"");
            return condition;
        }
        condition.kind = *kind;
        const YAML::Node value = item.second;
        switch (*kind) {
            case ConditionKind::Seen:
            case ConditionKind::Missing:
                condition.of = text(value);
                break;
            case ConditionKind::Nccl:
            case ConditionKind::Torch:
                condition.versions = text(value);
                if (!VersionRange::parse(condition.versions)) {
                    problem(value, "versions are written as \">=2.16 <2.24\"");
                }
                break;
            case ConditionKind::Exit:
                condition.values = texts(value);
                break;
            case ConditionKind::Collectives:
                condition.values = {text(value)};
                if (condition.values[0] != "differ" && condition.values[0] != "behind") {
                    problem(value, "collectives differ, or ranks are behind: `differ`, `behind`");
                }
                break;
            case ConditionKind::Silent:
                condition.at_least = flag(value) ? 1 : 0;
                break;
            case ConditionKind::Count:
            case ConditionKind::Nodes:
            case ConditionKind::Elapsed:
            case ConditionKind::Capture:
                read_measure(value, condition);
                break;
        }
        return condition;
    }

    void read_measure(const YAML::Node& value, Condition& condition) {
        if (!keys(value, "a condition",
                  {"of", "field", "is", "in", "differs-from", "above", "below", "until", "at-least",
                   "at-most"})) {
            return;
        }
        condition.of = text(value["of"]);
        condition.field = text(value["field"]);
        condition.is = text(value["is"]);
        condition.values = texts(value["in"]);
        condition.differs_from = text(value["differs-from"]);
        condition.above = text(value["above"]);
        condition.below = text(value["below"]);
        condition.until = text(value["until"]);
        condition.at_least = number(value["at-least"]);
        condition.at_most = number(value["at-most"]);
        if (!condition.is.empty() && std::find(std::begin(kProperties), std::end(kProperties),
                                               condition.is) == std::end(kProperties)) {
            problem(value["is"], "unknown property \"" + condition.is + "\"");
        }
        if (condition.kind != ConditionKind::Nodes && condition.of.empty()) {
            problem(value, "`of` names the signature");
        }
        if (condition.kind == ConditionKind::Capture && condition.field.empty()) {
            problem(value, "`field` names the capture");
        }
    }

    std::vector<Condition> read_conditions(const YAML::Node& node) {
        std::vector<Condition> all;
        if (!node) {
            return all;
        }
        if (!node.IsSequence()) {
            problem(node, "`when` is a list of conditions");
            return all;
        }
        for (const auto& item : node) {
            all.push_back(read_condition(item));
        }
        return all;
    }

    void compile_pattern(const YAML::Node& node, Signature& signature) {
        signature.matcher = compile(node, signature.pattern);
        if (!signature.matcher->ok()) {
            return;
        }
        if (signature.matcher->NumberOfCapturingGroups() > Signature::kMostCaptures) {
            problem(node, "a pattern has at most " + std::to_string(Signature::kMostCaptures) + " groups");
            return;
        }
        const auto& names = signature.matcher->CapturingGroupNames();
        signature.captures.resize(static_cast<std::size_t>(signature.matcher->NumberOfCapturingGroups()));
        for (const auto& [group, name] : names) {
            signature.captures[static_cast<std::size_t>(group - 1)] = name;
        }
        if (signature.anchors.empty()) {
            if (const std::string literal = literal_of(signature.pattern); !literal.empty()) {
                signature.anchors.push_back(literal);
            } else {
                problem(node, "no text of 4 letters is in every match: list such texts as `anchors`");
            }
        }
        if (signature.anchors != std::vector{literal_of(signature.pattern)}) {
            signature.required = literal_of(signature.pattern, 2);
        }
        for (const auto& anchor : signature.anchors) {
            if (anchor.size() < LiteralScan::kShortest) {
                problem(node, "the anchor \"" + anchor + "\" is shorter than 4 letters");
            }
        }
        signature.literal = says_only(signature.pattern, signature.anchors);
    }

    Signature read_signature(const YAML::Node& node) {
        Signature signature;
        signature.line = line_of(node);
        if (node.IsScalar()) {
            signature.pattern = node.Scalar();
            compile_pattern(node, signature);
            return signature;
        }
        if (!keys(node, "a signature",
                  {"name", "pattern", "fact", "error", "reason", "place", "anchors", "except", "speaker",
                   "level", "source", "confidence", "when", "also", "title", "fix", "every"})) {
            return signature;
        }
        signature.name = text(node["name"]);
        signature.pattern = text(node["pattern"]);
        signature.anchors = texts(node["anchors"]);
        signature.except = texts(node["except"]);
        signature.source = text(node["source"]);
        signature.confidence = share(node["confidence"]);
        signature.when = read_conditions(node["when"]);
        signature.also = texts(node["also"]);
        signature.title = text(node["title"]);
        signature.fix = texts(node["fix"]);
        signature.place = !node["place"] || flag(node["place"]);
        signature.reason = text(node["reason"]);
        signature.every = flag(node["every"]);
        if (const auto speaker = node["speaker"]) {
            signature.speaker = enum_from<Speaker>(text(speaker));
            if (!signature.speaker) {
                problem(speaker, "unknown speaker \"" + text(speaker) + "\"");
            }
        }
        if (const auto level = node["level"]) {
            signature.level = enum_from<LineLevel>(text(level));
            if (!signature.level) {
                problem(level, "unknown level \"" + text(level) + "\"");
            }
        }
        if (const auto fact = node["fact"]) {
            signature.fact = enum_from<LineFact>(text(fact)).value_or(LineFact::None);
            if (signature.fact == LineFact::None) {
                problem(fact, "unknown fact \"" + text(fact) + "\"");
            }
        }
        if (const auto error = node["error"]) {
            signature.error = enum_from<ErrorLayer>(text(error));
            if (!signature.error) {
                problem(error, "unknown layer \"" + text(error) + "\"");
            }
            signature.captures = {"what"};
        }
        if ((signature.pattern.empty() ? 0 : 1) + (signature.fact == LineFact::None ? 0 : 1) +
                (signature.error ? 1 : 0) !=
            1) {
            problem(node, "a signature needs a `pattern`, a `fact` or an `error`");
            return signature;
        }
        for (const auto& pattern : signature.except) {
            signature.exceptions.push_back(compile(node["except"], pattern));
        }
        if (!signature.pattern.empty()) {
            compile_pattern(node["pattern"], signature);
        }
        return signature;
    }

    RuleTest read_test(const YAML::Node& node, const std::string& id) {
        RuleTest test;
        test.line = line_of(node);
        if (!keys(node, "a test", {"lines", "expect", "node", "rank"})) {
            return test;
        }
        test.lines = text(node["lines"]);
        test.expect = node["expect"] ? text(node["expect"]) : id;
        test.node = text(node["node"]);
        if (const auto rank = number(node["rank"])) {
            test.rank = static_cast<int>(*rank);
        }
        if (test.lines.empty()) {
            problem(node, "a test needs `lines`");
        }
        return test;
    }

    Rule read_rule(const YAML::Node& node) {
        Rule rule;
        rule.file = file_;
        rule.line = line_of(node);
        if (!keys(
                node, "a rule",
                {"id", "title", "explanation", "role", "signatures", "all", "fatal", "generic", "when",
                 "confidence", "adjust", "fault", "explains", "also", "fix", "probes", "sources", "tests"})) {
            return rule;
        }
        rule.id = text(node["id"]);
        rule.title = text(node["title"]);
        rule.explanation = text(node["explanation"]);
        rule.all_signatures = flag(node["all"]);
        rule.generic = flag(node["generic"]);
        rule.fatal = flag(node["fatal"]);
        if (const auto role = node["role"]) {
            if (const auto known = enum_from<RuleRole>(text(role))) {
                rule.role = *known;
            } else {
                problem(role, "a role is cause, victim, harmless or context");
            }
        }
        rule.confidence = share(node["confidence"]).value_or(rule.confidence);
        if (rule.id.empty() ||
            rule.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos) {
            problem(node, "a rule needs an `id` of small letters, digits and '-'");
        }
        if (rule.title.empty() && (rule.role == RuleRole::Cause || rule.role == RuleRole::Victim)) {
            problem(node, "a rule needs a `title`");
        }
        for (const auto& item : node["signatures"]) {
            rule.signatures.push_back(read_signature(item));
        }
        if (rule.signatures.empty()) {
            problem(node, "a rule needs `signatures`");
        }
        rule.when = read_conditions(node["when"]);
        for (const auto& item : node["adjust"]) {
            if (keys(item, "an adjustment", {"add", "when"})) {
                rule.adjust.push_back({number(item["add"]).value_or(0), read_conditions(item["when"])});
            }
        }
        if (const auto fault = node["fault"]; fault && keys(fault, "`fault`", {"node", "rank"})) {
            rule.fault_node = text(fault["node"]);
            rule.fault_rank = text(fault["rank"]);
        }
        rule.explains = texts(node["explains"]);
        rule.also = texts(node["also"]);
        rule.fix = texts(node["fix"]);
        rule.probes = texts(node["probes"]);
        rule.sources = texts(node["sources"]);
        for (const auto& item : node["tests"]) {
            rule.tests.push_back(read_test(item, rule.id));
        }
        return rule;
    }

    std::string file_;
    std::vector<RuleProblem>& problems_;
    bool bad_ = false;
};

}  // namespace

std::vector<Rule> parse_rules(const std::string& text, const std::string& file,
                              std::vector<RuleProblem>& problems) {
    try {
        return Reader(file, problems).read(load_yaml(text));
    } catch (const YAML::Exception& error) {
        problems.push_back({file, error.mark.line + 1, error.msg});
        return {};
    }
}

}  // namespace rankscope::logs
