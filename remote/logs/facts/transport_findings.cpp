// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/facts/transport_findings.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace rankscope::logs {
namespace {

class Findings {
public:
    Findings(const RunFacts& facts, const CommMap& map) : facts_(facts), map_(map) {}

    std::vector<TransportFinding> all() {
        socket_despite_ib();
        shm_despite_p2p();
        few_nics();
        no_gpu_direct();
        return std::move(found_);
    }

private:
    std::size_t host_of(int rank) const {
        return map_.nodes[map_.node_of[static_cast<std::size_t>(rank)]].host;
    }

    const HostFacts* facts_of(int rank) const {
        const auto host = host_of(rank);
        return host < facts_.hosts.size() ? &facts_.hosts[host] : nullptr;
    }

    bool has_ib(int rank) const {
        const auto* host = facts_of(rank);
        return host != nullptr && !host->ib_devices.empty();
    }

    /// The first of these variables with one of these values.
    std::size_t setting(
        std::initializer_list<std::pair<std::string_view, std::initializer_list<std::string_view>>> wanted)
        const {
        for (std::size_t i = 0; i < facts_.settings.size(); ++i) {
            const auto& is = facts_.settings[i];
            for (const auto& [name, values] : wanted) {
                if (is.name == name && (values.size() == 0 ||
                                        std::find(values.begin(), values.end(), is.value) != values.end())) {
                    return i;
                }
            }
        }
        return TransportFinding::kNoSetting;
    }

    static std::size_t channels_of(const MapLink& link) {
        std::set<int> all(link.ring_channels.begin(), link.ring_channels.end());
        all.insert(link.tree_channels.begin(), link.tree_channels.end());
        all.insert(link.other_channels.begin(), link.other_channels.end());
        return all.size();
    }

    /// Adds a finding over the links that satisfy `slow`, if there are any.
    TransportFinding* add(TransportFall fall, const std::function<bool(const MapLink&)>& slow) {
        TransportFinding finding{.fall = fall, .hosts = {}, .ranks = {}, .unused = {}, .place = {}};
        std::set<std::size_t> hosts;
        std::set<int> ranks;
        for (const auto& link : map_.links) {
            if (!slow(link)) {
                continue;
            }
            finding.connections += channels_of(link);
            ranks.insert({link.from, link.to});
            for (const int rank : {link.from, link.to}) {
                if (const auto host = host_of(rank); host < facts_.hosts.size()) {
                    hosts.insert(host);
                }
            }
            if (finding.place.line == 0) {
                finding.place = link.place;
            }
        }
        if (finding.connections == 0) {
            return nullptr;
        }
        finding.hosts.assign(hosts.begin(), hosts.end());
        finding.ranks.assign(ranks.begin(), ranks.end());
        found_.push_back(std::move(finding));
        return &found_.back();
    }

    void name_devices(TransportFinding& finding, const std::set<int>& used) const {
        for (const auto host : finding.hosts) {
            const auto& devices = facts_.hosts[host].ib_devices;
            for (const auto& device : devices) {
                if (!used.contains(device.index)) {
                    finding.unused.push_back(device.name);
                }
            }
            if (!devices.empty()) {
                break;
            }
        }
    }

    void socket_despite_ib() {
        const auto why = setting({{"NCCL_IB_DISABLE", {"1"}}, {"NCCL_NET", {"Socket", "socket"}}});
        // A variable that turns InfiniBand off also hides its devices.
        const bool turned_off = why != TransportFinding::kNoSetting;
        auto* finding = add(TransportFall::SocketDespiteIb, [&](const MapLink& link) {
            return link.kind == TransportKind::NetSocket &&
                   (turned_off || (has_ib(link.from) && has_ib(link.to)));
        });
        if (finding != nullptr) {
            finding->setting = why;
            name_devices(*finding, {});
        }
    }

    void shm_despite_p2p() {
        std::set<std::size_t> direct;
        for (const auto& link : map_.links) {
            if (link.kind == TransportKind::P2p) {
                direct.insert(host_of(link.from));
            }
        }
        const auto why = setting({{"NCCL_P2P_DISABLE", {"1"}}, {"NCCL_P2P_LEVEL", {"LOC", "0"}}});
        const bool turned_off = why != TransportFinding::kNoSetting;
        auto* finding = add(TransportFall::ShmDespiteP2p, [&](const MapLink& link) {
            return link.kind == TransportKind::Shm && (turned_off || direct.contains(host_of(link.from)));
        });
        if (finding != nullptr) {
            finding->setting = why;
        }
    }

    struct NicUse {
        std::set<int> used;
        std::set<int> ranks;
        LinePlace place;
    };

    void few_nics() {
        std::map<std::size_t, NicUse> use;
        for (const auto& link : map_.links) {
            if (link.kind != TransportKind::NetIb && link.kind != TransportKind::NetIbGdr) {
                continue;
            }
            for (const auto& [rank, devices] :
                 {std::pair(link.from, &link.send_devices), std::pair(link.to, &link.receive_devices)}) {
                auto& of_host = use[host_of(rank)];
                of_host.used.insert(devices->begin(), devices->end());
                if (of_host.place.line == 0) {
                    of_host.place = link.place;
                }
            }
        }
        TransportFinding finding{
            .fall = TransportFall::FewNics, .hosts = {}, .ranks = {}, .unused = {}, .place = {}};
        std::set<int> used_of_worst;
        for (const auto& node : map_.nodes) {
            const auto of_host = use.find(node.host);
            if (of_host == use.end() || node.host >= facts_.hosts.size() || of_host->second.used.empty()) {
                continue;
            }
            const int used = static_cast<int>(of_host->second.used.size());
            const int devices = static_cast<int>(facts_.hosts[node.host].ib_devices.size());
            const int possible = std::min(devices, static_cast<int>(node.ranks.size()));
            if (used >= possible) {
                continue;
            }
            finding.hosts.push_back(node.host);
            for (const auto& rank : node.ranks) {
                finding.ranks.push_back(rank.rank);
            }
            ++finding.connections;
            if (finding.devices == 0 || used * finding.devices < finding.devices_used * devices) {
                finding.devices_used = used;
                finding.devices = devices;
                finding.place = of_host->second.place;
                used_of_worst = of_host->second.used;
            }
        }
        if (finding.hosts.empty()) {
            return;
        }
        std::sort(finding.hosts.begin(), finding.hosts.end());
        std::sort(finding.ranks.begin(), finding.ranks.end());
        name_devices(finding, used_of_worst);
        finding.setting = setting({{"NCCL_IB_HCA", {}}, {"NCCL_CROSS_NIC", {}}});
        found_.push_back(std::move(finding));
    }

    void no_gpu_direct() {
        auto* finding = add(TransportFall::NoGpuDirect,
                            [](const MapLink& link) { return link.kind == TransportKind::NetIb; });
        if (finding != nullptr) {
            finding->setting =
                setting({{"NCCL_NET_GDR_LEVEL", {"LOC", "0"}}, {"NCCL_IB_CUDA_SUPPORT", {"0"}}});
        }
    }

    const RunFacts& facts_;
    const CommMap& map_;
    std::vector<TransportFinding> found_;
};

}  // namespace

std::vector<TransportFinding> transport_findings(const RunFacts& facts, const CommMap& map) {
    return Findings(facts, map).all();
}

}  // namespace rankscope::logs
