// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/paths.h>
#include <base/text.h>
#include <remote/desk/nodes/inventory/node_import.h>
#include <remote/desk/shared/text.h>

#include <arpa/inet.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "NodeImport";
constexpr std::size_t kLongestLine = 4096;
constexpr std::size_t kMostNames = 10000;
constexpr int kDeepestInclude = 16;  // ssh's own limit

std::vector<std::string> words_of(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

std::optional<int> number(std::string_view text, int least, int most) {
    const auto value = parse_number<int>(text);
    return value && *value >= least && *value <= most ? value : std::nullopt;
}

bool is_address(const std::string& word) {
    std::array<unsigned char, sizeof(in6_addr)> ignored{};
    return ::inet_pton(AF_INET, word.c_str(), ignored.data()) == 1 ||
           ::inet_pton(AF_INET6, word.substr(0, word.find('%')).c_str(), ignored.data()) == 1;
}

// What every /etc/hosts has of this computer itself and of no machine at all.
bool is_own_address(const std::string& address) {
    return address.starts_with("127.") || address == "::1" || address == "0.0.0.0" ||
           address == "255.255.255.255" || lower_case(address).starts_with("ff0") ||
           lower_case(address).starts_with("fe00:");
}

class Importer {
public:
    Importer(std::string name, const Inventory& inventory) : name_(std::move(name)) {
        for (const auto& node : inventory.nodes) {
            known_.insert(node.name);
        }
    }

    void ssh_config(const std::string& text, const std::string& name, int depth);
    void host_list(const std::string& text);
    void hostfile(const std::string& text);

    NodeImport result;

private:
    void problem(const std::string& where, std::string what, std::string remedy) {
        result.problems.push_back({"bad-line", where, std::move(what), std::move(remedy), ""});
    }
    void add(NodeSpec node, const std::string& where, std::string note = {});
    void left_out(const std::string& what, const std::string& where, std::string note);
    void host_line(const std::vector<std::string>& words, const std::string& where);
    bool destination(std::string word, NodeSpec& node, const std::string& where);
    void include(const std::string& pattern, const std::string& where, int depth);
    bool attribute(const std::string& word, NodeSpec& node, std::string& note, const std::string& where);

    template <typename Take>
    void each_line(const std::string& text, const std::string& name, Take take) {
        std::istringstream lines(text);
        int count = 0;
        for (std::string line; std::getline(lines, line);) {
            const std::string where = name + ':' + std::to_string(++count);
            if (line.size() > kLongestLine || line.find('\0') != std::string::npos) {
                problem(where, tr("is no line of text"), tr("Is this the right file?"));
                continue;
            }
            if (count == 1 && line.starts_with("\xEF\xBB\xBF")) {
                line.erase(0, 3);
            }
            take(line, where);
        }
    }
    static std::string tr(const char* source, std::initializer_list<std::string> arguments = {}) {
        return text(kContext, source, arguments);
    }

    std::string name_;
    std::set<std::string> known_;
    std::map<std::string, std::string> seen_;  ///< name → where
    std::set<std::string> included_;
};

void Importer::add(NodeSpec node, const std::string& where, std::string note) {
    if (node.host.empty()) {
        node.host = node.name;
    }
    for (const auto& fault : check_node(node)) {
        problem(where, statement(fault), fault.remedy);
        return;
    }
    ImportedNode imported{std::move(node), where, true, std::move(note)};
    if (known_.contains(imported.node.name)) {
        imported.taken = false;
        imported.note = tr("\"%1\" is in the inventory already", {imported.node.name});
    } else if (const auto [at, fresh] = seen_.emplace(imported.node.name, where); !fresh) {
        imported.taken = false;
        imported.note = tr("\"%1\" came in %2 already", {imported.node.name, at->second});
    }
    result.nodes.push_back(std::move(imported));
}

void Importer::left_out(const std::string& what, const std::string& where, std::string note) {
    NodeSpec node;
    node.name = node.host = what;
    result.nodes.push_back({std::move(node), where, false, std::move(note)});
}

void Importer::ssh_config(const std::string& text, const std::string& name, int depth) {
    std::vector<std::string> aliases;  // of a Host line
    std::string block_where;
    bool is_one_machine = false;
    const auto add_block = [&] {
        // Names with one HostName are one machine: a node has one of them, and rather a name than an address.
        const auto named = std::find_if_not(aliases.begin(), aliases.end(), is_address);
        const std::string first = named != aliases.end() ? *named : aliases.empty() ? "" : aliases.front();
        for (const auto& alias : std::exchange(aliases, {})) {
            if (is_one_machine && alias != first) {
                seen_.emplace(alias, block_where);
                left_out(alias, block_where, tr("the same node as %1", {first}));
                continue;
            }
            NodeSpec node;
            node.name = alias;
            add(std::move(node), block_where);
        }
        is_one_machine = false;
    };
    each_line(text, name, [&](const std::string& line, const std::string& where) {
        std::string plain = line;
        const auto key_end = plain.find_first_of(" \t=", plain.find_first_not_of(" \t"));
        if (key_end != std::string::npos && plain[key_end] == '=') {
            plain[key_end] = ' ';
        }
        const auto words = words_of(plain);
        if (words.size() < 2 || words[0][0] == '#') {
            return;
        }
        const std::string key = lower_case(words[0]);
        if (key == "hostname" && words[1].find('%') == std::string::npos) {
            is_one_machine = true;
        }
        if (key == "host" || key == "match" || key == "include") {
            add_block();
        }
        if (key == "include") {
            for (std::size_t i = 1; i < words.size(); ++i) {
                include(words[i], where, depth);
            }
        }
        if (key != "host") {
            return;  // ssh reads it whenever the alias is connected to
        }
        block_where = where;
        for (std::size_t i = 1; i < words.size() && words[i][0] != '#'; ++i) {
            std::string alias = words[i];
            std::erase(alias, '"');
            if (alias.find_first_of("*?") != std::string::npos || alias.starts_with('!')) {
                left_out(alias, where,
                         tr("a pattern, not a node; add each by its name: rankscopectl nodes add NAME"));
            } else {
                aliases.push_back(alias);
            }
        }
    });
    add_block();
}

void Importer::include(const std::string& pattern, const std::string& where, int depth) {
    const std::string path = pattern[0] == '/' || pattern[0] == '~'
                                 ? expand_home(pattern).string()
                                 : (home_dir() / ".ssh" / pattern).string();
    if (depth >= kDeepestInclude) {
        problem(where, tr("Include goes too deep"), tr("Does a file include itself?"));
        return;
    }
    glob_t found{};
    if (::glob(path.c_str(), 0, nullptr, &found) == 0) {
        for (std::size_t i = 0; i < found.gl_pathc; ++i) {
            const std::string file = found.gl_pathv[i];
            std::error_code error;  // a device would never end
            const auto content =
                std::filesystem::is_regular_file(file, error) ? read_file(file) : std::nullopt;
            if (!content) {
                problem(where, tr("%1 cannot be read", {file}), tr("Check its permissions."));
            } else if (included_.insert(file).second) {
                ssh_config(*content, file, depth + 1);
            }
        }
    }
    ::globfree(&found);  // a pattern without files is none of ssh's faults either
}

// "me@host:2222", "ssh://me@host:2222", "[::1]:22", "host", an address.
bool Importer::destination(std::string word, NodeSpec& node, const std::string& where) {
    const std::string whole = word;
    if (word.starts_with("ssh://")) {
        word.erase(0, 6);
    }
    if (const auto at = word.rfind('@'); at != std::string::npos) {
        node.user = word.substr(0, at);
        word.erase(0, at + 1);
        if (node.user.empty()) {
            problem(where, tr("\"%1\" has no user before the @", {whole}), tr("Write user@host, or host."));
            return false;
        }
    }
    std::string port;
    if (word.starts_with('[')) {
        const auto close = word.find(']');
        if (close != std::string::npos && (close + 1 == word.size() || word[close + 1] == ':')) {
            port = close + 1 == word.size() ? "" : word.substr(close + 2);
            word = word.substr(1, close - 1);
        }
    } else if (std::count(word.begin(), word.end(), ':') == 1) {
        const auto colon = word.find(':');
        port = word.substr(colon + 1);
        word.erase(colon);
        if (port.empty()) {
            port = "?";
        }
    }
    if (!port.empty()) {
        const auto value = number(port, 1, 65535);
        constexpr int kMostRanks = 128;
        if (value && node.user.empty() && *value <= kMostRanks &&
            *value != 22) {  // MPICH's "node:4": no sshd listens there
            node.cpu_slots = *value;
            node.host = word;
            return true;
        }
        if (!value) {
            problem(where, tr("\"%1\" does not end in a port", {whole}),
                    tr("Write host:22; SSH's own port is 22."));
            return false;
        }
        node.port = *value;
    }
    node.host = word;
    return true;
}

// One machine: "host", "name address", "address name alias…", "user@host:port", "ssh -p 2222 user@host".
void Importer::host_line(const std::vector<std::string>& words, const std::string& where) {
    std::vector<std::string> rest = words;
    NodeSpec node;
    if (rest[0] == "ssh" && rest.size() > 1) {
        rest.erase(rest.begin());
        while (rest.size() > 2 && rest[0].size() == 2 && rest[0][0] == '-') {
            const char flag = rest[0][1];
            if (flag == 'p') {
                const auto port = number(rest[1], 1, 65535);
                if (!port) {
                    problem(where, tr("\"%1\" is no port", {rest[1]}), tr("SSH's own port is 22."));
                    return;
                }
                node.port = *port;
            } else if (flag == 'l') {
                node.user = rest[1];
            } else if (flag == 'i') {
                node.identity_file = rest[1];
            } else if (flag == 'J') {
                node.proxy_jump = rest[1];
            } else {
                break;
            }
            rest.erase(rest.begin(), rest.begin() + 2);
        }
    }
    if (is_address(rest[0]) && rest.size() > 1) {  // /etc/hosts
        if (is_own_address(rest[0])) {
            left_out(rest[1], where, tr("this computer itself, or no node"));
            return;
        }
        node.host = rest[0];
        node.name = rest[1];
        add(std::move(node), where);
        return;
    }
    const bool pair = rest.size() == 2 && rest[0].find_first_of("@:") == std::string::npos;
    if (rest.size() > 2 || (rest.size() == 2 && !pair)) {
        problem(where, tr("\"%1\" is more than a name and an address", {rest[0] + ' ' + rest[1]}),
                tr("One node a line: name, address, name and address, or user@host:port."));
        return;
    }
    if (!destination(pair ? rest[1] : rest[0], node, where)) {
        return;
    }
    for (const auto& host : expand_host_range(pair ? rest[0] : node.host)) {
        NodeSpec one = node;
        one.name = host;
        // An IPv6 address makes no name that file names and shells like.
        std::replace(one.name.begin(), one.name.end(), ':', '-');
        if (!pair) {
            one.host = host;
        }
        add(std::move(one), where);
        if (pair && host != rest[0]) {
            problem(where, tr("\"%1\" names several nodes with one address", {rest[0]}),
                    tr("Leave the address out, or write a line for each."));
            return;
        }
    }
    if (expand_host_range(pair ? rest[0] : node.host).empty()) {
        problem(where, tr("\"%1\" is no range of names", {pair ? rest[0] : node.host}),
                tr("For example node[01-16]."));
    }
}

void Importer::host_list(const std::string& text) {
    each_line(text, name_, [&](const std::string& line, const std::string& where) {
        std::string plain = line.substr(0, line.find('#'));
        // A pasted list may have its names in one line; commas within brackets belong to a range.
        int depth = 0;
        bool commas = false;
        for (char& c : plain) {
            depth += c == '[' ? 1 : (c == ']' ? -1 : 0);
            if ((c == ',' || c == ';') && depth <= 0) {
                c = '\n';
                commas = true;
            }
        }
        const auto words = words_of(plain);
        if (words.empty()) {
            return;
        }
        if (!commas) {
            host_line(words, where);
            return;
        }
        std::istringstream parts(plain);
        for (std::string part; std::getline(parts, part);) {
            if (const auto of_part = words_of(part); !of_part.empty()) {
                host_line(of_part, where);
            }
        }
    });
}

// "slots=4" (DeepSpeed, Open MPI), "ansible_host=10.0.0.1" (Ansible). false: a problem has been said.
bool Importer::attribute(const std::string& word, NodeSpec& node, std::string& note,
                         const std::string& where) {
    const auto equals = word.find('=');
    std::string key = lower_case(word.substr(0, equals));
    std::replace(key.begin(), key.end(), '-', '_');
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    const bool is_slots =
        key == "slots" || key == "slot" || key == "max_slots" || key == "cpu" || key == "np";
    if (is_slots) {
        const auto slots = number(value, 1, 1024);
        if (!slots) {
            problem(where, tr("\"%1\" is not a number of ranks", {word}),
                    tr("For example worker-1 slots=4, with N from 1 to 1024."));
            return false;
        }
        if (key == "max_slots" && node.cpu_slots > 0) {
            return true;  // the most that a user may ask for, not what is meant
        }
        node.cpu_slots = *slots;
        note = tr("%1: ranks where there is no GPU; GPUs are found by probing", {word});
        return true;
    }
    if (key == "ansible_host" || key == "ansible_ssh_host") {
        node.host = value;
    } else if (key == "ansible_user" || key == "ansible_ssh_user") {
        node.user = value;
    } else if (key == "ansible_ssh_private_key_file") {
        node.identity_file = value;
    } else if (key == "ansible_port" || key == "ansible_ssh_port") {
        const auto port = number(value, 1, 65535);
        if (!port) {
            problem(where, tr("\"%1\" is no port", {value}), tr("SSH's own port is 22."));
            return false;
        }
        node.port = *port;
    } else if (equals == std::string::npos) {
        problem(where, tr("\"%1\" is neither a name nor NAME=VALUE", {word}),
                tr("One node a line, for example: worker-1 slots=4."));
        return false;
    } else if (!key.starts_with("ansible_")) {
        note += (note.empty() ? "" : "; ") + tr("%1 is left out", {word});
    }
    return true;
}

// A machine a line, with its attributes; "[gpu]" begins a group, as Ansible has them.
void Importer::hostfile(const std::string& text) {
    std::string group;
    bool skips = false;
    each_line(text, name_, [&](const std::string& line, const std::string& where) {
        const auto words = words_of(line.substr(0, line.find_first_of("#;")));
        if (words.empty()) {
            return;
        }
        if (words.size() == 1 && words[0].starts_with('[') && words[0].ends_with(']')) {
            group = words[0].substr(1, words[0].size() - 2);
            skips = group.find(':') != std::string::npos;  // "[all:vars]" says nothing of one machine
            return;
        }
        if (skips) {
            return;
        }
        NodeSpec node;
        std::string note;
        if (!destination(words[0], node, where)) {
            return;
        }
        const std::string range = node.host;
        for (std::size_t i = 1; i < words.size(); ++i) {
            if (!attribute(words[i], node, note, where)) {
                return;
            }
        }
        node.group = group == "all" || group == "ungrouped" ? "" : group;
        const auto names = expand_host_range(range);
        if (names.empty()) {
            problem(where, tr("\"%1\" is no range of names", {range}), tr("For example node[01-16]."));
        }
        for (const auto& one_name : names) {
            NodeSpec one = node;
            one.name = one_name;
            one.host = node.host == range ? one_name : node.host;
            add(std::move(one), where, note);
        }
    });
}

bool is_said_of_a_machine(const std::string& word) {
    const std::string key = lower_case(word.substr(0, word.find('=')));
    return word.find('=') != std::string::npos && (key == "slots" || key == "slot" || key == "max_slots" ||
                                                   key == "max-slots" || key.starts_with("ansible_"));
}

ImportFormat format_of(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const auto words = words_of(line);
        if (words.empty() || words[0][0] == '#') {
            continue;
        }
        const std::string key = lower_case(words[0].substr(0, words[0].find('=')));
        if ((key == "host" || key == "match" || key == "include") && (words.size() > 1 || key != words[0])) {
            return ImportFormat::SshConfig;
        }
        const bool is_group = words.size() == 1 && words[0].starts_with('[') && words[0].ends_with(']') &&
                              words[0].find_first_of("0123456789") != 1;
        if (is_group || std::any_of(words.begin() + 1, words.end(), is_said_of_a_machine)) {
            return ImportFormat::DeepSpeed;
        }
    }
    return ImportFormat::HostList;
}

}  // namespace

std::vector<NodeSpec> NodeImport::taken() const {
    std::vector<NodeSpec> list;
    for (const auto& imported : nodes) {
        if (imported.taken) {
            list.push_back(imported.node);
        }
    }
    return list;
}

std::vector<std::string> expand_host_range(const std::string& word) {
    const auto open = word.find('[');
    if (open == std::string::npos) {
        return {word};
    }
    const auto close = word.find(']', open);
    if (close == std::string::npos || word.find('[', open + 1) != std::string::npos) {
        return {};
    }
    std::vector<std::string> names;
    std::istringstream parts(word.substr(open + 1, close - open - 1));
    for (std::string part; std::getline(parts, part, ',');) {
        const auto dash = part.find('-');
        const std::string first = part.substr(0, dash);
        const std::string last = dash == std::string::npos ? first : part.substr(dash + 1);
        const auto from = number(first, 0, 99999999);
        const auto to = number(last, 0, 99999999);
        if (!from || !to || *from > *to ||
            static_cast<std::size_t>(*to - *from) + names.size() >= kMostNames) {
            return {};
        }
        for (int i = *from; i <= *to; ++i) {
            std::string digits = std::to_string(i);
            if (digits.size() < first.size()) {
                digits.insert(0, first.size() - digits.size(), '0');
            }
            names.push_back(word.substr(0, open) + digits + word.substr(close + 1));
        }
    }
    return names;
}

NodeImport import_nodes(const std::string& text, const std::string& name, ImportFormat format,
                        const Inventory& inventory) {
    Importer importer(name, inventory);
    importer.result.format = format == ImportFormat::Auto ? format_of(text) : format;
    switch (importer.result.format) {
        case ImportFormat::SshConfig:
            importer.ssh_config(text, name, 0);
            break;
        case ImportFormat::DeepSpeed:
            importer.hostfile(text);
            break;
        default:
            importer.host_list(text);
    }
    return std::move(importer.result);
}

}  // namespace rankscope::inline nodes
