// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/clock_text.h>
#include <gui/models/fleet_model.h>
#include <gui/models/node_use.h>
#include <gui/on_thread.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QGuiApplication>
#include <QPalette>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace rankscope::gui {

namespace {

bool same_way(const NodeSpec& a, const NodeSpec& b) {
    return a.host == b.host && a.port == b.port && a.user == b.user && a.identity_file == b.identity_file &&
           a.proxy_jump == b.proxy_jump && a.transport == b.transport && a.cache_dir == b.cache_dir &&
           a.local == b.local;
}

}  // namespace

QString node_title(const NodeSpec& spec) {
    return spec.local ? FleetModel::tr("This computer") : qs(spec.name);
}

QString node_address(const NodeSpec& spec) {
    if (spec.local) {
        return FleetModel::tr("without SSH");
    }
    QString text = qs(spec.host.empty() ? spec.name : spec.host);
    if (!spec.user.empty()) {
        text = qs(spec.user) % u'@' % text;
    }
    if (spec.port != 0 && spec.port != 22) {
        text += u':' % QString::number(spec.port);
    }
    return text;
}

QString age_text(std::int64_t then_us, std::int64_t now_us) {
    const std::int64_t minutes = (now_us - then_us) / 60'000'000;
    if (then_us <= 0 || minutes < 1) {
        return {};
    }
    if (minutes < 60) {
        return FleetModel::tr("%1 min ago").arg(minutes);
    }
    if (minutes < 24 * 60) {
        return FleetModel::tr("%1 h ago").arg(minutes / 60);
    }
    return minutes < 2 * 24 * 60 ? FleetModel::tr("1 day ago")
                                 : FleetModel::tr("%1 days ago").arg(minutes / (24 * 60));
}

namespace {

QString link_text(const NodeLink& link, std::int64_t now_us) {
    const double silent = link.silent_s(now_us);
    if (link.state == LinkState::PresumedLost) {
        return FleetModel::tr("lost by the run");
    }
    return silent >= 1 ? FleetModel::tr("no answer to the run for %1").arg(duration_text(std::floor(silent)))
                       : FleetModel::tr("no answer to the run");
}

}  // namespace

QString probe_state_text(const FleetNode& node, std::int64_t now_us) {
    if (node.run_link && node.state != ProbeState::Connecting) {
        return link_text(*node.run_link, now_us);
    }
    const QString age = node.facts ? age_text(node.facts->probed_us, now_us) : QString();
    switch (node.state) {
        case ProbeState::NotProbed:
            return age.isEmpty() ? FleetModel::tr("not probed") : FleetModel::tr("probed %1").arg(age);
        case ProbeState::Connecting:
            return node.progress.empty() ? FleetModel::tr("connecting…")
                                         : QString(qs(node.progress) % u"…"_s);
        case ProbeState::Ready:
            return age.isEmpty() ? FleetModel::tr("ready") : FleetModel::tr("ready, %1").arg(age);
        case ProbeState::Failed:
            return FleetModel::tr("failed: %1").arg(qs(node.failure.what));
    }
    return {};
}

QString devices_text(const FleetNode& node) {
    if (node.facts && !node.facts->gpus.empty()) {
        std::map<std::string, int> counts;
        int used = 0;
        for (const GpuFacts& gpu : node.facts->gpus) {
            const bool ours = node.spec.gpus_auto || std::find(node.spec.gpus.begin(), node.spec.gpus.end(),
                                                               gpu.index) != node.spec.gpus.end();
            if (ours) {
                ++counts[gpu.name];
                ++used;
            }
        }
        QStringList parts;
        for (const auto& [name, count] : counts) {
            // The vendor's name fills a column and distinguishes nothing.
            const QString type = name.starts_with("NVIDIA ") ? qs(name.substr(7)) : qs(name);
            parts += QString(QString::number(count) % u" × "_s % type);
        }
        if (used > 0) {
            return parts.join(u", "_s);
        }
    }
    if (!node.spec.gpus_auto && !node.spec.gpus.empty() && !node.facts) {
        return FleetModel::tr("%n GPU(s)", nullptr, int(node.spec.gpus.size()));
    }
    const int slots_given = std::max(node.spec.cpu_slots, 1);
    return slots_given == 1 ? FleetModel::tr("1 CPU slot") : FleetModel::tr("%1 CPU slots").arg(slots_given);
}

FleetModel::FleetModel(QObject* parent) : QAbstractTableModel(parent) {
    set_nodes({});
}

void FleetModel::set_nodes(const std::vector<NodeSpec>& nodes) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    std::vector<FleetNode> fresh;
    std::vector<NodeSpec> specs{local_node()};
    for (const NodeSpec& spec : nodes) {
        if (spec.local || spec.name == kLocalNodeName) {
            specs.front() = spec;
        } else {
            specs.push_back(spec);
        }
    }
    for (const NodeSpec& spec : specs) {
        FleetNode entry;
        const FleetNode* known = find(spec.name);
        if (known && same_way(known->spec, spec)) {
            entry = *known;
        }
        entry.spec = spec;
        fresh.push_back(std::move(entry));
    }
    beginResetModel();
    nodes_ = std::move(fresh);
    endResetModel();
}

void FleetModel::set_old_facts(const KnownFacts& facts) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    for (const auto& [name, fact] : facts) {
        FleetNode* entry = node(name);
        if (entry && !entry->facts) {
            entry->facts = fact;
            entry->facts_are_old = true;
            touched(name);
        }
    }
}

void FleetModel::set_connecting(const std::string& name, const std::string& progress) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (FleetNode* entry = node(name)) {
        entry->state = ProbeState::Connecting;
        entry->progress = progress;
        touched(name);
    }
}

void FleetModel::set_ready(const std::string& name, const NodeFacts& facts) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (FleetNode* entry = node(name)) {
        entry->state = ProbeState::Ready;
        entry->facts = facts;
        entry->facts_are_old = false;
        entry->failure = {};
        touched(name);
    }
}

void FleetModel::set_failed(const std::string& name, const Failure& failure) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (FleetNode* entry = node(name)) {
        entry->state = ProbeState::Failed;
        entry->failure = failure;
        entry->facts_are_old = entry->facts.has_value();
        touched(name);
    }
}

void FleetModel::set_cancelled(const std::string& name) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (FleetNode* entry = node(name)) {
        entry->state = entry->facts && !entry->facts_are_old ? ProbeState::Ready : ProbeState::NotProbed;
        touched(name);
    }
}

void FleetModel::refresh(std::int64_t now_us, const std::map<std::string, RunOnNode>& run) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    const std::int64_t before_us = std::exchange(now_us_, now_us);
    for (FleetNode& entry : nodes_) {
        const QString state = probe_state_text(entry, before_us);
        const bool aged = is_aged(entry, before_us);
        const auto at = run.find(entry.spec.name);
        RunOnNode now = at == run.end() ? RunOnNode{} : at->second;
        entry.run_link.reset();
        if (now.link && !now.link->reachable()) {
            entry.run_link = now.link;
        }
        const bool other_use = now.ranks != entry.ranks || now.sample_us != entry.run_sample_us;
        entry.ranks = std::move(now.ranks);
        entry.run_sample = std::move(now.sample);
        entry.run_sample_us = now.sample_us;
        const std::int64_t course_us = entry.course_us;
        entry.note_use();
        const int row = int(&entry - nodes_.data());
        if (other_use || course_us != entry.course_us || is_aged(entry, now_us) != aged) {
            emit dataChanged(index(row, State), index(row, Use));
        } else if (probe_state_text(entry, now_us) != state) {
            emit dataChanged(index(row, State), index(row, State));
        }
    }
}

FleetNode* FleetModel::node(const std::string& name) {
    const int row = row_of(name);
    return row < 0 ? nullptr : &nodes_[std::size_t(row)];
}

const FleetNode* FleetModel::find(const std::string& name) const {
    const int row = row_of(name);
    return row < 0 ? nullptr : &nodes_[std::size_t(row)];
}

int FleetModel::row_of(const std::string& name) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].spec.name == name) {
            return int(i);
        }
    }
    return -1;
}

void FleetModel::touched(const std::string& name) {
    const int row = row_of(name);
    emit dataChanged(index(row, 0), index(row, NUM_COLUMNS - 1));
}

KnownFacts FleetModel::known_facts() const {
    KnownFacts facts;
    for (const FleetNode& entry : nodes_) {
        if (entry.facts) {
            facts[entry.spec.name] = *entry.facts;
        }
    }
    return facts;
}

std::map<std::string, int> FleetModel::groups() const {
    std::map<std::string, int> groups;
    for (const FleetNode& entry : nodes_) {
        if (!entry.spec.group.empty()) {
            ++groups[entry.spec.group];
        }
    }
    return groups;
}

int FleetModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(nodes_.size());
}

int FleetModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : NUM_COLUMNS;
}

QString FleetModel::display(const FleetNode& node, int column) const {
    switch (column) {
        case Name:
            return node_title(node.spec);
        case Group:
            return qs(node.spec.group);
        case Address:
            return node_address(node.spec);
        case State:
            return probe_state_text(node, now_us_);
        case Use:
            return use_text(node);
        case Devices:
            return devices_text(node);
        default:
            break;
    }
    if (!node.facts) {
        return {};
    }
    const NodeFacts& facts = *node.facts;
    switch (column) {
        case Cpus:
            return QString::number(facts.cpus);
        case Memory:
            return tr("%1 of %2 GiB")
                .arg(double(facts.memory_free_bytes) / double(1ULL << 30), 0, 'f', 0)
                .arg(double(facts.memory_bytes) / double(1ULL << 30), 0, 'f', 0);
        case Os:
            return qs(facts.os).section(u" ("_s, 0, 0);  // without the release's nickname
        case RoundTrip:
            return node.facts_are_old ? QString() : short_time_text(facts.round_trip_s);
        case Clock:
            return node.facts_are_old ? QString() : clock_text(facts);
        default:
            return {};
    }
}

QVariant FleetModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= int(nodes_.size())) {
        return {};
    }
    const FleetNode& node = nodes_[std::size_t(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return display(node, index.column());
        case Qt::ToolTipRole: {
            if (index.column() == Slots) {
                return plain_text(
                    QString(slots_text(node) % u'\n' % figures_age_text(node, now_us_)).trimmed());
            }
            if (index.column() == Use) {
                return plain_text(use_tool_tip(node, now_us_));
            }
            const QString text = display(node, index.column());
            if (index.column() == State && node.run_link && !node.run_link->failure.empty()) {
                return plain_text(
                    QString(text % u'\n' % qs(node.run_link->failure) % u'\n' % qs(node.run_link->remedy))
                        .trimmed());
            }
            if (index.column() == State && node.state == ProbeState::Failed) {
                return plain_text(failure_text(node.failure));
            }
            return plain_text(text);
        }
        case Qt::ForegroundRole:
            // Facts of an earlier session are history, not the state of the node.
            return node.facts_are_old && index.column() >= Cpus
                       ? QVariant(QGuiApplication::palette().color(QPalette::PlaceholderText))
                       : QVariant();
        case SlotsRole:
            return QVariant::fromValue(node.devices());
        case AgedRole:
            return is_aged(node, now_us_);
        case CourseRole:
            return index.column() == Use
                       ? QVariant::fromValue(QList<float>(node.course.begin(), node.course.end()))
                       : QVariant();
        case AgeRole:
            return figures_age_text(node, now_us_);
        case Qt::AccessibleTextRole:
            return index.column() == Slots ? QVariant(slots_text(node)) : QVariant();
        case ProbeStateRole:
            return int(node.run_link && node.state != ProbeState::Connecting ? ProbeState::Failed
                                                                             : node.state);
        case Qt::TextAlignmentRole:
            return int((index.column() == Cpus || index.column() == RoundTrip || index.column() == Clock
                            ? Qt::AlignRight
                            : Qt::AlignLeft) |
                       Qt::AlignVCenter);
        default:
            return {};
    }
}

QVariant FleetModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return int(
            (section == Cpus || section == RoundTrip || section == Clock ? Qt::AlignRight : Qt::AlignLeft) |
            Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
        case Name:
            return tr("Node");
        case Group:
            return tr("Group");
        case Address:
            return tr("Address");
        case State:
            return tr("State");
        case Slots:
            return tr("GPUs and slots");
        case Use:
            return tr("Use");
        case Devices:
            return tr("Devices");
        case Cpus:
            return tr("CPUs");
        case Memory:
            return tr("Memory free");
        case Os:
            return tr("System");
        case RoundTrip:
            return tr("Round trip");
        case Clock:
            return tr("Clock");
        default:
            return {};
    }
}

}  // namespace rankscope::gui
