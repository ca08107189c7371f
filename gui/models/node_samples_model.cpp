// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/node_figures.h>
#include <gui/models/column_titles.h>
#include <gui/models/gpu_texts.h>
#include <gui/models/node_samples_model.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/runs/verdict_words.h>
#include <remote/wire/sample_keys.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kGibibyte = 1024.0 * 1024 * 1024;
constexpr std::int64_t kFreshUs = 5'000'000;  ///< younger samples are not old, however often they come
constexpr std::int64_t kAnyAge = std::numeric_limits<std::int64_t>::max();
constexpr quintptr kNodeLevel = 0;  ///< internal id of a node's row; a GPU's row has its node's row + 1

/// What a column of a GPU's row shows; nothing for columns of the node.
std::optional<GpuFigure> figure_of(int column) {
    switch (column) {
        case NodeSamplesModel::GpuUse:
            return GpuFigure::Use;
        case NodeSamplesModel::GpuMemory:
            return GpuFigure::MemoryUsed;
        case NodeSamplesModel::Temperature:
            return GpuFigure::Temperature;
        case NodeSamplesModel::Power:
            return GpuFigure::Power;
        case NodeSamplesModel::Clock:
            return GpuFigure::SmClock;
        case NodeSamplesModel::LimitedBy:
            return GpuFigure::Throttle;
        case NodeSamplesModel::Ecc:
            return GpuFigure::Ecc;
        case NodeSamplesModel::Link:
            return GpuFigure::PcieWidth;
        default:
            return {};
    }
}

double value_of(const GpuSample& gpu, int column) {
    if (column == NodeSamplesModel::LimitedBy) {
        const ClockLimit limit = clock_limit(gpu[GpuFigure::Throttle]);
        return limit == ClockLimit::Unknown ? kNan : double(limit);
    }
    if (column == NodeSamplesModel::Link) {
        return gpu_link_rate(gpu);
    }
    const auto figure = figure_of(column);
    return figure ? gpu[*figure] : kNan;
}

double combined(int column, double all, double one) {
    switch (column) {
        case NodeSamplesModel::Temperature:
        case NodeSamplesModel::LimitedBy:
            return std::max(all, one);
        case NodeSamplesModel::Clock:
            return std::min(all, one);
        default:
            return all + one;
    }
}

bool same_shape(const std::vector<NodeSamplesModel::Row>& a, const std::vector<NodeSamplesModel::Row>& b) {
    const auto same_gpu = [](const GpuSample& one, const GpuSample& other) {
        return one.index == other.index;
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](const NodeSamplesModel::Row& one, const NodeSamplesModel::Row& other) {
                          return one.node == other.node &&
                                 std::equal(one.gpus.begin(), one.gpus.end(), other.gpus.begin(),
                                            other.gpus.end(), same_gpu);
                      });
}

/// What the samples say of a rank's GPU is better than the plan, which an own program need not follow.
void assign_ranks(NodeSamplesModel::Row& row, const std::map<GpuPlace, std::vector<int>>& planned) {
    std::set<int> seen;
    for (const GpuSample& gpu : row.gpus) {
        seen.insert(gpu.ranks.begin(), gpu.ranks.end());
    }
    for (GpuSample& gpu : row.gpus) {
        if (const auto at = planned.find({row.node, gpu.index}); at != planned.end()) {
            std::copy_if(at->second.begin(), at->second.end(), std::back_inserter(gpu.ranks),
                         [&seen](int rank) { return !seen.contains(rank); });
            std::sort(gpu.ranks.begin(), gpu.ranks.end());
        }
    }
}

/// The same GPUs with the figures of a range; what was not sampled then is absent.
void take_figures(std::vector<GpuSample>& gpus, const std::vector<GpuSample>& of_range) {
    for (GpuSample& gpu : gpus) {
        const auto at = std::find_if(of_range.begin(), of_range.end(),
                                     [&gpu](const GpuSample& each) { return each.index == gpu.index; });
        const std::vector<int> ranks = std::move(gpu.ranks);
        const int index = gpu.index;
        gpu = at == of_range.end() ? GpuSample() : *at;
        gpu.index = index;
        gpu.ranks = ranks;
    }
}

}  // namespace

void NodeSamplesModel::set_data(const LiveData* data) {
    beginResetModel();
    data_ = data;
    rows_.clear();
    planned_.clear();
    planned_of_ = 0;
    in_range_.clear();
    rows_ = rows_now();
    endResetModel();
}

void NodeSamplesModel::set_range(const TimeSpan& span) {
    if (span == range_) {
        return;
    }
    range_ = span;
    in_range_.clear();
    for (Row& row : rows_) {
        row.last_us = 0;  // has other figures now
    }
    refresh(now_us_);
    emit headerDataChanged(Qt::Horizontal, 0, NUM_COLUMNS - 1);
}

void NodeSamplesModel::refresh(std::int64_t now_us) {
    now_us_ = now_us;
    std::vector<Row> rows = rows_now();
    if (!same_shape(rows, rows_)) {
        beginResetModel();
        rows_ = std::move(rows);
        endResetModel();
        return;
    }
    rows_ = std::move(rows);
    for (int row = 0; row < int(rows_.size()); ++row) {
        emit dataChanged(index(row, Node), index(row, NUM_COLUMNS - 1));
        const QModelIndex node = index(row, Node);
        if (const int gpus = rowCount(node); gpus > 0) {
            emit dataChanged(index(0, Node, node), index(gpus - 1, NUM_COLUMNS - 1, node));
        }
    }
}

std::vector<NodeSamplesModel::Row> NodeSamplesModel::rows_now() {
    std::vector<Row> rows;
    marks_ = data_ ? fault_marks(data_->state) : FaultMarks();
    if (!data_) {
        return rows;
    }
    const bool other_plan = planned_of_ != data_->state.ranks.size();
    if (other_plan) {
        planned_ = planned_ranks(data_->state);
        planned_of_ = data_->state.ranks.size();
    }
    const auto& samples = data_->state.samples;
    std::set<std::string> seen;
    const auto add = [&](const std::string& name) {
        const auto it = samples.find(name);
        if (it == samples.end() || !seen.insert(name).second) {
            return;
        }
        if (shows_range()) {
            count_range(name);
        }
        const std::size_t place = rows.size();
        const bool known = !other_plan && place < rows_.size() && rows_[place].node == name &&
                           rows_[place].last_us == it->second.last_us;
        rows.push_back(known ? rows_[place] : row_of(name));
    };
    for (const NodePlan& node : data_->state.plan.nodes) {
        add(node.node);
    }
    for (const auto& [name, node] : samples) {
        add(name);
    }
    return rows;
}

void NodeSamplesModel::count_range(const std::string& node) {
    const std::int64_t last_us = data_->state.samples.at(node).last_us;
    const auto known = in_range_.find(node);
    const auto history = data_->sample_history.find(node);
    // What comes after the range does not change it.
    const bool counted = known != in_range_.end() &&
                         (known->second.last_us == last_us || known->second.last_us > range_.until_us);
    if (!counted) {
        in_range_[node] = {last_us, history == data_->sample_history.end()
                                        ? NodeSamples()
                                        : history->second.whole_run().over(range_)};
    }
}

std::int64_t NodeSamplesModel::late_after_us(const std::string& node) const {
    const auto history = data_->sample_history.find(node);
    const std::int64_t usual = history == data_->sample_history.end() ? 0 : history->second.interval_us();
    return std::max(kFreshUs, 3 * usual);
}

NodeSamplesModel::Row NodeSamplesModel::row_of(const std::string& node) const {
    const NodeSamples& newest = newest_of(node);
    Row row{node, newest.last_us, gpu_samples(newest, late_after_us(node))};
    if (shows_range()) {
        take_figures(row.gpus, gpu_samples(samples_of(node), kAnyAge));
    }
    assign_ranks(row, planned_);
    return row;
}

const NodeSamplesModel::Row& NodeSamplesModel::row_at(const QModelIndex& index) const {
    const bool of_node = index.internalId() == kNodeLevel;
    return rows_[of_node ? std::size_t(index.row()) : std::size_t(index.internalId() - 1)];
}

const GpuSample* NodeSamplesModel::gpu_at(const QModelIndex& index) const {
    return index.internalId() == kNodeLevel ? nullptr : &row_at(index).gpus[std::size_t(index.row())];
}

const NodeSamples& NodeSamplesModel::samples_of(const std::string& node) const {
    static const NodeSamples none;
    if (shows_range()) {
        const auto counted = in_range_.find(node);
        return counted == in_range_.end() ? none : counted->second.samples;
    }
    return newest_of(node);
}

const NodeSamples& NodeSamplesModel::newest_of(const std::string& node) const {
    static const NodeSamples none;
    const auto it = data_->state.samples.find(node);
    return it == data_->state.samples.end() ? none : it->second;
}

double NodeSamplesModel::age_s(const std::string& node) const {
    const std::int64_t last_us = samples_of(node).last_us;
    if (now_us_ == 0 || last_us == 0 || shows_range()) {
        return 0;
    }
    const std::int64_t age = now_us_ - last_us;
    return age > late_after_us(node) ? double(age) / 1e6 : 0;
}

bool NodeSamplesModel::has_gpus() const {
    return std::any_of(rows_.begin(), rows_.end(), [this](const Row& row) {
        return !row.gpus.empty() || find_value(newest_of(row.node), sample_key::kGpuUnavailable) != nullptr;
    });
}

int NodeSamplesModel::gpu_count() const {
    std::size_t count = 0;
    for (const Row& row : rows_) {
        count += row.gpus.size();
    }
    return int(count);
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

NodeSamplesModel::Figure NodeSamplesModel::node_figure(const Row& row, int column) const {
    const NodeSamples& node = samples_of(row.node);
    switch (column) {
        case Cpu:
            return {last_value(node, sample_key::kCpu), kNan};
        case Memory:
            return {last_value(node, sample_key::kMemUsed), last_value(node, sample_key::kMemTotal)};
        case NetIn:
        case NetOut:
            return {last_value(node, sample_key::net(busiest_interface(node), column == NetIn ? "rx" : "tx")),
                    kNan};
        case Disk:
            return {last_value(node, sample_key::kDiskFree), last_value(node, sample_key::kDiskTotal)};
        default:
            break;
    }
    Figure all{kNan, kNan};
    int reporting = 0;
    for (const GpuSample& gpu : row.gpus) {
        const double value = value_of(gpu, column);
        if (!std::isfinite(value)) {
            continue;
        }
        const double total = column == GpuMemory ? gpu[GpuFigure::MemoryTotal] : kNan;
        const bool first = reporting++ == 0;
        all.value = first ? value : combined(column, all.value, value);
        all.of = first ? total : all.of + total;
    }
    if (column == GpuUse && reporting > 0) {
        all.value /= reporting;
    }
    return all;
}

NodeSamplesModel::Figure NodeSamplesModel::figure(const QModelIndex& index) const {
    const GpuSample* gpu = gpu_at(index);
    if (gpu == nullptr) {
        return node_figure(row_at(index), index.column());
    }
    return {value_of(*gpu, index.column()),
            index.column() == GpuMemory ? (*gpu)[GpuFigure::MemoryTotal] : kNan};
}

QVariant NodeSamplesModel::history(const QModelIndex& index) const {
    const GpuSample* gpu = gpu_at(index);
    std::string key;
    if (index.column() == Cpu && gpu == nullptr) {
        key = sample_key::kCpu;
    } else if (index.column() == GpuUse) {
        key = gpu == nullptr ? "gpu" : sample_key::gpu(gpu->index, "util");
    }
    const auto it = data_->sample_history.find(row_at(index).node);
    if (key.empty() || it == data_->sample_history.end()) {
        return {};
    }
    if (shows_range()) {
        std::vector<float> values = it->second.whole_run().course(key, range_, SampleHistory::kKept);
        values.erase(std::remove_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); }),
                     values.end());
        return QVariant::fromValue(QList<float>(values.begin(), values.end()));
    }
    const std::vector<float>& values = it->second.of(key);
    return QVariant::fromValue(QList<float>(values.begin(), values.end()));
}

QString NodeSamplesModel::course(const std::string& node, const std::string& key) const {
    const NodeSamples::Value* value = find_value(samples_of(node), key);
    if (shows_range()) {
        return tr("Mean of the chosen range");
    }
    return value ? tr("mean %1, most %2 since the start")
                       .arg(percent_text(value->mean(), 0), percent_text(value->most, 0))
                 : QString();
}

QString NodeSamplesModel::node_tip(const Row& row, int column) const {
    const NodeSamples& node = samples_of(row.node);
    const bool absent = column > Node && !std::isfinite(node_figure(row, column).value);
    if (absent && shows_range()) {
        return tr("Not sampled in the chosen range");
    }
    if (absent && column >= GpuUse) {
        return row.gpus.empty() ? why_no_gpus(node) : tr("Not available: no GPU of this node reports it.");
    }
    if (absent) {
        return tr("Not available: the node does not report it.");
    }
    switch (column) {
        case Node:
            if (shows_range()) {
                return tr("%1: means of the chosen range; of temperatures and counted errors the highest")
                    .arg(qs(row.node));
            }
            return marks_.blames(row.node)
                       ? tr("%1, sampled at %2\nAt fault: %3")
                             .arg(qs(row.node), date_time_text(node.last_us), qs(marks_.culprit_name()))
                       : tr("%1, sampled at %2").arg(qs(row.node), date_time_text(node.last_us));
        case Cpu:
            return course(row.node, sample_key::kCpu);
        case NetIn:
        case NetOut: {
            QStringList lines;
            for (const std::string& name : interfaces_of(node)) {
                const double in = last_value(node, sample_key::net(name, "rx"));
                const double out = last_value(node, sample_key::net(name, "tx"));
                lines += tr("%1: %2 in, %3 out").arg(qs(name), rate_text(in), rate_text(out));
            }
            return lines.join(u'\n');
        }
        case Disk:
            return tr("Free where Rankscope's cache folder is");
        case GpuUse:
            return tr("Mean of its GPUs");
        case GpuMemory:
        case Power:
        case Ecc:
        case Link:
            return tr("Of its GPUs together");
        case Temperature:
            return tr("Of the hottest");
        case Clock:
            return tr("Of the slowest");
        case LimitedBy:
            return tr("The most serious of its GPUs");
        default:
            return {};
    }
}

QString NodeSamplesModel::tool_tip(const QModelIndex& index) const {
    const Row& row = row_at(index);
    const int column = index.column();
    const GpuSample* gpu = gpu_at(index);
    if (gpu == nullptr) {
        return node_tip(row, column);
    }
    const auto figure = figure_of(column);
    if (!figure) {
        return column == Node ? gpu_tip(*gpu) : QString();
    }
    if (text(index).isEmpty() && shows_range()) {
        return tr("Not sampled in the chosen range");
    }
    if (text(index).isEmpty()) {
        return why_absent(*gpu, *figure);
    }
    switch (column) {
        case GpuUse:
            return course(row.node, sample_key::gpu(gpu->index, "util"));
        case Power:
            return gpu->has(GpuFigure::PowerLimit)
                       ? tr("Its limit: %1 W").arg((*gpu)[GpuFigure::PowerLimit], 0, 'f', 0)
                       : QString();
        case Clock:
            return gpu->has(GpuFigure::SmClockMax)
                       ? tr("The highest possible: %1").arg(clock_text((*gpu)[GpuFigure::SmClockMax]))
                       : QString();
        case LimitedBy:
            return tr("What holds its clock down, as the driver says");
        case Ecc:
            return gpu->has(GpuFigure::EccCorrected)
                       ? tr("Uncorrected memory errors since the driver was loaded; corrected: %1")
                             .arg((*gpu)[GpuFigure::EccCorrected], 0, 'f', 0)
                       : tr("Uncorrected memory errors since the driver was loaded");
        case Link:
            return gpu_link_tip(*gpu);
        default:
            return {};
    }
}

bool NodeSamplesModel::is_fault(const QModelIndex& index) const {
    const double value = figure(index).value;
    if (index.column() == Node && gpu_at(index) == nullptr) {
        return marks_.blames(row_at(index).node) && !marks_.slows_only;
    }
    return (index.column() == Ecc && value > 0) ||
           (index.column() == LimitedBy && std::isfinite(value) && is_slowed_down(ClockLimit(int(value))));
}

QVariant NodeSamplesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || !data_) {
        return {};
    }
    switch (role) {
        case Qt::TextAlignmentRole:
            return int((index.column() == Node ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        case StaleRole:
            return age_s(row_at(index).node) > 0 || unknown_since_us(row_at(index).node) > 0;
        case FaultRole:
            return is_fault(index);
        case RanksRole:
            return QVariant::fromValue(ranks(index));
        case RangeRole:
            return shows_range();
        case HistoryRole:
            return history(index);
        case Qt::ToolTipRole:
            return plain_text(tool_tip(index));
        case SortRole: {
            if (index.column() == Node) {
                const GpuSample* gpu = gpu_at(index);
                return gpu == nullptr ? index.row() : gpu->index;
            }
            const double value = figure(index).value;
            return std::isfinite(value) ? value : -1.0;
        }
        case Qt::DisplayRole: {
            const QString shown = index.column() == Node ? name(index) : text(index);
            // A GPU's row has nothing of the node's: no dash there.
            const bool empty = shown.isEmpty() && (gpu_at(index) == nullptr || index.column() >= GpuUse);
            return empty ? QString(u'–') : shown;
        }
        default:
            return {};
    }
}

QList<int> NodeSamplesModel::ranks(const QModelIndex& index) const {
    if (const GpuSample* gpu = gpu_at(index); gpu != nullptr) {
        return {gpu->ranks.begin(), gpu->ranks.end()};
    }
    QList<int> all;
    for (const RankState& rank : data_->state.ranks) {
        if (rank.node == row_at(index).node) {
            all += rank.rank;
        }
    }
    return all;
}

QString NodeSamplesModel::name(const QModelIndex& index) const {
    const Row& row = row_at(index);
    if (const GpuSample* gpu = gpu_at(index); gpu != nullptr) {
        return gpu->ranks.empty()       ? tr("GPU %1").arg(gpu->index)
               : gpu->ranks.size() == 1 ? tr("GPU %1 · rank %2").arg(gpu->index).arg(gpu->ranks.front())
                                        : tr("GPU %1 · ranks %2").arg(gpu->index).arg(ranks_text(gpu->ranks));
    }
    if (const std::int64_t since_us = unknown_since_us(row.node); since_us > 0) {
        return tr("%1 · unknown since %2").arg(qs(row.node), qs(time_of_day(since_us)));
    }
    const double age = age_s(row.node);
    return age > 0 ? tr("%1 · as of %2 ago").arg(qs(row.node), whole_seconds_text(std::floor(age)))
                   : qs(row.node);
}

QString NodeSamplesModel::text(const QModelIndex& index) const {
    if (const GpuSample* gpu = gpu_at(index); gpu != nullptr && index.column() == Link) {
        return gpu_link_text(*gpu);
    }
    const Figure figure = this->figure(index);
    if (!std::isfinite(figure.value)) {
        return {};
    }
    switch (index.column()) {
        case Cpu:
        case GpuUse:
            return percent_text(figure.value, 0);
        case NetIn:
        case NetOut:
        case Link:
            return rate_text(figure.value);
        case Temperature:
            return tr("%1 °C").arg(figure.value, 0, 'f', 0);
        case Power:
            return figure.value < 1000 ? tr("%1 W").arg(figure.value, 0, 'f', 0)
                                       : tr("%1 kW").arg(figure.value / 1000, 0, 'f', 1);
        case Clock:
            return clock_text(figure.value);
        case LimitedBy:
            return clock_limit_text(ClockLimit(int(figure.value)));
        case Ecc:
            return count_text(std::int64_t(std::clamp(figure.value, 0.0, 9e15)));
        case Disk:
            return tr("%1 GiB").arg(short_number(figure.value / kGibibyte));
        default:
            return std::isfinite(figure.of)
                       ? tr("%1 / %2 GiB")
                             .arg(short_number(figure.value / kGibibyte), short_number(figure.of / kGibibyte))
                       : tr("%1 GiB").arg(short_number(figure.value / kGibibyte));
    }
}

QVariant NodeSamplesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role == Qt::TextAlignmentRole && orientation == Qt::Horizontal) {
        return int((section == Node ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    return column_title(
        {tr("Node"), tr("CPU"), tr("Memory"), tr("Net in"), tr("Net out"), tr("Disk free"), tr("GPU"),
         tr("GPU memory"), tr("Temp."), tr("Power"), tr("Clock"), tr("Limited by"), tr("ECC"), tr("Link")},
        section, orientation, role);
}

}  // namespace rankscope::gui
