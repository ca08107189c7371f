// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/collective_format.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string_view>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Collectives)
};

/// Three digits: "4.56", "45.6", "456".
QString three_digits(double value) {
    return QString::number(value, 'f', value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

}  // namespace

QString latency_text(double seconds) {
    if (!(seconds > 0)) {
        return u"–"_s;
    }
    if (seconds < 1e-6) {
        return QString(QString::number(seconds * 1e9, 'f', 0) % u" ns"_s);
    }
    if (seconds < 0.9995e-3) {
        return QString(three_digits(seconds * 1e6) % u" µs"_s);
    }
    return seconds < 0.9995 ? QString(three_digits(seconds * 1e3) % u" ms"_s)
                            : QString(three_digits(seconds) % u" s"_s);
}

QString bandwidth_text(double bytes_per_s) {
    if (!(bytes_per_s > 0)) {
        return u"–"_s;
    }
    if (bytes_per_s < 1e6) {
        return QString(three_digits(bytes_per_s * 1e-3) % u" kB/s"_s);
    }
    return bytes_per_s < 1e9 ? QString(three_digits(bytes_per_s * 1e-6) % u" MB/s"_s)
                             : QString(three_digits(bytes_per_s * 1e-9) % u" GB/s"_s);
}

QString size_text(double bytes) {
    static constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (bytes >= 1023.5 && unit + 1 < units.size()) {
        bytes /= 1024;
        ++unit;
    }
    const bool whole = unit == 0 || bytes >= 99.5 || std::abs(bytes - std::round(bytes)) < 0.005;
    return QString(QString::number(bytes, 'f', whole ? 0 : 1) % u' ' % QString::fromLatin1(units[unit]));
}

QString share_text(double share) {
    if (!(share > 0)) {
        return u"0 %"_s;
    }
    return share < 0.01 ? u"<1 %"_s : QString(QString::number(share * 100, 'f', 0) % u" %"_s);
}

QString communicator_text(const ReportCommunicator& communicator) {
    const QString name = communicator.name.empty()
                             ? QString(u"0x"_s % QString::number(qulonglong(communicator.id.value), 16))
                             : qs(communicator.name);
    const QString sized =
        communicator.ranks > 0 ? Words::tr("%1, %n ranks", nullptr, communicator.ranks).arg(name) : name;
    return communicator.axis.empty() || communicator.axis == "world"
               ? sized
               : Words::tr("%1 group %2: %3").arg(qs(communicator.axis)).arg(communicator.number).arg(sized);
}

QColor function_color(const std::string& function, bool dark) {
    static constexpr std::array<std::string_view, 8> usual{
        "AllReduce", "AllGather", "ReduceScatter", "AlltoAll", "Broadcast", "Send", "Recv", "Reduce"};
    const auto found = std::find(usual.begin(), usual.end(), function);
    const auto index = found != usual.end() ? int(found - usual.begin())
                                            : int(usual.size() + std::hash<std::string>()(function) % 8);
    return rank_color(index, dark);
}

QString unavailable_text(const std::string& reason) {
    if (reason == "not-loaded") {
        return Words::tr("NCCL did not load Rankscope's plugin.");
    }
    if (reason == "nccl-too-old") {
        return Words::tr("This NCCL has no profiler interface: it came with NCCL 2.23.");
    }
    if (reason == "statically-linked") {
        return Words::tr("NCCL is a part of the program itself and loads no plugin.");
    }
    if (reason == "no-nccl") {
        return Words::tr("The program has not loaded NCCL.");
    }
    if (reason == "foreign-plugin") {
        return Words::tr("Another profiler plugin is in use (NCCL_PROFILER_PLUGIN).");
    }
    if (reason == "ring-unreadable") {
        return Words::tr("What the plugin writes cannot be read.");
    }
    return reason.empty() ? QString() : qs(reason);
}

}  // namespace rankscope::gui
