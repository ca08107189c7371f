// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/node_use.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/wire/sample_keys.h>

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

struct Use {
    Q_DECLARE_TR_FUNCTIONS(NodeUse)
};

constexpr std::int64_t kFreshUseUs = 10'000'000;
constexpr std::int64_t kGapUs = 60'000'000;  ///< longer, and the course begins again
constexpr double kGibOfUse = 1024.0 * 1024 * 1024;

double figure(const FleetNode& node, const char* key) {
    const auto it = node.sample().find(key);
    return it == node.sample().end() ? DeviceSlot::kAbsent : it->second;
}

/// The mean; below 0: not known.
double use_of_gpus(const std::vector<DeviceSlot>& devices) {
    double use = 0;
    int known = 0;
    for (const DeviceSlot& slot : devices) {
        if (slot.gpu && slot.use >= 0) {
            use += slot.use;
            ++known;
        }
    }
    return known > 0 ? use / known : -1;
}

QString what_it_does(const DeviceSlot& slot) {
    if (slot.rank) {
        return Use::tr("rank %1, %2").arg(slot.rank->rank).arg(phase_text(slot.rank->phase));
    }
    switch (slot.state) {
        case DeviceSlot::State::Free:
            return Use::tr("free");
        case DeviceSlot::State::Used:
            return Use::tr("used by another program");
        case DeviceSlot::State::LeftOut:
            return Use::tr("not offered by the inventory");
        case DeviceSlot::State::Unknown:
        case DeviceSlot::State::Faulty:
        case DeviceSlot::State::Rank:
            break;
    }
    return {};
}

}  // namespace

const std::map<std::string, double>& FleetNode::sample() const {
    static const std::map<std::string, double> none;
    if (!run_sample.empty()) {
        return run_sample;
    }
    return facts && !facts_are_old ? facts->sample : none;
}

std::int64_t FleetNode::sample_us() const {
    if (!run_sample.empty()) {
        return run_sample_us;
    }
    return facts && !facts_are_old ? facts->probed_us : 0;
}

std::vector<DeviceSlot> FleetNode::devices() const {
    return device_slots(spec, facts ? &*facts : nullptr, ranks, sample());
}

void FleetNode::note_use() {
    if (sample_us() <= course_us) {
        return;
    }
    if (course_us > 0 && sample_us() - course_us > kGapUs) {
        course.clear();
    }
    course_us = sample_us();
    const double gpus = use_of_gpus(devices());
    const double use = gpus >= 0 ? gpus : figure(*this, sample_key::kCpu);
    if (!(use >= 0)) {
        course.clear();
        return;
    }
    if (course.size() == kCourse) {
        course.erase(course.begin());
    }
    course.push_back(float(use));
}

QString use_text(const FleetNode& node) {
    const std::vector<DeviceSlot> all = node.devices();
    double hottest = -1;
    for (const DeviceSlot& slot : all) {
        hottest = slot.temperature > hottest ? slot.temperature : hottest;
    }
    QStringList parts;
    if (const double use = use_of_gpus(all); use >= 0) {
        parts += percent_text(use, 0);
    }
    if (hottest >= 0) {
        parts += Use::tr("%1 °C").arg(hottest, 0, 'f', 0);
    }
    if (parts.isEmpty()) {
        const double cpu = figure(node, sample_key::kCpu);
        return cpu >= 0 ? Use::tr("CPU %1").arg(percent_text(cpu, 0)) : QString();
    }
    return parts.join(u", "_s);
}

QString use_tool_tip(const FleetNode& node, std::int64_t now_us) {
    QStringList lines;
    const double cpu = figure(node, sample_key::kCpu);
    const double load = figure(node, sample_key::kLoad1);
    const double used = figure(node, sample_key::kMemUsed);
    const double total = figure(node, sample_key::kMemTotal);
    if (cpu >= 0) {
        lines += Use::tr("CPU: %1").arg(percent_text(cpu, 0));
    }
    if (load >= 0) {
        lines += Use::tr("Load (1 min): %1").arg(load, 0, 'f', 2);
    }
    if (used >= 0 && total > 0) {
        lines += Use::tr("Memory: %1 of %2")
                     .arg(bytes_text(std::uint64_t(used)), bytes_text(std::uint64_t(total)));
    }
    for (const DeviceSlot& slot : node.devices()) {
        if (slot.gpu) {
            lines += slot_text(slot);
        }
    }
    if (lines.isEmpty()) {
        return {};
    }
    if (const QString age = figures_age_text(node, now_us); !age.isEmpty()) {
        lines += age;
    }
    return lines.join(u'\n');
}

QString figures_age_text(const FleetNode& node, std::int64_t now_us) {
    if (const std::int64_t then = node.sample_us(); then > 0) {
        return now_us >= then
                   ? Use::tr("As of %1 ago").arg(duration_text(std::floor(double(now_us - then) / 1e6)))
                   : QString();
    }
    if (node.state == ProbeState::Failed) {
        return Use::tr("Not known now: the last probe failed.");
    }
    return node.facts_are_old ? Use::tr("Not known now: probed in an earlier session.")
                              : Use::tr("Not known: the node was not probed.");
}

QString slot_figures(const DeviceSlot& slot) {
    QStringList parts;
    if (const QString what = what_it_does(slot); !what.isEmpty()) {
        parts += what;
    }
    if (slot.use >= 0) {
        parts += percent_text(slot.use, 0);
    }
    if (slot.memory_used >= 0 && slot.memory_total > 0) {
        parts += Use::tr("%1 of %2 GiB")
                     .arg(slot.memory_used / kGibOfUse, 0, 'f', 0)
                     .arg(slot.memory_total / kGibOfUse, 0, 'f', 0);
    }
    if (slot.temperature >= 0) {
        parts += Use::tr("%1 °C").arg(slot.temperature, 0, 'f', 0);
    }
    if (slot.power >= 0) {
        parts += Use::tr("%1 W").arg(slot.power, 0, 'f', 0);
    }
    if (is_slowed_down(slot.limit)) {
        parts += slot.limit == ClockLimit::Heat          ? Use::tr("slowed down by heat")
                 : slot.limit == ClockLimit::PowerSupply ? Use::tr("slowed down by its power supply")
                                                         : Use::tr("slowed down by its board");
    }
    if (slot.ecc > 0) {
        parts += Use::tr("%1 uncorrected memory errors").arg(slot.ecc, 0, 'f', 0);
    }
    return parts.join(u", "_s);
}

QString slot_text(const DeviceSlot& slot) {
    const QString figures = slot_figures(slot);
    return (slot.gpu ? Use::tr("GPU %1: %2") : Use::tr("Slot %1: %2"))
        .arg(slot.index)
        .arg(figures.isEmpty() ? Use::tr("not known") : figures);
}

QString slots_text(const FleetNode& node) {
    QStringList lines;
    for (const DeviceSlot& slot : node.devices()) {
        lines += slot_text(slot);
    }
    constexpr qsizetype kMostLines = 24;
    if (lines.size() > kMostLines) {
        const qsizetype more = lines.size() - kMostLines;
        lines = lines.mid(0, kMostLines);
        lines += Use::tr("and %1 more").arg(more);
    }
    return lines.join(u'\n');
}

bool is_aged(const FleetNode& node, std::int64_t now_us) {
    return node.sample_us() > 0 && now_us - node.sample_us() > kFreshUseUs;
}

}  // namespace rankscope::gui
