// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/gpu_texts.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/wire/sample_keys.h>

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

struct Tr {
    Q_DECLARE_TR_FUNCTIONS(GpuTexts)
};

constexpr double kGib = 1024.0 * 1024 * 1024;

double sum(double one, double other) {
    return std::isfinite(one) && std::isfinite(other) ? one + other : std::isfinite(one) ? one : other;
}

double nvlink_rate(const GpuSample& gpu) {
    return sum(gpu[GpuFigure::NvlinkOut], gpu[GpuFigure::NvlinkIn]);
}

QString count(double value) {
    return count_text(std::int64_t(std::clamp(value, 0.0, 9e15)));
}

QString both_ways(double out, double in) {
    const auto one = [](double rate) { return std::isfinite(rate) ? rate_text(rate) : u"–"_s; };
    return Tr::tr("%1 out, %2 in").arg(one(out), one(in));
}

QString pcie_text(const GpuSample& gpu) {
    if (!gpu.has(GpuFigure::PcieWidth)) {
        return {};
    }
    const QString width = QString::number(gpu[GpuFigure::PcieWidth], 'f', 0);
    return gpu.has(GpuFigure::PcieGeneration)
               ? Tr::tr("PCIe %1 ×%2").arg(QString::number(gpu[GpuFigure::PcieGeneration], 'f', 0), width)
               : Tr::tr("PCIe ×%1").arg(width);
}

QString with_limit(double value, double limit, const QString& unit) {
    const QString text = QString::number(value, 'f', 0);
    return (std::isfinite(limit) ? QString(text % u" / "_s % QString::number(limit, 'f', 0)) : text) % u' ' %
           unit;
}

}  // namespace

QString short_number(double value) {
    return QString::number(value, 'f', value < 9.95 ? 2 : value < 99.5 ? 1 : 0);
}

QString rate_text(double bytes_per_s) {
    const double shown = std::max(bytes_per_s, 0.0);
    if (shown < 1e3) {
        return Tr::tr("%1 B/s").arg(shown, 0, 'f', 0);
    }
    if (shown < 1e6) {
        return Tr::tr("%1 kB/s").arg(short_number(shown / 1e3));
    }
    if (shown < 1e9) {
        return Tr::tr("%1 MB/s").arg(short_number(shown / 1e6));
    }
    return shown < 1e12 ? Tr::tr("%1 GB/s").arg(short_number(shown / 1e9))
                        : Tr::tr("%1 TB/s").arg(short_number(shown / 1e12));
}

QString clock_text(double hz) {
    return hz < 1e9 ? Tr::tr("%1 MHz").arg(hz / 1e6, 0, 'f', 0) : Tr::tr("%1 GHz").arg(hz / 1e9, 0, 'f', 2);
}

QString clock_limit_text(ClockLimit limit) {
    switch (limit) {
        case ClockLimit::None:
            return Tr::tr("nothing");
        case ClockLimit::Idle:
            return Tr::tr("idle");
        case ClockLimit::Setting:
            return Tr::tr("clock setting");
        case ClockLimit::SyncBoost:
            return Tr::tr("sync boost");
        case ClockLimit::PowerLimit:
            return Tr::tr("power limit");
        case ClockLimit::Board:
            return Tr::tr("board");
        case ClockLimit::PowerSupply:
            return Tr::tr("power supply");
        case ClockLimit::Heat:
            return Tr::tr("heat");
        case ClockLimit::Unknown:
            break;
    }
    return {};
}

double gpu_link_rate(const GpuSample& gpu) {
    const double nvlink = nvlink_rate(gpu);
    return std::isfinite(nvlink) ? nvlink : sum(gpu[GpuFigure::PcieOut], gpu[GpuFigure::PcieIn]);
}

QString gpu_link_text(const GpuSample& gpu) {
    if (const double rate = nvlink_rate(gpu); std::isfinite(rate)) {
        return Tr::tr("NVLink %1").arg(rate_text(rate));
    }
    if (const QString pcie = pcie_text(gpu); !pcie.isEmpty()) {
        return pcie;
    }
    const double rate = gpu_link_rate(gpu);
    return std::isfinite(rate) ? Tr::tr("PCIe %1").arg(rate_text(rate)) : QString();
}

QString gpu_link_tip(const GpuSample& gpu) {
    QStringList lines;
    if (std::isfinite(nvlink_rate(gpu))) {
        lines += Tr::tr("NVLink: %1").arg(both_ways(gpu[GpuFigure::NvlinkOut], gpu[GpuFigure::NvlinkIn]));
    }
    if (gpu.has(GpuFigure::NvlinkErrors)) {
        lines += Tr::tr("NVLink errors: %1").arg(count(gpu[GpuFigure::NvlinkErrors]));
    }
    QStringList pcie;
    if (const QString link = pcie_text(gpu); !link.isEmpty()) {
        pcie += link;
    }
    if (gpu.has(GpuFigure::PcieOut) || gpu.has(GpuFigure::PcieIn)) {
        pcie += both_ways(gpu[GpuFigure::PcieOut], gpu[GpuFigure::PcieIn]);
    }
    if (!pcie.isEmpty()) {
        lines += pcie.join(u", "_s);
    }
    if (gpu.has(GpuFigure::PcieReplays)) {
        lines += Tr::tr("PCIe replays: %1").arg(count(gpu[GpuFigure::PcieReplays]));
    }
    return lines.join(u'\n');
}

QString gpu_tip(const GpuSample& gpu) {
    QStringList lines;
    if (gpu.has(GpuFigure::Use)) {
        lines += Tr::tr("Use: %1").arg(percent_text(gpu[GpuFigure::Use], 0));
    }
    if (gpu.has(GpuFigure::MemoryUsed)) {
        lines += Tr::tr("Memory: %1")
                     .arg(with_limit(gpu[GpuFigure::MemoryUsed] / kGib, gpu[GpuFigure::MemoryTotal] / kGib,
                                     u"GiB"_s));
    }
    if (gpu.has(GpuFigure::Temperature)) {
        lines += Tr::tr("Temperature: %1 °C").arg(gpu[GpuFigure::Temperature], 0, 'f', 0);
    }
    if (gpu.has(GpuFigure::Power)) {
        lines +=
            Tr::tr("Power: %1").arg(with_limit(gpu[GpuFigure::Power], gpu[GpuFigure::PowerLimit], u"W"_s));
    }
    if (gpu.has(GpuFigure::SmClock)) {
        const QString limit = clock_limit_text(clock_limit(gpu[GpuFigure::Throttle]));
        const QString clock = clock_text(gpu[GpuFigure::SmClock]);
        lines += limit.isEmpty() ? Tr::tr("Clock: %1").arg(clock)
                                 : Tr::tr("Clock: %1, limited by: %2").arg(clock, limit);
    }
    if (gpu.has(GpuFigure::Ecc)) {
        lines += Tr::tr("Uncorrected memory errors: %1").arg(count(gpu[GpuFigure::Ecc]));
    }
    if (const QString links = gpu_link_tip(gpu); !links.isEmpty()) {
        lines += links;
    }
    return lines.join(u'\n');
}

QString why_absent(const GpuSample& gpu, GpuFigure figure) {
    if (const std::int64_t last_us = gpu.last_reported_us(figure); last_us > 0) {
        return Tr::tr("Not available: the GPU's driver has not reported it since %1.")
            .arg(date_time_text(last_us));
    }
    switch (figure) {
        case GpuFigure::Ecc:
            return Tr::tr("Not available: the GPU's memory has no ECC, or it is switched off.");
        case GpuFigure::NvlinkOut:
        case GpuFigure::PcieWidth:
            return Tr::tr("Not available: the driver reports neither NVLink nor PCIe of this GPU.");
        default:
            return Tr::tr("Not available: the driver does not report it for this GPU.");
    }
}

QString why_no_gpus(const NodeSamples& node) {
    const auto it = node.values.find(sample_key::kGpuUnavailable);
    if (it == node.values.end()) {
        return Tr::tr("This node reports no GPU.");
    }
    constexpr double kNoAnswer = 1;
    constexpr double kNoLibrary = 2;
    const double code = it->second.last;
    return code == kNoAnswer    ? Tr::tr("Not available: the GPU driver of this node does not answer.")
           : code == kNoLibrary ? Tr::tr(
                                      "Not available: this node has a GPU driver, but neither NVML nor "
                                      "nvidia-smi is found there.")
                                : Tr::tr("Not available: the GPU driver of this node reports an error.");
}

}  // namespace rankscope::gui
