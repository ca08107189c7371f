// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/command_parts.h>
#include <base/text.h>
#include <remote/desk/runs/preflight/hosts_line.h>
#include <remote/desk/runs/preflight/interface_checks.h>
#include <remote/desk/runs/preflight/name_checks.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <map>
#include <optional>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Preflight";

// nullptr: not asked for, or the answer came too late to say anything.
const wire::ResolvedName* resolved(const NodeView& view, const std::string& name) {
    for (const auto& entry : view.host.names()) {
        if (entry.name() == name) {
            const bool answered = entry.error() != "late" && entry.error() != "not-asked";
            return answered ? &entry : nullptr;
        }
    }
    return nullptr;
}

std::string list(const wire::ResolvedName& name) {
    std::string all;
    for (const auto& address : name.addresses()) {
        all += (all.empty() ? "" : " ") + address;
    }
    return all;
}

bool is_same_name(const std::string& left, const std::string& right) {
    return !left.empty() && lower_case(left) == lower_case(right);
}

// The name itself, or one of both without its domain.
bool is_name_of(const std::string& name, const std::string& listed) {
    if (listed.empty() || is_numeric(listed)) {
        return false;
    }
    const bool short_name = name.find('.') == std::string::npos || listed.find('.') == std::string::npos;
    return is_same_name(name, listed) ||
           (short_name && is_same_name(name.substr(0, name.find('.')), listed.substr(0, listed.find('.'))));
}

class Names {
public:
    Names(const std::vector<NodeView>& views, std::size_t master, const std::string& master_address)
        : views_(views), master_(master), master_name_(is_numeric(master_address) ? "" : master_address) {}

    std::vector<Check> take() {
        same_names();
        for (const auto& view : views_) {
            own_name(view);
        }
        if (views_.size() > 1) {
            for (const auto& view : views_) {
                for (std::size_t i = 0; i < views_.size(); ++i) {
                    if (views_[i].name != view.name) {
                        peer(view, i);
                    }
                }
            }
        }
        std::vector<Check> checks;
        for (auto& [id, check] : found_) {
            checks.push_back(std::move(check));
        }
        if (checks.empty()) {
            Check fine;
            fine.id = "master-unresolvable";
            fine.detail = text(kContext, "Every name leads to the right node.");
            checks.push_back(std::move(fine));
        }
        return checks;
    }

private:
    Check& add(FailureId id, const NodeView& view, CheckStatus status, const std::string& detail) {
        Check& check = found_[id];
        if (check.nodes.empty()) {
            check.id = id;
            check.status = status;
            check.detail = detail;
        } else {
            check.status = check.status == CheckStatus::Fail ? check.status : status;
        }
        if (std::find(check.nodes.begin(), check.nodes.end(), view.name) == check.nodes.end()) {
            check.nodes.push_back(view.name);
        }
        check.evidence.push_back(detail);
        return check;
    }

    // ---- whose a name is ----

    static bool same_machine(const NodeView& left, const NodeView& right) {
        return &left == &right || left.name == right.name ||
               (!left.host.machine_id().empty() && left.host.machine_id() == right.host.machine_id());
    }

    // The user's own word: the inventory has the name for this node.
    static bool is_listed(const NodeView& node, const std::string& name) {
        return is_name_of(name, node.name) || is_name_of(name, node.listed_host) ||
               is_name_of(name, node.address);
    }

    // Whether another node reports the name as well, or the inventory has it for another one.
    bool is_contested(const NodeView& node, const std::string& name) const {
        return std::any_of(views_.begin(), views_.end(), [&](const NodeView& other) {
            return !same_machine(other, node) &&
                   (is_same_name(other.host.hostname(), name) || is_same_name(other.name, name) ||
                    is_same_name(other.listed_host, name) || is_same_name(other.address, name));
        });
    }

    // The node whose own address it is, and no other one's.
    const NodeView* owner_of(const std::string& address) const {
        if (is_loopback(address) || is_link_local(address) || is_shared_address(views_, address)) {
            return nullptr;
        }
        const auto owner = std::find_if(views_.begin(), views_.end(), [&](const NodeView& view) {
            return interface_of(view, address) != nullptr || view.reached_at == address;
        });
        return owner == views_.end() ? nullptr : &*owner;
    }

    // Lets the name of `owner` lead to it on `view`, and says why that is right. Not where there are two readings: a
    // name that a node made up for itself is not given to it on the other nodes.
    void repair(Check& check, const NodeView& view, const NodeView& owner, const std::string& name) const {
        const auto address = own_address(owner);
        if (!address) {
            return;
        }
        if (!HostName::of(name)) {
            say(check, text(kContext,
                            "%1 reports the host name \"%2\", which has characters or a meaning that no host "
                            "name of a "
                            "node has: there is no fix for it.",
                            {owner.name, name}));
            return;
        }
        const bool here = same_machine(view, owner);
        if (is_contested(owner, name)) {
            say(check,
                text(kContext, "More than one node has the name \"%1\": there is no fix for it.", {name}));
            return;
        }
        if (!here && !is_listed(owner, name)) {
            say(check, text(kContext,
                            "\"%1\" is only what %2 calls itself, the inventory does not have it: there is "
                            "no fix for it.",
                            {name, owner.name}));
            return;
        }
        const auto fix = hosts_line(view.name, *address, name);
        if (!fix || std::find(check.fixes.begin(), check.fixes.end(), *fix) != check.fixes.end()) {
            return;
        }
        check.fixes.push_back(*fix);
        say(check,
            here
                ? text(
                      kContext,
                      "The fix puts \"%1 %2\" first in /etc/hosts of %3: it is its own name and address, and "
                      "no other node has the name.",
                      {*address, name, view.name})
                : text(kContext,
                       "The fix puts \"%1 %2\" first in /etc/hosts of %3: the inventory has the name for %4, "
                       "and no other node has it.",
                       {*address, name, view.name, owner.name}));
    }

    static void say(Check& check, const std::string& sentence) {
        if (std::find(check.evidence.begin(), check.evidence.end(), sentence) == check.evidence.end()) {
            check.evidence.push_back(sentence);
        }
    }

    // Two nodes that report one name. Who of them has to change is what the other nodes and the inventory say.
    void same_names() {
        std::map<std::string, std::vector<const NodeView*>> reported;
        for (const auto& view : views_) {
            auto& nodes = reported[lower_case(view.host.hostname())];
            if (!view.host.hostname().empty() &&
                std::none_of(nodes.begin(), nodes.end(),
                             [&](const NodeView* other) { return same_machine(*other, view); })) {
                nodes.push_back(&view);
            }
        }
        for (auto& [name, nodes] : reported) {
            if (nodes.size() > 1) {
                same_name(nodes);
            }
        }
    }

    void same_name(std::vector<const NodeView*> nodes) {
        const std::string name = nodes.front()->host.hostname();
        std::stable_partition(nodes.begin(), nodes.end(),
                              [&](const NodeView* node) { return !is_listed(*node, name); });
        std::vector<std::string> names;
        for (const auto* node : nodes) {
            names.push_back(node->name);
        }
        const std::string detail = text(
            kContext, "%1 report the same host name, \"%2\": NCCL and rendezvous can take them for one node.",
            {joined(names), name});
        for (const auto* node : nodes) {
            add("same-hostname", *node, CheckStatus::Warn, detail);
        }
        Check& check = found_.at("same-hostname");
        for (const auto& view : views_) {
            const auto* entry = resolved(view, name);
            const auto* owner =
                entry == nullptr || entry->addresses().empty() ? nullptr : owner_of(entry->addresses(0));
            if (owner != nullptr && owner->name != view.name) {
                say(check, text(kContext, "On %1 \"%2\" leads to %3 (%4).",
                                {view.name, name, owner->name, entry->addresses(0)}));
            }
        }
        // Where the inventory has the name for one of them, the others have taken it.
        const bool known = is_listed(*nodes.back(), name) && !is_listed(*nodes.front(), name);
        check.remedy =
            known ? text(kContext,
                         "Give %1 its own name there: `sudo hostnamectl set-hostname NAME`. \"%2\" is %3.",
                         {nodes.front()->name, name, nodes.back()->name})
                  : text(kContext,
                         "Give each of them its own name there: `sudo hostnamectl set-hostname NAME`.");
    }

    void own_name(const NodeView& view) {
        const auto* own = resolved(view, view.host.hostname());
        if (own == nullptr || views_.size() < 2) {
            return;
        }
        const std::string& name = own->name();
        const auto warn = [&](FailureId id, const std::string& detail) {
            repair(add(id, view, CheckStatus::Warn, detail), view, view, name);
        };
        if (own->addresses().empty()) {
            return warn(
                "hostname-unresolvable",
                text(kContext,
                     "%1 cannot resolve its own name \"%2\": programs that look it up advertise 127.0.0.1.",
                     {view.name, name}));
        }
        const std::string& first = own->addresses(0);
        const NodeView* owner = owner_of(first);
        if (is_loopback(first)) {
            warn("loopback-hostname",
                 text(kContext,
                      "%1 resolves its own name \"%2\" to %3. Gloo without an interface, and torchrun's c10d "
                      "rendezvous, advertise that address to the other nodes.",
                      {view.name, name, first}));
        } else if (is_shared_address(views_, first)) {
            warn(
                "docker0-chosen",
                text(kContext,
                     "%1 resolves its own name \"%2\" to %3, an address of a bridge that several nodes have.",
                     {view.name, name, first}));
        } else if (is_link_local(first)) {
            warn("ipv6-link-local",
                 text(kContext, "%1 resolves its own name \"%2\" to the link-local address %3.",
                      {view.name, name, first}));
        } else if (owner != nullptr && !same_machine(*owner, view) && interface_of(view, first) == nullptr) {
            if (is_contested(view, name)) {
                return;  // same-hostname says it
            }
            warn("hostname-taken", text(kContext,
                                        "%1 resolves its own name \"%2\" to %3, which is %4: torchrun's c10d "
                                        "rendezvous goes there.",
                                        {view.name, name, first, owner->name}));
        }
    }

    // What `view` makes of the names of another node.
    void peer(const NodeView& view, std::size_t index) {
        const NodeView& target = views_[index];
        std::vector<std::string> names{target.host.hostname()};
        if (index == master_ && !master_name_.empty()) {
            names.push_back(master_name_);
        }
        if (!is_numeric(target.address) && target.address != master_name_) {
            names.push_back(target.address);
        }
        for (const auto& name : names) {
            const auto* entry = name.empty() ? nullptr : resolved(view, name);
            const bool used = name == target.address || (index == master_ && name == master_name_);
            // What two nodes call themselves leads to one of them: that is no fault of its address.
            if (entry != nullptr && (used || !is_contested(target, name))) {
                judge(view, target, *entry, used);
            } else if (entry != nullptr) {
                taken(view, target, *entry);
            }
        }
    }

    // A node that calls itself as another one is called in the inventory, which does not report the name itself.
    void taken(const NodeView& view, const NodeView& target, const wire::ResolvedName& name) {
        const NodeView* owner = name.addresses().empty() ? nullptr : owner_of(name.addresses(0));
        if (owner == nullptr || same_machine(*owner, target) ||
            is_same_name(owner->host.hostname(), name.name())) {
            return;
        }
        add("hostname-taken", target, CheckStatus::Warn,
            text(kContext, "%1 reports the host name \"%2\", which is the name of %3: on %4 it leads to %5.",
                 {target.name, name.name(), owner->name, view.name, name.addresses(0)}));
    }

    std::optional<std::string> own_address(const NodeView& target) const {
        if (is_numeric(target.address)) {
            return target.address;
        }
        for (const auto& interface : target.host.interfaces()) {
            for (const auto& address : interface.addresses()) {
                if (!interface.loopback() && !is_ipv6(address) && !is_shared_address(views_, address)) {
                    return address;
                }
            }
        }
        return std::nullopt;
    }

    void judge(const NodeView& view, const NodeView& target, const wire::ResolvedName& name, bool used) {
        const CheckStatus status = used ? CheckStatus::Fail : CheckStatus::Warn;
        const auto address = own_address(target);
        const auto report = [&](FailureId id, const std::string& detail) {
            repair(add(id, view, status, detail), view, target, name.name());
        };
        if (name.addresses().empty()) {
            return report("master-unresolvable", text(kContext, "%1 cannot resolve \"%2\", the name of %3.",
                                                      {view.name, name.name(), target.name}));
        }
        const auto belongs = [&](const std::string& candidate) {
            return interface_of(target, candidate) != nullptr || candidate == target.reached_at;
        };
        const bool any_ipv4 = std::any_of(name.addresses().begin(), name.addresses().end(),
                                          [](const std::string& entry) { return !is_ipv6(entry); });
        if (!any_ipv4 && address && !is_ipv6(*address)) {
            return report("ipv6-only-name", text(kContext, "%1 resolves \"%2\" (%3) to IPv6 alone: %4.",
                                                 {view.name, name.name(), target.name, list(name)}));
        }
        const std::string& first = name.addresses(0);
        if (is_loopback(first)) {
            // Each node has its own 127.0.0.0/8.
            return report("master-addr-wrong-node",
                          text(kContext, "%1 resolves \"%2\", the name of %3, to %4: itself.",
                               {view.name, name.name(), target.name, first}));
        }
        if (belongs(first) || target.host.interfaces().empty()) {
            return;
        }
        const NodeView* owner = owner_of(first);
        if (!used && owner != nullptr && !is_listed(target, name.name())) {
            // Its own word against that of /etc/hosts or DNS.
            add("hostname-taken", target, status,
                text(kContext, "%1 reports the host name \"%2\", which on %3 leads to %4 (%5).",
                     {target.name, name.name(), view.name, owner->name, first}));
            return;
        }
        report("master-addr-wrong-node",
               text(kContext, "%1 resolves \"%2\" to %3, which is no address of %4.",
                    {view.name, name.name(), first, target.name}));
    }

    const std::vector<NodeView>& views_;
    std::size_t master_;
    std::string master_name_;  ///< empty: MASTER_ADDR is numeric
    std::map<FailureId, Check> found_;
};

}  // namespace

std::vector<Check> name_checks(const std::vector<NodeView>& views, std::size_t master,
                               const std::string& master_address) {
    return Names(views, master, master_address).take();
}

}  // namespace rankscope::inline runs
