// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/key_table.h>
#include <base/files.h>
#include <base/paths.h>
#include <base/utf8.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/shared/text.h>
#include <remote/desk/shared/yaml_tree.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <set>
#include <thread>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "Inventory";

bool is_word(const std::string& value) {
    return !value.empty() && std::none_of(value.begin(), value.end(), [](unsigned char c) {
        return std::isspace(c) != 0 || std::iscntrl(c) != 0 || c == '/' || c == '\'' || c == '"';
    });
}

bool is_group_name(const std::string& value) {
    constexpr std::ptrdiff_t kLongest = 64;
    const auto letters =
        std::count_if(value.begin(), value.end(), [](unsigned char c) { return (c & 0xC0U) != 0x80U; });
    const bool blank_edge = !value.empty() && (value.front() == ' ' || value.back() == ' ');
    return !blank_edge && letters <= kLongest && first_bad_byte(value) == std::string::npos &&
           std::none_of(value.begin(), value.end(), [](unsigned char c) { return std::iscntrl(c) != 0; });
}

void read_gpus(const config::KeyReader& reader, NodeSpec& node) {
    if (reader.node.is_scalar() && reader.node.text == "auto") {
        return;
    }
    std::set<int> seen;
    bool fine = reader.node.is_list();
    for (const auto& item : reader.node.items) {
        const auto index = config::to_json(item);
        fine = fine && index.is_number_integer() && index >= 0 && index < 64 &&
               seen.insert(index.get<int>()).second;
        if (fine) {
            node.gpus.push_back(index.get<int>());
        }
    }
    if (!fine) {
        node.gpus.clear();
        reader.add(text(kContext, "neither \"auto\" nor a list of different indices"),
                   text(kContext, "Write gpus: auto, or for example gpus: [0, 1]; gpus: [] for none."));
        return;
    }
    node.gpus_auto = false;
}

const config::KeyTable<NodeSpec>& node_keys() {
    using config::key;
    static const config::KeyTable<NodeSpec> table{
        {},
        {key<NodeSpec>("name", [](auto& node) -> auto& { return node.name; },
                       {.example = "name: node1", .required = true}),
         key<NodeSpec>(
             "host", [](auto& node) -> auto& { return node.host; }),
         key<NodeSpec>("port", [](auto& node) -> auto& { return node.port; }, {.range = {1, 65535}}),
         key<NodeSpec>(
             "user", [](auto& node) -> auto& { return node.user; }),
         key<NodeSpec>(
             "identity_file", [](auto& node) -> auto& { return node.identity_file; }),
         key<NodeSpec>(
             "proxy_jump", [](auto& node) -> auto& { return node.proxy_jump; }),
         key<NodeSpec>(
             "transport", [](auto& node) -> auto& { return node.transport; }),
         config::special_key<NodeSpec>("gpus", {.kind = config::KeyKind::Special}, read_gpus,
                                       [](const NodeSpec& node) -> nlohmann::json { return node.gpus; }),
         key<NodeSpec>("cpu_slots", [](auto& node) -> auto& { return node.cpu_slots; }, {.range = {1, 1024}}),
         key<NodeSpec>(
             "address", [](auto& node) -> auto& { return node.address; }),
         key<NodeSpec>(
             "cache_dir", [](auto& node) -> auto& { return node.cache_dir; }),
         key<NodeSpec>(
             "group", [](auto& node) -> auto& { return node.group; })}};
    return table;
}

NodeSpec read_node(const config::ConfigNode& entry, const std::string& path,
                   config::ConfigProblems& problems) {
    NodeSpec node;
    if (!entry.is_mapping()) {
        problems.push_back({path, text(kContext, "a node is a mapping"),
                            text(kContext, "Write it as - name: node1, with host, user, … below."),
                            entry.line});
        return node;
    }
    config::read_keys(node_keys(), entry, node, problems, {.path = path, .quoted_numbers = true});
    if (node.host.empty()) {
        node.host = node.name;
    }
    for (const auto& failure : check_node(node)) {
        const config::ConfigNode* name = entry.find("name");
        if (failure.key == "name" && (name == nullptr || !name->is_scalar())) {
            continue;  // reported already
        }
        problems.push_back(
            {path + '.' + failure.key, failure.what, failure.remedy, config::line_of(entry, failure.key)});
    }
    return node;
}

void read_nodes(const config::ConfigNode& root, Inventory& inventory, config::ConfigProblems& problems) {
    if (!root.is_mapping()) {
        problems.push_back({"", text(kContext, "the file must hold a mapping"),
                            text(kContext, "Begin it with nodes: and list the nodes below."), root.line});
        return;
    }
    struct File {
        std::vector<NodeSpec> nodes;
    };
    const auto read = [&](const config::KeyReader& reader, File& file) {
        if (!reader.node.is_list()) {
            reader.add(text(kContext, "must be a list"),
                       text(kContext, "Begin each node with \"- name: …\"."));
        }
        std::set<std::string> names;
        for (const auto& item : reader.node.items) {
            const std::string path = "nodes[" + std::to_string(file.nodes.size()) + "]";
            NodeSpec node = read_node(item, path, problems);
            if (!node.name.empty() && !names.insert(node.name).second) {
                problems.push_back({path + ".name", text(kContext, "\"%1\" is there twice", {node.name}),
                                    text(kContext, "Names of nodes must differ."), item.line});
            }
            file.nodes.push_back(std::move(node));
        }
    };
    const config::KeyTable<File> table{
        {},
        {config::special_key<File>("nodes", {.kind = config::KeyKind::Special}, read,
                                   [](const File&) -> nlohmann::json { return nullptr; })}};
    File file;
    config::read_keys(table, root, file, problems);
    inventory.nodes = std::move(file.nodes);
}

void quoted(std::string& yaml, const char* key, const std::string& value) {
    if (value.empty()) {
        return;
    }
    // Plain where no reader could take it for something else; JSON's quoted form is YAML's as well.
    const bool plain = std::all_of(value.begin(), value.end(),
                                   [](unsigned char c) {
                                       return std::isalnum(c) != 0 ||
                                              std::string_view("._/@+-~").find(static_cast<char>(c)) !=
                                                  std::string_view::npos;
                                   }) &&
                       value.front() != '-' && value.front() != '@' && value != "~" && value != "null" &&
                       value != "Null" && value != "NULL";
    yaml += std::string("    ") + key + ": " + (plain ? value : nlohmann::json(value).dump()) + '\n';
}

}  // namespace

const NodeSpec* Inventory::find(const std::string& name) const {
    const auto it =
        std::find_if(nodes.begin(), nodes.end(), [&](const NodeSpec& node) { return node.name == name; });
    return it == nodes.end() ? nullptr : &*it;
}

std::vector<std::string> Inventory::groups() const {
    std::set<std::string> names;
    for (const NodeSpec& node : nodes) {
        if (!node.group.empty()) {
            names.insert(node.group);
        }
    }
    return {names.begin(), names.end()};
}

NodeSpec local_node() {
    NodeSpec node;
    node.name = kLocalNodeName;
    node.host = kLocalNodeName;
    node.local = true;
    // One thread a rank: more ranks than cores only take turns, and four show all there is to see.
    node.cpu_slots = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 4U));
    return node;
}

std::filesystem::path default_inventory_path() {
    return user_config_dir() / "cluster.yaml";
}

std::vector<Failure> check_node(const NodeSpec& node) {
    std::vector<Failure> problems;
    const auto add = [&](const char* field, std::string what, std::string remedy) {
        problems.push_back(
            {.code = "bad-field", .what = std::move(what), .remedy = std::move(remedy), .key = field});
    };
    if (!is_word(node.name) || node.name.front() == '-') {  // commands take it as a word
        add("name",
            text(kContext, "a node needs a name without blanks, quotes or '/', and no '-' at its begin"),
            text(kContext, "For example node1."));
    } else if (node.name == kLocalNodeName && !node.local) {
        add("name", text(kContext, "\"local\" always means this computer"),
            text(kContext, "Choose another name."));
    } else if (node.name == "all") {
        add("name", text(kContext, "\"all\" means every node in a job file"),
            text(kContext, "Choose another name."));
    }
    if (!node.host.empty() && (!is_word(node.host) || node.host.front() == '-')) {
        add("host", text(kContext, "\"%1\" is not a host name or address", {node.host}),
            text(kContext, "For example 10.0.0.11, gpu1.example.org, or a Host of your ssh_config."));
    }
    if (!node.user.empty() && (!is_word(node.user) || node.user.front() == '-')) {
        add("user", text(kContext, "\"%1\" is not a user name", {node.user}),
            text(kContext, "For example trainer."));
    }
    if (node.port < 0 || node.port > 65535) {
        add("port", text(kContext, "%1 is not a port", {std::to_string(node.port)}),
            text(kContext, "Give a number from 1 to 65535; SSH's own is 22."));
    }
    if (!node.proxy_jump.empty() &&
        (node.proxy_jump.front() == '-' ||
         std::any_of(node.proxy_jump.begin(), node.proxy_jump.end(),
                     [](unsigned char c) { return std::isspace(c) != 0 || std::iscntrl(c) != 0; }))) {
        add("proxy_jump", text(kContext, "\"%1\" is not a jump host", {node.proxy_jump}),
            text(kContext, "For example login, or me@login:2222,inner for two of them."));
    }
    if (!node.transport.empty() && node.transport != "auto" && node.transport != "libssh" &&
        node.transport != "openssh") {
        add("transport", text(kContext, "\"%1\" is no way to connect", {node.transport}),
            text(kContext, "Give auto, libssh or openssh."));
    }
    const auto control = [](unsigned char c) { return std::iscntrl(c) != 0 || c == '!'; };
    if (std::any_of(node.cache_dir.begin(), node.cache_dir.end(), control)) {
        // It becomes part of a line for whatever login shell the node has; csh takes '!' even in quotes.
        add("cache_dir", text(kContext, "holds a '!' or a control character"),
            text(kContext, "Choose another folder."));
    } else if (!node.cache_dir.empty() && node.cache_dir.front() != '/' &&
               !node.cache_dir.starts_with("~/")) {
        add("cache_dir", text(kContext, "\"%1\" is not an absolute folder", {node.cache_dir}),
            text(kContext, "Begin it with / or ~/."));
    }
    if (!is_group_name(node.group)) {
        add("group", text(kContext, "is not a name of a group"),
            text(kContext, "Give up to 64 letters without line breaks, for example rack 2."));
    }
    return problems;
}

InventoryRead parse_inventory(const std::string& yaml, const std::filesystem::path& file) {
    InventoryRead read;
    read.inventory.file = file;
    config::ConfigProblems problems;
    const auto root = read_yaml(yaml, problems);
    if (root && root->kind != config::ConfigNode::Kind::Null) {
        read_nodes(*root, read.inventory, problems);
    }
    read.problems = failures_of(problems, file);
    return read;
}

InventoryRead read_inventory(const std::filesystem::path& file, bool must_exist) {
    const auto content = read_file(file);
    if (content) {
        return parse_inventory(*content, file);
    }
    InventoryRead read;
    read.inventory.file = file;
    if (must_exist || errno != ENOENT) {
        read.problems.push_back({"bad-file", file.string(),
                                 text(kContext, "The inventory cannot be read: %1.", {std::strerror(errno)}),
                                 text(kContext, "Check the path given with --cluster."), ""});
    }
    return read;
}

std::string to_yaml(const Inventory& inventory) {
    std::string yaml = "nodes:\n";
    for (const auto& node : inventory.nodes) {
        if (node.local) {
            continue;
        }
        std::string block;
        quoted(block, "name", node.name);
        block.replace(0, 4, "  - ");
        if (node.host != node.name) {
            quoted(block, "host", node.host);
        }
        if (node.port != 0) {
            block += "    port: " + std::to_string(node.port) + '\n';
        }
        quoted(block, "user", node.user);
        quoted(block, "identity_file", node.identity_file);
        quoted(block, "proxy_jump", node.proxy_jump);
        quoted(block, "transport", node.transport);
        if (!node.gpus_auto) {
            block += "    gpus: [";
            for (std::size_t i = 0; i < node.gpus.size(); ++i) {
                block += (i > 0 ? ", " : "") + std::to_string(node.gpus[i]);
            }
            block += "]\n";
        }
        if (node.cpu_slots != 0) {
            block += "    cpu_slots: " + std::to_string(node.cpu_slots) + '\n';
        }
        quoted(block, "address", node.address);
        quoted(block, "cache_dir", node.cache_dir);
        quoted(block, "group", node.group);
        yaml += block;
    }
    return inventory.nodes.empty() ? "nodes: []\n" : yaml;
}

Result<void> write_inventory(const Inventory& inventory, const std::filesystem::path& file) {
    if (const int error = write_file_atomically(file, to_yaml(inventory)); error != 0) {
        return Failure{
            "cannot-write", file.string(),
            text(kContext, "The inventory cannot be written: %1.", {std::strerror(error)}),
            text(kContext, "Check the folder's permissions and free space; the old file is unchanged."), ""};
    }
    return {};
}

}  // namespace rankscope::inline nodes
