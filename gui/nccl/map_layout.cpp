// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/map_layout.h>
#include <gui/strings.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace rankscope::gui {

namespace {

using logs::CommMap;
using logs::MapLink;
using logs::MapNode;
using logs::TransportKind;

constexpr double kMargin = 30;  ///< left and right: lines that pass several rows run there
constexpr double kGapX = 56;
constexpr double kGapY = 36;
constexpr double kMapPad = 10;
constexpr double kGpuGap = 14;
constexpr double kArcs = 30;  ///< room above the GPUs
constexpr double kStubs = 28;
constexpr double kNicGap = 10;
constexpr std::size_t kMostGpus = 16;
constexpr int kLanes = 7;
constexpr double kLane = 4;

std::size_t matching(const std::vector<int>& channels, int channel) {
    return channel < 0 ? channels.size()
                       : std::size_t(std::binary_search(channels.begin(), channels.end(), channel));
}

double lane(std::size_t index) {
    return (double(index % kLanes) - (kLanes - 1) / 2.0) * kLane;
}

/// A line through the points, with round corners.
QPainterPath rounded(const std::vector<QPointF>& points) {
    constexpr double kRadius = 8;
    QPainterPath path(points.front());
    for (std::size_t i = 1; i + 1 < points.size(); ++i) {
        const QPointF before = points[i - 1] - points[i];
        const QPointF after = points[i + 1] - points[i];
        const double in = std::hypot(before.x(), before.y());
        const double out = std::hypot(after.x(), after.y());
        if (in < 1 || out < 1) {
            continue;
        }
        const double radius = std::min({kRadius, in / 2, out / 2});
        path.lineTo(points[i] + before * (radius / in));
        path.quadTo(points[i], points[i] + after * (radius / out));
    }
    path.lineTo(points.back());
    return path;
}

class Builder {
public:
    Builder(const logs::RunFacts& facts, const CommMap& map, const MapFilter& filter,
            const std::set<std::size_t>& open, double width, const QFontMetricsF& text)
        : facts_(facts), map_(map), filter_(filter), open_(open), width_(width), text_(text) {}

    MapLayout build() {
        for (std::size_t i = 0; i < map_.links.size(); ++i) {
            if (shown_channels(map_.links[i], filter_) > 0) {
                shown_.push_back(i);
            }
        }
        find_devices();
        for (std::size_t node = 0; node < map_.nodes.size(); ++node) {
            layout_.boxes.push_back(make_box(node));
        }
        place_boxes();
        for (MapBox& box : layout_.boxes) {
            fill(box);
        }
        inner_lines();
        outer_lines();
        return std::move(layout_);
    }

private:
    std::size_t node_of(int rank) const { return map_.node_of[std::size_t(rank)]; }

    // Which network devices the shown links of each node use.
    void find_devices() {
        for (const std::size_t i : shown_) {
            const MapLink& link = map_.links[i];
            if (!logs::is_network(link.kind)) {
                continue;
            }
            used_[node_of(link.from)].insert(link.send_devices.begin(), link.send_devices.end());
            used_[node_of(link.to)].insert(link.receive_devices.begin(), link.receive_devices.end());
        }
    }

    bool uses_sockets(std::size_t node) const {
        return std::any_of(shown_.begin(), shown_.end(), [&](std::size_t i) {
            const MapLink& link = map_.links[i];
            return link.kind == TransportKind::NetSocket &&
                   (node_of(link.from) == node || node_of(link.to) == node);
        });
    }

    std::vector<MapNic> devices_of(std::size_t node) const {
        std::vector<MapNic> nics;
        const std::size_t host = map_.nodes[node].host;
        const auto used = used_.find(node);
        const auto is_used = [&](int device) { return used != used_.end() && used->second.contains(device); };
        const bool sockets = uses_sockets(node);
        if (host < facts_.hosts.size()) {
            const logs::HostFacts& of = facts_.hosts[host];
            for (const logs::IbDevice& device : of.ib_devices) {
                nics.push_back({device.index, qs(device.name), !sockets && is_used(device.index), {}});
            }
            if (sockets || of.ib_devices.empty()) {
                const auto& interfaces = of.sockets.empty() ? of.bootstrap : of.sockets;
                for (std::size_t i = 0; i < interfaces.size(); ++i) {
                    nics.push_back({int(i), qs(interfaces[i].interface), sockets && is_used(int(i)), {}});
                }
            }
        }
        if (used != used_.end()) {
            for (const int device : used->second) {
                const bool named = std::any_of(nics.begin(), nics.end(), [&](const MapNic& nic) {
                    return nic.used && nic.device == device;
                });
                if (!named) {
                    nics.push_back({device, u"NIC "_s + QString::number(device), true, {}});
                }
            }
        }
        return nics;
    }

    double gpu_width() const { return text_.horizontalAdvance(u"rank 8888"_s) + 10; }
    double gpu_height() const { return 3 * text_.height() + 6; }
    double nic_width(const QString& name) const {
        return std::clamp(text_.horizontalAdvance(name) + 12, 46.0, 110.0);
    }

    MapBox make_box(std::size_t node) const {
        MapBox box;
        box.node = node;
        box.open = open_.contains(node);
        const MapNode& of = map_.nodes[node];
        if (!box.open) {
            box.box.setSize(
                {text_.horizontalAdvance(u"a name of a node"_s) + 2 * kMapPad, 2 * text_.height() + 10});
            return box;
        }
        for (const logs::MapRank& rank : of.ranks) {
            if (box.gpus.size() == kMostGpus) {
                box.more = of.ranks.size() - kMostGpus;
                break;
            }
            box.gpus.push_back({rank.rank, rank.seen, rank.member, {}});
        }
        box.nics = devices_of(node);
        double nics = -kNicGap;
        for (const MapNic& nic : box.nics) {
            nics += nic_width(nic.name) + kNicGap;
        }
        const double gpus = double(box.gpus.size()) * (gpu_width() + kGpuGap) - kGpuGap;
        const double title = text_.horizontalAdvance(u"a name of a node, and its 8 GPUs"_s);
        box.box.setSize({std::max({gpus, nics, title}) + 2 * kMapPad,
                         text_.height() + 8 + kArcs + gpu_height() + kStubs +
                             (box.nics.empty() ? 0 : text_.height() + 6) + kMapPad});
        return box;
    }

    // Rows as wide as the view; every other one backwards, so that neighbours in the ring are neighbours here.
    void place_boxes() {
        const double room = std::max(width_ - 2 * kMargin, 1.0);
        double y = kMargin / 2;
        std::size_t begin = 0;
        double widest = 0;
        while (begin < layout_.boxes.size()) {
            double used = layout_.boxes[begin].box.width();
            double height = layout_.boxes[begin].box.height();
            std::size_t end = begin + 1;
            while (end < layout_.boxes.size() && used + kGapX + layout_.boxes[end].box.width() <= room) {
                used += kGapX + layout_.boxes[end].box.width();
                height = std::max(height, layout_.boxes[end].box.height());
                ++end;
            }
            const bool backwards = rows_.size() % 2 == 1;
            double x = kMargin;
            if (backwards && end < layout_.boxes.size()) {
                x = kMargin + std::max(0.0, widest - used);
            }
            for (std::size_t i = begin; i < end; ++i) {
                MapBox& box = layout_.boxes[backwards ? end - 1 - (i - begin) : i];
                box.box.moveTopLeft({x, y});
                x += box.box.width() + kGapX;
            }
            for (std::size_t i = begin; i < end; ++i) {
                row_of_.push_back(rows_.size());
                position_.push_back(backwards ? end - 1 - i : i - begin);
            }
            rows_.push_back({y, y + height});
            widest = std::max(widest, used);
            y += height + kGapY;
            begin = end;
        }
        layout_.size = {widest + 2 * kMargin, y};
    }

    void fill(MapBox& box) {
        box.title = QRectF(box.box.left() + kMapPad, box.box.top() + 3, box.box.width() - 2 * kMapPad,
                           text_.height() + 2);
        const auto centred = [&](double width) { return box.box.left() + (box.box.width() - width) / 2; };
        double x = centred(double(box.gpus.size()) * (gpu_width() + kGpuGap) - kGpuGap);
        const double y = box.box.top() + text_.height() + 8 + kArcs;
        for (MapGpu& gpu : box.gpus) {
            gpu.box = {x, y, gpu_width(), gpu_height()};
            gpu_at_[gpu.rank] = gpu.box;
            x += gpu_width() + kGpuGap;
        }
        double nics = -kNicGap;
        for (const MapNic& nic : box.nics) {
            nics += nic_width(nic.name) + kNicGap;
        }
        x = centred(nics);
        for (MapNic& nic : box.nics) {
            nic.box = {x, y + gpu_height() + kStubs, nic_width(nic.name), text_.height() + 6};
            x += nic.box.width() + kNicGap;
        }
    }

    MapLine line_of(std::size_t link) const {
        const MapLink& of = map_.links[link];
        MapLine line;
        line.links = {link};
        line.kind = of.kind;
        line.pxn = of.proxy_rank >= 0;
        line.channels = shown_channels(of, filter_);
        return line;
    }

    // Between GPUs of one machine: to the right above them, to the left below.
    void inner_lines() {
        std::map<std::tuple<int, std::size_t, int, TransportKind>, std::size_t> stubs;
        for (const std::size_t i : shown_) {
            const MapLink& link = map_.links[i];
            const std::size_t node = node_of(link.from);
            if (node == node_of(link.to)) {
                inner_line(i);
                continue;
            }
            stub(i, link.from, link.send_devices, stubs);
            stub(i, link.to, link.receive_devices, stubs);
        }
    }

    void inner_line(std::size_t i) {
        const MapLink& link = map_.links[i];
        const auto from = gpu_at_.find(link.from);
        const auto to = gpu_at_.find(link.to);
        if (from == gpu_at_.end() || to == gpu_at_.end() || link.from == link.to) {
            return;
        }
        const QRectF& a = from->second;
        const QRectF& b = to->second;
        const bool right = b.left() > a.left();
        const double steps = std::abs(b.left() - a.left()) / (gpu_width() + kGpuGap);
        MapLine line = line_of(i);
        if (steps < 1.5) {
            const double y = a.top() + a.height() * (right ? 0.33 : 0.67);
            line.path.moveTo(right ? a.right() : a.left(), y);
            line.path.lineTo(right ? b.left() : b.right(), y);
        } else {
            const double height = std::min((right ? kArcs : kStubs) - 4, 8 + 3 * steps);
            const double y = right ? a.top() : a.bottom();
            const double peak = right ? y - height : y + height;
            const double inset = a.width() * (right ? 0.3 : 0.25);
            const QPointF start(right ? a.right() - inset : a.left() + inset, y);
            const QPointF end(right ? b.left() + inset : b.right() - inset, y);
            const double turn = (end.x() - start.x()) * 0.18;
            line.path.moveTo(start);
            line.path.cubicTo({start.x() + turn * 0.3, peak}, {start.x() + turn, peak},
                              {start.x() + turn, peak});
            line.path.lineTo(end.x() - turn, peak);
            line.path.cubicTo({end.x() - turn, peak}, {end.x() - turn * 0.3, peak}, end);
        }
        layout_.lines.push_back(std::move(line));
    }

    void stub(std::size_t i, int rank, const std::vector<int>& devices,
              std::map<std::tuple<int, std::size_t, int, TransportKind>, std::size_t>& stubs) {
        const MapBox& box = layout_.boxes[node_of(rank)];
        const auto gpu = gpu_at_.find(rank);
        if (!box.open || gpu == gpu_at_.end()) {
            return;
        }
        for (const MapNic& nic : box.nics) {
            if (!nic.used || !std::binary_search(devices.begin(), devices.end(), nic.device)) {
                continue;
            }
            const auto [at, is_new] =
                stubs.try_emplace({rank, box.node, nic.device, map_.links[i].kind}, layout_.lines.size());
            if (!is_new) {
                layout_.lines[at->second].links.push_back(i);
                layout_.lines[at->second].channels += shown_channels(map_.links[i], filter_);
                continue;
            }
            MapLine line = line_of(i);
            line.stub = true;
            const QPointF start(gpu->second.center().x(), gpu->second.bottom());
            const QPointF end(nic.box.center().x(), nic.box.top());
            line.path.moveTo(start);
            line.path.cubicTo({start.x(), end.y() - 6}, {end.x(), start.y() + 10}, end);
            layout_.lines.push_back(std::move(line));
        }
    }

    // Between machines: all links of a kind are one line.
    void outer_lines() {
        std::map<std::tuple<std::size_t, std::size_t, TransportKind>, MapLine> bundles;
        for (const std::size_t i : shown_) {
            const MapLink& link = map_.links[i];
            const std::size_t from = node_of(link.from);
            const std::size_t to = node_of(link.to);
            if (from == to) {
                continue;
            }
            const auto [at, is_new] = bundles.try_emplace({from, to, link.kind}, MapLine{});
            const MapLine one = line_of(i);
            if (is_new) {
                at->second = one;
            } else {
                at->second.links.push_back(i);
                at->second.channels += one.channels;
                at->second.pxn = at->second.pxn || one.pxn;
            }
        }
        std::size_t index = 0;
        std::size_t of_pair = 0;
        std::pair<std::size_t, std::size_t> last;
        for (auto& [key, line] : bundles) {
            const std::pair pair(std::get<0>(key), std::get<1>(key));
            of_pair = index > 0 && pair == last ? of_pair + 1 : 0;
            last = pair;
            line.path = rounded(way(pair.first, pair.second, index++, of_pair));
            layout_.lines.push_back(std::move(line));
        }
    }

    std::vector<QPointF> way(std::size_t from, std::size_t to, std::size_t index, std::size_t of_pair) {
        const QRectF& a = layout_.boxes[from].box;
        const QRectF& b = layout_.boxes[to].box;
        const double shift = lane(index);
        const std::size_t row_a = row_of_[from];
        const std::size_t row_b = row_of_[to];
        const auto distance =
            std::max(position_[from], position_[to]) - std::min(position_[from], position_[to]);
        if (row_a == row_b && distance == 1) {
            // The way there above the way back, each kind beside the other.
            const double height = std::min(a.height(), b.height());
            const double step = std::min(text_.height() + 2, height / 8);
            const double y = std::max(a.top(), b.top()) + height * (b.left() > a.left() ? 0.2 : 0.6) +
                             double(of_pair % 4) * step;
            return b.left() > a.left() ? std::vector<QPointF>{{a.right(), y}, {b.left(), y}}
                                       : std::vector<QPointF>{{a.left(), y}, {b.right(), y}};
        }
        const double exit = a.center().x() + shift * 3 - 14;
        const double entry = b.center().x() + shift * 3 + 14;
        const auto below = [&](std::size_t row) { return rows_[row].second + kGapY / 2 + shift; };
        if (row_a == row_b) {
            const double y = below(row_a);
            return {{exit, a.bottom()}, {exit, y}, {entry, y}, {entry, b.bottom()}};
        }
        if (row_b == row_a + 1) {
            const double y = below(row_a);
            return {{exit, a.bottom()}, {exit, y}, {entry, y}, {entry, b.top()}};
        }
        if (row_a == row_b + 1) {
            const double y = below(row_b);
            return {{exit, a.top()}, {exit, y}, {entry, y}, {entry, b.bottom()}};
        }
        const double side = kMargin / 2 + shift;
        const bool down = row_b > row_a;
        const double out = down ? below(row_a) : below(row_a - 1);
        const double in = down ? below(row_b - 1) : below(row_b);
        return {{exit, down ? a.bottom() : a.top()}, {exit, out}, {side, out}, {side, in}, {entry, in},
                {entry, down ? b.top() : b.bottom()}};
    }

    const logs::RunFacts& facts_;
    const CommMap& map_;
    const MapFilter& filter_;
    const std::set<std::size_t>& open_;
    double width_;
    const QFontMetricsF& text_;
    MapLayout layout_;
    std::vector<std::size_t> shown_;  ///< links
    std::map<std::size_t, std::set<int>> used_;
    std::vector<std::pair<double, double>> rows_;  ///< top and bottom
    std::vector<std::size_t> row_of_, position_;   ///< of each box
    std::map<int, QRectF> gpu_at_;
};

}  // namespace

std::size_t shown_channels(const logs::MapLink& link, const MapFilter& filter) {
    const std::size_t rings = matching(link.ring_channels, filter.channel);
    const std::size_t trees = matching(link.tree_channels, filter.channel);
    switch (filter.show) {
        case MapShow::Rings:
            return rings;
        case MapShow::Trees:
            return trees;
        case MapShow::RingsAndTrees:
            return std::max(rings, trees);
        case MapShow::All:
            return std::max(rings, trees) + matching(link.other_channels, filter.channel);
    }
    return 0;
}

MapLayout lay_out(const logs::RunFacts& facts, const logs::CommMap& map, const MapFilter& filter,
                  const std::set<std::size_t>& open, double width, const QFontMetricsF& text) {
    return Builder(facts, map, filter, open, width, text).build();
}

}  // namespace rankscope::gui
