// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <base/text.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/table.h>
#include <remote/desk/nodes/inventory/found_nodes.h>
#include <remote/desk/nodes/transport/ssh_target.h>
#include <remote/desk/nodes/transport/transport_choice.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "NodesCommands";

nlohmann::ordered_json to_json(const NodeSpec& node) {
    nlohmann::ordered_json json{{"name", node.name}, {"host", node.host}, {"user", node.user}};
    json["port"] = node.port == 0 ? 22 : node.port;
    json["identity_file"] = node.identity_file;
    json["proxy_jump"] = node.proxy_jump;
    json["transport"] = node.transport.empty() ? "auto" : node.transport;
    json["gpus"] = node.gpus_auto ? nlohmann::ordered_json("auto") : nlohmann::ordered_json(node.gpus);
    json["cpu_slots"] = node.cpu_slots;
    json["address"] = node.address;
    json["cache_dir"] = node.cache_dir;
    json["group"] = node.group;
    return json;
}

std::vector<std::string> existing(const SshTarget& target, const std::vector<std::string>& files) {
    std::vector<std::string> found;
    for (const auto& file : files) {
        const std::string path = expand_ssh_path(target, file);
        if (std::filesystem::exists(path)) {
            found.push_back(shorten_home(path));
        }
    }
    return found;
}

int find(const GlobalOptions& options) {
    const auto inventory = load_inventory(options);
    if (!inventory) {
        return kUsage;
    }
    const NodeImport found = find_nodes(*inventory, {});
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    std::vector<std::vector<std::string>> rows{{"NODE", "HOST", "PORT", "USER", "REMARK"}};
    for (const auto& [node, where, taken, note] : found.nodes) {
        json.push_back(to_json(node));
        json.back()["note"] = note;
        rows.push_back(
            {node.name, node.host, node.port == 0 ? "" : std::to_string(node.port), node.user, note});
    }
    if (options.json) {
        std::printf("%s\n", json_line(nlohmann::ordered_json{{"nodes", json}}).c_str());
    } else if (found.nodes.empty()) {
        std::printf(
            "%s\n",
            text(kContext,
                 "This computer knows no other nodes. Add one: rankscopectl nodes add node1 --host 10.0.0.11")
                .c_str());
    } else {
        std::fputs(format_table(rows).c_str(), stdout);
    }
    return kDone;
}

int list(const GlobalOptions& options, const std::string& group) {
    auto inventory = load_inventory(options);
    if (!inventory) {
        return kUsage;
    }
    if (!group.empty()) {
        const auto groups = inventory->groups();
        if (std::find(groups.begin(), groups.end(), group) == groups.end()) {
            report(Failure{"unknown-node", inventory->file.string(),
                           text(kContext, "No node is in the group \"%1\".", {group}),
                           groups.empty()
                               ? text(kContext, "Set it: `rankscopectl nodes set NAME --group %1`", {group})
                               : text(kContext, "The groups are: %1", {joined(groups)})},
                   options.json);
            return kUsage;
        }
        std::erase_if(inventory->nodes, [&](const NodeSpec& node) { return node.group != group; });
    }
    if (options.json) {
        nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
        for (const auto& node : inventory->nodes) {
            nodes.push_back(to_json(node));
        }
        std::printf("%s\n", json_line(nlohmann::ordered_json{{"nodes", nodes}}).c_str());
        return kDone;
    }
    if (inventory->nodes.empty()) {
        std::printf("%s\n", text(kContext,
                                 "No nodes yet in %1. Add one: rankscopectl nodes add node1 --host 10.0.0.11",
                                 {inventory->file.string()})
                                .c_str());
        return kDone;
    }
    const bool grouped = !inventory->groups().empty();
    std::vector<std::vector<std::string>> rows{{"NAME", "HOST", "PORT", "USER", "GPUS", "CPU SLOTS"}};
    if (grouped) {
        rows.front().emplace_back("GROUP");
    }
    for (const auto& node : inventory->nodes) {
        std::string gpus = "auto";
        if (!node.gpus_auto) {
            gpus.clear();
            for (const int gpu : node.gpus) {
                gpus += (gpus.empty() ? "" : ",") + std::to_string(gpu);
            }
            gpus = gpus.empty() ? "none" : gpus;
        }
        rows.push_back({node.name, node.host, std::to_string(node.port == 0 ? 22 : node.port),
                        node.user.empty() ? "-" : node.user, gpus,
                        node.cpu_slots == 0 ? "-" : std::to_string(node.cpu_slots)});
        if (grouped) {
            rows.back().push_back(node.group.empty() ? "-" : node.group);
        }
    }
    std::fputs(format_table(rows).c_str(), stdout);
    return kDone;
}

int show(const GlobalOptions& options, const std::string& name) {
    const auto inventory = load_inventory(options);
    if (!inventory) {
        return kUsage;
    }
    const NodeSpec* node = inventory->find(name);
    if (node == nullptr) {
        report(Failure{"unknown-node", inventory->file.string(),
                       text(kContext, "There is no node \"%1\".", {name}),
                       text(kContext, "`rankscopectl nodes list` shows the names."), ""},
               options.json);
        return kUsage;
    }
    const auto target = resolve_ssh_target(*node);
    if (!target) {
        report(target.failure(), options.json);
        return kUsage;
    }
    const auto choice = choose_transport(*node, *target);
    const std::string by = choice.implementation == SshImplementation::OpenSsh ? "openssh" : "libssh";
    if (options.json) {
        auto json = to_json(*node);
        json["connects_by"] = by;
        json["because"] = choice.why;
        json["connects_as"] = describe_target(*target);
        json["ssh"] = {{"host", target->host},
                       {"port", target->port},
                       {"user", target->user},
                       {"identity_files", target->identity_files},
                       {"certificate_files", target->certificate_files},
                       {"proxy_jump", target->proxy_jump},
                       {"proxy_command", target->proxy_command},
                       {"known_hosts", target->known_hosts}};
        std::printf("%s\n", json_line(json).c_str());
        return kDone;
    }
    std::printf("%s\n", text(kContext, "%1 connects as %2", {node->name, describe_target(*target)}).c_str());
    std::vector<std::vector<std::string>> rows;
    const auto row = [&](std::string label, const std::string& value) {
        if (!value.empty()) {
            rows.push_back({"  " + std::move(label), value});
        }
    };
    row(text(kContext, "group"), node->group);
    row(text(kContext, "by"), choice.why.empty() ? by : by + " (" + choice.why + ')');
    row(text(kContext, "host"),
        node->host == target->host ? target->host : node->host + " -> " + target->host);
    row(text(kContext, "keys"), joined(existing(*target, target->identity_files)));
    row(text(kContext, "certificates"), joined(target->certificate_files));
    row(text(kContext, "known hosts"), joined(existing(*target, target->known_hosts)));
    std::fputs(format_table(rows).c_str(), stdout);
    return kDone;
}

/// The options of `nodes add` and `nodes set`: each changes its field only when it is given.
class NodeOptions {
public:
    NodeOptions(CLI::App& command, const char* about_name) {
        command.add_option("name", name_, about_name)->required();
        text(command, "--host", "Name, address or ssh_config alias (default: the name)", &NodeSpec::host);
        number(command, "--port", "SSH port", &NodeSpec::port, 65535);
        text(command, "--user", "Account on the node", &NodeSpec::user);
        text(command, "--identity-file", "Private key", &NodeSpec::identity_file);
        text(command, "--proxy-jump", "Jump host", &NodeSpec::proxy_jump);
        text(command, "--transport", "auto, libssh or openssh", &NodeSpec::transport);
        gpus_option_ = command.add_option("--gpus", gpus_, "auto, none, or indices such as 0,1");
        number(command, "--cpu-slots", "Ranks when there is no GPU", &NodeSpec::cpu_slots, 1024);
        text(command, "--address", "Address that the other nodes use", &NodeSpec::address);
        text(command, "--cache-dir", "Folder for agent and worker on the node", &NodeSpec::cache_dir);
        text(command, "--group", "Nodes that are shown and chosen together", &NodeSpec::group);
    }
    NodeOptions(const NodeOptions&) = delete;
    NodeOptions& operator=(const NodeOptions&) = delete;

    const std::string& name() const { return name_; }

    /// Throws CLI::ValidationError where --gpus is wrong.
    void apply(NodeSpec& node) const {
        const NodeSpec defaults;
        for (const auto& entry : texts_) {
            if (entry.option->count() > 0) {
                node.*entry.field = entry.value.empty() ? defaults.*entry.field : entry.value;
            }
        }
        for (const auto& entry : numbers_) {
            if (entry.option->count() > 0) {
                node.*entry.field = entry.value;
            }
        }
        if (gpus_option_->count() > 0) {
            apply_gpus(node);
        }
    }

private:
    template <typename T>
    struct Entry {
        CLI::Option* option = nullptr;
        T value{};
        T NodeSpec::*field = nullptr;
    };

    void text(CLI::App& command, const char* name, const char* about, std::string NodeSpec::*field) {
        Entry<std::string>& entry = texts_.emplace_back();
        entry.field = field;
        entry.option = command.add_option(name, entry.value, about);
    }
    void number(CLI::App& command, const char* name, const char* about, int NodeSpec::*field, int most) {
        Entry<int>& entry = numbers_.emplace_back();
        entry.field = field;
        entry.option = command.add_option(name, entry.value, about)->check(CLI::Range(1, most));
    }
    void apply_gpus(NodeSpec& node) const {
        node.gpus_auto = gpus_ == "auto" || gpus_.empty();
        node.gpus.clear();
        std::string rest = node.gpus_auto || gpus_ == "none" ? "" : gpus_;
        while (!rest.empty()) {
            const auto comma = std::min(rest.find(','), rest.size());
            const std::string word = rest.substr(0, comma);
            if (word.empty() || word.find_first_not_of("0123456789") != std::string::npos ||
                word.size() > 2) {
                throw CLI::ValidationError("--gpus",
                                           "\"" + gpus_ + "\": give auto, none, or indices such as 0,1");
            }
            node.gpus.push_back(std::stoi(word));
            rest.erase(0, comma + 1);
        }
    }

    std::string name_;
    std::deque<Entry<std::string>> texts_;  // a deque: CLI11 keeps references to the values
    std::deque<Entry<int>> numbers_;
    std::string gpus_;
    CLI::Option* gpus_option_ = nullptr;
};

int add(const GlobalOptions& options, NodeSpec node) {
    // A named file that does not exist is created: `nodes add --cluster new.yaml` starts an inventory.
    auto read = read_inventory(options.inventory_path(), false);
    if (!read.problems.empty()) {
        report(read.problems, options.json);
        return kUsage;
    }
    if (node.host.empty()) {
        node.host = node.name;
    }
    auto problems = check_node(node);
    if (read.inventory.find(node.name) != nullptr) {
        problems.push_back({"bad-field", "name",
                            text(kContext, "\"%1\" is already in the inventory.", {node.name}),
                            text(kContext, "Choose another name, or remove it first."), ""});
    }
    if (!problems.empty()) {
        report(problems, options.json);
        return kUsage;
    }
    read.inventory.nodes.push_back(std::move(node));
    if (auto written = write_inventory(read.inventory, options.inventory_path()); !written) {
        report(written.failure(), options.json);
        return kUsage;
    }
    return kDone;
}

int set(const GlobalOptions& options, const NodeOptions& changed) {
    auto inventory = load_inventory(options);
    if (!inventory) {
        return kUsage;
    }
    const auto node = std::find_if(inventory->nodes.begin(), inventory->nodes.end(),
                                   [&](const NodeSpec& entry) { return entry.name == changed.name(); });
    if (node == inventory->nodes.end()) {
        report(Failure{"unknown-node", inventory->file.string(),
                       text(kContext, "There is no node \"%1\".", {changed.name()}),
                       text(kContext, "`rankscopectl nodes list` shows the names.")},
               options.json);
        return kUsage;
    }
    changed.apply(*node);
    node->host = node->host.empty() ? node->name : node->host;
    if (const auto problems = check_node(*node); !problems.empty()) {
        report(problems, options.json);
        return kUsage;
    }
    if (auto written = write_inventory(*inventory, options.inventory_path()); !written) {
        report(written.failure(), options.json);
        return kUsage;
    }
    return kDone;
}

int remove(const GlobalOptions& options, const std::vector<std::string>& names) {
    auto inventory = load_inventory(options);
    if (!inventory) {
        return kUsage;
    }
    for (const auto& name : names) {
        if (std::erase_if(inventory->nodes, [&](const NodeSpec& node) { return node.name == name; }) == 0) {
            report(Failure{"unknown-node", inventory->file.string(),
                           text(kContext, "There is no node \"%1\"; nothing was removed.", {name}),
                           text(kContext, "`rankscopectl nodes list` shows the names."), ""},
                   options.json);
            return kUsage;
        }
    }
    if (auto written = write_inventory(*inventory, options.inventory_path()); !written) {
        report(written.failure(), options.json);
        return kUsage;
    }
    return kDone;
}

}  // namespace

void add_nodes_commands(CLI::App& app, GlobalOptions& options, int& code) {
    auto* nodes = app.add_subcommand("nodes", "The nodes of the inventory");
    nodes->require_subcommand(1);
    auto* list_command = nodes->add_subcommand("list", "List them");
    auto group = std::make_shared<std::string>();
    list_command->add_option("--group", *group, "Only the nodes of this group");
    list_command->callback([&options, &code, group] { code = list(options, *group); });

    auto* find_command = nodes->add_subcommand(
        "find",
        "List nodes that this computer knows: ssh_config, known_hosts, the local network (avahi-browse)");
    find_command->callback([&options, &code] { code = find(options); });

    auto* show_command = nodes->add_subcommand(
        "show", "Show how Rankscope connects to a node: inventory and ssh_config together");
    auto shown = std::make_shared<std::string>();
    show_command->add_option("name", *shown)->required();
    show_command->callback([&options, &code, shown] { code = show(options, *shown); });

    auto* add_command = nodes->add_subcommand("add", "Add a node");
    auto added = std::make_shared<NodeOptions>(*add_command, "Unique name");
    add_command->callback([&options, &code, added] {
        NodeSpec node;
        node.name = added->name();
        added->apply(node);
        code = add(options, std::move(node));
    });

    auto* set_command =
        nodes->add_subcommand("set", "Change a node: only what is given; \"\" restores the default");
    auto changed = std::make_shared<NodeOptions>(*set_command, "Name, as `nodes list` shows it");
    set_command->callback([&options, &code, changed] { code = set(options, *changed); });

    add_import_command(*nodes, options, code);

    auto* remove_command = nodes->add_subcommand("remove", "Remove nodes (from the inventory only)");
    auto names = std::make_shared<std::vector<std::string>>();
    remove_command->add_option("names", *names)->required();
    remove_command->callback([&options, &code, names] { code = remove(options, *names); });
}

}  // namespace rankscope::ctl
