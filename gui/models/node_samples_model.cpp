// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/node_samples_model.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/wire/sample_keys.h>

#include <QDateTime>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

namespace rankscope::gui {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kGib = 1024.0 * 1024 * 1024;
constexpr std::int64_t kFreshUs = 5'000'000;  ///< younger samples are not old, however often they come
constexpr quintptr kNodeLevel = 0;  ///< internal id of a node's row; a GPU's row has its node's row + 1

using Value = NodeSamples::Value;

const Value* find(const NodeSamples& node, const std::string& key) {
    const auto it = node.values.find(key);
    return it == node.values.end() ? nullptr : &it->second;
}

double last(const NodeSamples& node, const std::string& key) {
    const Value* value = find(node, key);
    return value ? value->last : kNan;
}

std::vector<int> gpus_of(const NodeSamples& node) {
    std::set<int> gpus;
    for (auto it = node.values.lower_bound("gpu."); it != node.values.end(); ++it) {
        const std::string& key = it->first;
        if (!key.starts_with("gpu.")) {
            break;
        }
        int index = 0;
        const auto read = std::from_chars(key.data() + 4, key.data() + key.size(), index);
        if (read.ec == std::errc() && index >= 0) {
            gpus.insert(index);
        }
    }
    return {gpus.begin(), gpus.end()};
}

std::vector<std::string> interfaces_of(const NodeSamples& node) {
    std::vector<std::string> names;
    for (auto it = node.values.lower_bound("net."); it != node.values.end(); ++it) {
        if (!it->first.starts_with("net.")) {
            break;
        }
        if (it->first.ends_with(".rx")) {
            names.push_back(it->first.substr(4, it->first.size() - 7));
        }
    }
    return names;
}

/// The interface that carries most now: the others are bridges and the like. Empty: none is known.
std::string busiest(const NodeSamples& node) {
    std::string name;
    double most = -1;
    for (const std::string& each : interfaces_of(node)) {
        const double tx = last(node, sample_key::net(each, "tx"));
        const double both = last(node, sample_key::net(each, "rx")) + (std::isfinite(tx) ? tx : 0);
        if (both > most) {
            most = both;
            name = each;
        }
    }
    return name;
}

/// "812", "61.4": three digits are enough.
QString short_number(double value) {
    return QString::number(value, 'f', value < 9.95 ? 2 : value < 99.5 ? 1 : 0);
}

QString rate_text(double bytes_per_s) {
    const double shown = std::max(bytes_per_s, 0.0);
    if (shown < 1e3) {
        return NodeSamplesModel::tr("%1 B/s").arg(shown, 0, 'f', 0);
    }
    if (shown < 1e6) {
        return NodeSamplesModel::tr("%1 kB/s").arg(short_number(shown / 1e3));
    }
    if (shown < 1e9) {
        return NodeSamplesModel::tr("%1 MB/s").arg(short_number(shown / 1e6));
    }
    return NodeSamplesModel::tr("%1 GB/s").arg(short_number(shown / 1e9));
}

}  // namespace

void NodeSamplesModel::set_data(const LiveData* data) {
    beginResetModel();
    data_ = data;
    rows_ = rows_now();
    endResetModel();
}

void NodeSamplesModel::refresh(std::int64_t now_us) {
    now_us_ = now_us;
    const std::vector<Row> rows = rows_now();
    if (rows != rows_) {
        beginResetModel();
        rows_ = rows;
        endResetModel();
        return;
    }
    for (int row = 0; row < int(rows_.size()); ++row) {
        emit dataChanged(index(row, Node), index(row, Power));
        const QModelIndex node = index(row, Node);
        if (const int gpus = rowCount(node); gpus > 0) {
            emit dataChanged(index(0, Node, node), index(gpus - 1, Power, node));
        }
    }
}

// In the order of the plan: the master first.
std::vector<NodeSamplesModel::Row> NodeSamplesModel::rows_now() const {
    std::vector<Row> rows;
    if (!data_) {
        return rows;
    }
    const auto& samples = data_->state.samples;
    std::set<std::string> seen;
    const auto add = [&](const std::string& name) {
        const auto it = samples.find(name);
        if (it != samples.end() && seen.insert(name).second) {
            rows.push_back({name, gpus_of(it->second)});
        }
    };
    for (const NodePlan& node : data_->state.plan.nodes) {
        add(node.node);
    }
    for (const auto& [name, node] : samples) {
        add(name);
    }
    return rows;
}

const NodeSamples& NodeSamplesModel::samples_of(const std::string& node) const {
    static const NodeSamples none;
    const auto it = data_->state.samples.find(node);
    return it == data_->state.samples.end() ? none : it->second;
}

double NodeSamplesModel::age_s(const std::string& node) const {
    const auto history = data_->sample_history.find(node);
    const std::int64_t last_us = samples_of(node).last_us;
    if (now_us_ == 0 || last_us == 0) {
        return 0;
    }
    const std::int64_t usual = history == data_->sample_history.end() ? 0 : history->second.interval_us();
    const std::int64_t age = now_us_ - last_us;
    return age > std::max(kFreshUs, 3 * usual) ? double(age) / 1e6 : 0;
}

bool NodeSamplesModel::has_gpus() const {
    return std::any_of(rows_.begin(), rows_.end(), [](const Row& row) { return !row.gpus.empty(); });
}

QModelIndex NodeSamplesModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || column < 0 || column >= NUM_COLUMNS || row >= rowCount(parent)) {
        return {};
    }
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) + 1 : kNodeLevel);
}

QModelIndex NodeSamplesModel::parent(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == kNodeLevel) {
        return {};
    }
    return createIndex(int(index.internalId()) - 1, 0, kNodeLevel);
}

int NodeSamplesModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) {
        return int(rows_.size());
    }
    const bool node = parent.internalId() == kNodeLevel && parent.column() == 0;
    return node && parent.row() < int(rows_.size()) ? int(rows_[std::size_t(parent.row())].gpus.size()) : 0;
}

int NodeSamplesModel::columnCount(const QModelIndex&) const {
    return NUM_COLUMNS;
}

NodeSamplesModel::Figure NodeSamplesModel::gpu_figure(const Row& row, int gpu, int column) const {
    const NodeSamples& node = samples_of(row.node);
    switch (column) {
        case GpuUse:
            return {last(node, sample_key::gpu(gpu, "util")), kNan};
        case GpuMemory:
            return {last(node, sample_key::gpu(gpu, "mem_used")),
                    last(node, sample_key::gpu(gpu, "mem_total"))};
        case Temperature:
            return {last(node, sample_key::gpu(gpu, "temp")), kNan};
        case Power:
            return {last(node, sample_key::gpu(gpu, "power")), kNan};
        default:
            return {kNan, kNan};
    }
}

NodeSamplesModel::Figure NodeSamplesModel::node_figure(const Row& row, int column) const {
    const NodeSamples& node = samples_of(row.node);
    switch (column) {
        case Cpu:
            return {last(node, sample_key::kCpu), kNan};
        case Memory:
            return {last(node, sample_key::kMemUsed), last(node, sample_key::kMemTotal)};
        case NetIn:
        case NetOut:
            return {last(node, sample_key::net(busiest(node), column == NetIn ? "rx" : "tx")), kNan};
        case Disk:
            return {last(node, sample_key::kDiskFree), last(node, sample_key::kDiskTotal)};
        default:
            break;
    }
    Figure all{kNan, kNan};
    int reporting = 0;
    for (const int gpu : row.gpus) {
        const Figure one = gpu_figure(row, gpu, column);
        if (!std::isfinite(one.value)) {
            continue;
        }
        const bool first = reporting++ == 0;
        if (column == Temperature) {
            all.value = first ? one.value : std::max(all.value, one.value);
        } else {
            all.value = first ? one.value : all.value + one.value;
            all.of = first ? one.of : all.of + one.of;
        }
    }
    if (column == GpuUse && reporting > 0) {
        all.value /= reporting;
    }
    return all;
}

NodeSamplesModel::Figure NodeSamplesModel::figure(const QModelIndex& index) const {
    if (index.internalId() == kNodeLevel) {
        return node_figure(rows_[std::size_t(index.row())], index.column());
    }
    const Row& row = rows_[std::size_t(index.internalId() - 1)];
    return gpu_figure(row, row.gpus[std::size_t(index.row())], index.column());
}

QVariant NodeSamplesModel::history(const QModelIndex& index) const {
    const bool of_node = index.internalId() == kNodeLevel;
    const Row& row = rows_[of_node ? std::size_t(index.row()) : std::size_t(index.internalId() - 1)];
    std::string key;
    if (index.column() == Cpu && of_node) {
        key = sample_key::kCpu;
    } else if (index.column() == GpuUse) {
        key = of_node ? "gpu" : sample_key::gpu(row.gpus[std::size_t(index.row())], "util");
    }
    const auto it = data_->sample_history.find(row.node);
    if (key.empty() || it == data_->sample_history.end()) {
        return {};
    }
    const std::vector<float>& values = it->second.of(key);
    return QVariant::fromValue(QList<float>(values.begin(), values.end()));
}

QString NodeSamplesModel::tool_tip(const QModelIndex& index) const {
    const bool of_node = index.internalId() == kNodeLevel;
    const Row& row = rows_[of_node ? std::size_t(index.row()) : std::size_t(index.internalId() - 1)];
    const NodeSamples& node = samples_of(row.node);
    const auto course = [&](const std::string& key) {
        const Value* value = find(node, key);
        return value ? tr("mean %1, most %2 since the start")
                           .arg(percent_text(value->mean(), 0), percent_text(value->most, 0))
                     : QString();
    };
    switch (index.column()) {
        case Node:
            return of_node ? tr("%1, sampled at %2").arg(qs(row.node), date_time_text(node.last_us))
                           : QString();
        case Cpu:
            return of_node ? course(sample_key::kCpu) : QString();
        case NetIn:
        case NetOut: {
            QStringList lines;
            for (const std::string& name : interfaces_of(node)) {
                const double in = last(node, sample_key::net(name, "rx"));
                const double out = last(node, sample_key::net(name, "tx"));
                lines += tr("%1: %2 in, %3 out").arg(qs(name), rate_text(in), rate_text(out));
            }
            return of_node ? lines.join(u'\n') : QString();
        }
        case Disk:
            return of_node ? tr("Free where Rankscope's cache folder is") : QString();
        case GpuUse:
            return of_node ? tr("Mean of its GPUs")
                           : course(sample_key::gpu(row.gpus[std::size_t(index.row())], "util"));
        case GpuMemory:
        case Power:
            return of_node ? tr("Of its GPUs together") : QString();
        case Temperature:
            return of_node ? tr("Of the hottest") : QString();
        default:
            return {};
    }
}

QVariant NodeSamplesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || !data_) {
        return {};
    }
    const bool of_node = index.internalId() == kNodeLevel;
    if (role == Qt::TextAlignmentRole) {
        return int((index.column() == Node ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    if (role == StaleRole) {
        const auto row = of_node ? std::size_t(index.row()) : std::size_t(index.internalId() - 1);
        return age_s(rows_[row].node) > 0;
    }
    if (role == HistoryRole) {
        return history(index);
    }
    if (role == Qt::ToolTipRole) {
        return tool_tip(index);
    }
    if (role != Qt::DisplayRole && role != SortRole) {
        return {};
    }
    if (index.column() == Node) {
        if (of_node) {
            const std::string& name = rows_[std::size_t(index.row())].node;
            const double age = age_s(name);
            const QString text =
                age > 0 ? tr("%1 · as of %2 ago").arg(qs(name), whole_seconds_text(std::floor(age)))
                        : qs(name);
            return role == SortRole ? QVariant(index.row()) : QVariant(text);
        }
        const int gpu = rows_[std::size_t(index.internalId() - 1)].gpus[std::size_t(index.row())];
        return role == SortRole ? QVariant(gpu) : QVariant(tr("GPU %1").arg(gpu));
    }
    const Figure figure = this->figure(index);
    if (role == SortRole) {
        return std::isfinite(figure.value) ? figure.value : -1.0;
    }
    if (!std::isfinite(figure.value)) {
        // A GPU's row has nothing of the node's: no dash there.
        return of_node || index.column() >= GpuUse ? QString(u'–') : QString();
    }
    switch (index.column()) {
        case Cpu:
        case GpuUse:
            return percent_text(figure.value, 0);
        case NetIn:
        case NetOut:
            return rate_text(figure.value);
        case Temperature:
            return tr("%1 °C").arg(figure.value, 0, 'f', 0);
        case Power:
            return figure.value < 1000 ? tr("%1 W").arg(figure.value, 0, 'f', 0)
                                       : tr("%1 kW").arg(figure.value / 1000, 0, 'f', 1);
        case Disk:
            return tr("%1 GiB").arg(short_number(figure.value / kGib));
        default:
            return std::isfinite(figure.of)
                       ? tr("%1 / %2 GiB")
                             .arg(short_number(figure.value / kGib), short_number(figure.of / kGib))
                       : tr("%1 GiB").arg(short_number(figure.value / kGib));
    }
}

QVariant NodeSamplesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return int((section == Node ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
        case Node:
            return tr("Node");
        case Cpu:
            return tr("CPU");
        case Memory:
            return tr("Memory");
        case NetIn:
            return tr("Net in");
        case NetOut:
            return tr("Net out");
        case Disk:
            return tr("Disk free");
        case GpuUse:
            return tr("GPU");
        case GpuMemory:
            return tr("GPU memory");
        case Temperature:
            return tr("Temp.");
        case Power:
            return tr("Power");
        default:
            return {};
    }
}

}  // namespace rankscope::gui
