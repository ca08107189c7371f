// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/facts/comm_map.h>

#include <QFontMetricsF>
#include <QPainterPath>
#include <QRectF>
#include <QSizeF>
#include <QString>
#include <cstddef>
#include <set>
#include <vector>

namespace rankscope::gui {

enum class MapShow { RingsAndTrees, Rings, Trees, All };

struct MapFilter {
    int channel = -1;  ///< -1: all
    MapShow show = MapShow::RingsAndTrees;

    bool operator==(const MapFilter&) const = default;
};

/// Channels of the link that the filter lets through.
std::size_t shown_channels(const logs::MapLink& link, const MapFilter& filter);

struct MapGpu {
    int rank = -1;
    bool seen = false;
    std::size_t member = 0;
    QRectF box;
};

struct MapNic {
    int device = -1;  ///< as NCCL counts
    QString name;
    bool used = false;
    QRectF box;
};

struct MapBox {
    std::size_t node = 0;  ///< index into CommMap::nodes
    bool open = false;     ///< with its GPUs and network devices
    QRectF box;
    QRectF title;
    std::vector<MapGpu> gpus;
    std::vector<MapNic> nics;
    std::size_t more = 0;  ///< ranks that have no room
};

/// One line of the picture: a link, or all links of a kind from one machine to another.
struct MapLine {
    std::vector<std::size_t> links;  ///< indexes into CommMap::links
    logs::TransportKind kind = logs::TransportKind::Unknown;
    bool pxn = false;
    bool stub = false;  ///< from a GPU to the device that it uses: no arrow
    std::size_t channels = 0;
    QPainterPath path;
};

/// Where everything of a communicator is drawn. Boxes do not overlap, and lines between machines run between them.
struct MapLayout {
    std::vector<MapBox> boxes;
    std::vector<MapLine> lines;
    QSizeF size;
};

/// `open`: nodes that show their GPUs. `width`: of the view.
MapLayout lay_out(const logs::RunFacts& facts, const logs::CommMap& map, const MapFilter& filter,
                  const std::set<std::size_t>& open, double width, const QFontMetricsF& text);

}  // namespace rankscope::gui
