// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/transport_texts.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

namespace rankscope::gui {

namespace {

using logs::TransportFall;
using logs::TransportKind;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(NcclMap)
};

constexpr int kNamed = 3;

QString listed(const QStringList& names) {
    const auto more = names.size() - kNamed;
    const QString list = names.mid(0, kNamed).join(u", "_s);
    return more > 0 ? Words::tr("%1 and %2 more").arg(list).arg(more) : list;
}

QString hosts_text(const logs::TransportFinding& finding, const logs::RunFacts& facts) {
    QStringList names;
    for (const std::size_t host : finding.hosts) {
        names += short_name(facts.hosts[host].name);
    }
    return listed(names);
}

}  // namespace

QString transport_text(TransportKind kind) {
    switch (kind) {
        case TransportKind::P2p:
            return Words::tr("GPU to GPU (NVLink or PCIe)");
        case TransportKind::Shm:
            return Words::tr("Host memory");
        case TransportKind::NetIbGdr:
            return Words::tr("InfiniBand, GPUDirect");
        case TransportKind::NetIb:
            return Words::tr("InfiniBand");
        case TransportKind::NetSocket:
            return Words::tr("TCP");
        case TransportKind::NetOther:
            return Words::tr("Other network");
        case TransportKind::CollNet:
            return Words::tr("In-network reduction");
        case TransportKind::Unknown:
            return Words::tr("Transport not printed");
    }
    return {};
}

QPen transport_pen(TransportKind kind, const ThemeColors& colors, double width) {
    // Okabe and Ito's colours, see rank_color().
    const auto pen = [&](int color, Qt::PenStyle style, double factor = 1) {
        return QPen(rank_color(color, colors.dark), width * factor, style, Qt::FlatCap, Qt::RoundJoin);
    };
    switch (kind) {
        case TransportKind::P2p:
            return pen(0, Qt::SolidLine);
        case TransportKind::Shm:
            return pen(4, Qt::DashLine);
        case TransportKind::NetIbGdr:
            return pen(2, Qt::SolidLine, 1.5);
        case TransportKind::NetIb:
            return pen(2, Qt::DashLine, 1.5);
        case TransportKind::NetSocket:
            return pen(1, Qt::DotLine, 1.5);
        case TransportKind::NetOther:
            return pen(3, Qt::DashDotLine, 1.5);
        case TransportKind::CollNet:
            return pen(6, Qt::DashDotDotLine, 1.5);
        case TransportKind::Unknown:
            return QPen(colors.muted, width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    }
    return {};
}

QString finding_title(const logs::TransportFinding& finding, const logs::RunFacts& facts) {
    const QString hosts = hosts_text(finding, facts);
    QString title;
    switch (finding.fall) {
        case TransportFall::SocketDespiteIb:
            title = Words::tr("TCP instead of InfiniBand: %1").arg(hosts);
            break;
        case TransportFall::ShmDespiteP2p:
            title = Words::tr("Host memory instead of GPU to GPU: %1").arg(hosts);
            break;
        case TransportFall::FewNics:
            title = Words::tr("%1 of %2 network devices in use: %3")
                        .arg(finding.devices_used)
                        .arg(finding.devices)
                        .arg(hosts);
            break;
        case TransportFall::NoGpuDirect:
            title = Words::tr("InfiniBand without GPUDirect RDMA: %1").arg(hosts);
            break;
    }
    if (finding.setting < facts.settings.size()) {
        const logs::SettingFact& setting = facts.settings[finding.setting];
        title += Words::tr(" (%1=%2)").arg(qs(setting.name), qs(setting.value));
    }
    return title;
}

QString finding_cost(const logs::TransportFinding& finding) {
    QStringList unused;
    for (const std::string& device : finding.unused) {
        unused += qs(device);
    }
    switch (finding.fall) {
        case TransportFall::SocketDespiteIb: {
            const QString cost = Words::tr(
                "Each byte passes through the kernel and the memory of both nodes: a fraction of "
                "InfiniBand's rate, and processor time.");
            return unused.isEmpty() ? cost : cost + Words::tr(" Unused: %1.").arg(listed(unused));
        }
        case TransportFall::ShmDespiteP2p:
            return Words::tr(
                "Each byte is copied into the memory of the host and out again: a fraction of NVLink's "
                "rate.");
        case TransportFall::FewNics: {
            const QString cost = Words::tr("At most %1 % of the node's network rate.")
                                     .arg(100 * finding.devices_used / std::max(finding.devices, 1));
            return unused.isEmpty() ? cost : cost + Words::tr(" Unused: %1.").arg(listed(unused));
        }
        case TransportFall::NoGpuDirect:
            return Words::tr(
                "Each byte passes through the memory of both hosts: lower rate, more latency. Check "
                "nvidia-peermem or DMA-BUF, and NCCL_NET_GDR_LEVEL.");
    }
    return {};
}

QString bus_text(std::int64_t bus_id) {
    if (bus_id < 0) {
        return {};
    }
    return QString::asprintf("%02x:%02x.%x", unsigned((bus_id >> 12) & 0xff), unsigned((bus_id >> 4) & 0xff),
                             unsigned(bus_id & 0xf));
}

}  // namespace rankscope::gui
