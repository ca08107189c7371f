// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/map_view.h>
#include <gui/nccl/transport_texts.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/style/glyphs.h>
#include <gui/texts.h>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPathStroker>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr double kSmallestZoom = 0.25;
constexpr double kLargestZoom = 3;
constexpr double kSmallestFit = 0.7;  ///< below it, names are hard to read: the map scrolls
constexpr double kFitStep = 0.05;
constexpr double kReach = 9;  ///< width of a line for the pointer
constexpr std::size_t kNamedLinks = 6;

QString channels_text(const logs::MapLink& link) {
    QStringList parts;
    if (!link.ring_channels.empty()) {
        parts += MapView::tr("rings %1").arg(ranks_text(link.ring_channels));
    }
    if (!link.tree_channels.empty()) {
        parts += MapView::tr("trees %1").arg(ranks_text(link.tree_channels));
    }
    if (!link.other_channels.empty()) {
        parts += MapView::tr("other channels %1").arg(ranks_text(link.other_channels));
    }
    return parts.join(u", "_s);
}

QString connections_text(std::size_t count) {
    return count == 1 ? MapView::tr("1 connection") : MapView::tr("%1 connections").arg(count);
}

QString link_text(const logs::MapLink& link) {
    const QString how = link.transport.empty() ? transport_text(link.kind) : qs(link.transport);
    QString text = MapView::tr("Rank %1 → rank %2: %3").arg(link.from).arg(link.to).arg(how);
    if (link.kind == logs::TransportKind::NetIbGdr) {
        text += MapView::tr(", GPUDirect RDMA");
    }
    if (link.proxy_rank >= 0) {
        text += MapView::tr(", through the network device of rank %1 (PXN)").arg(link.proxy_rank);
    }
    if (!link.send_devices.empty() || !link.receive_devices.empty()) {
        text += MapView::tr(", device %1 → %2")
                    .arg(ranks_text(link.send_devices), ranks_text(link.receive_devices));
    }
    return text + u"; "_s + channels_text(link);
}

}  // namespace

MapView::MapView(QWidget* parent) : QAbstractScrollArea(parent) {
    setObjectName(u"ncclMap"_s);
    setAccessibleName(tr("Map of the communicator"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setBackgroundRole(QPalette::Base);
    viewport()->setAutoFillBackground(true);
    setMinimumHeight(120);
}

void MapView::set_picture(std::shared_ptr<const MapPicture> picture) {
    picture_ = std::move(picture);
    if (picture_) {
        const logs::Communicator& comm = picture_->comm();
        const std::string id = comm.id + '/' + std::to_string(picture_->communicator);
        if (id != opened_for_ || (open_.empty() && std::size_t(comm.nranks) <= kOpenRanks)) {
            opened_for_ = id;
            open_.clear();
            focus_ = 0;
            for (std::size_t node = 0; node < picture_->map.nodes.size(); ++node) {
                if (std::size_t(comm.nranks) <= kOpenRanks) {
                    open_.insert(node);
                }
            }
        }
    }
    lay_out_again();
}

void MapView::set_filter(const MapFilter& filter) {
    filter_ = filter;
    lay_out_again();
}

// The largest zoom at which a small map needs no scroll bar, where there is one.
void MapView::fit_zoom() {
    zoom_ = 1;
    if (std::size_t(picture_->comm().nranks) > kOpenRanks) {
        return;
    }
    const QSizeF room = maximumViewportSize();
    for (double zoom = 1; zoom > kSmallestFit - kFitStep / 2; zoom -= kFitStep) {
        const QSizeF all = lay_out(picture_->snapshot->facts, picture_->map, filter_, open_,
                                   room.width() / zoom, QFontMetricsF(font()))
                               .size *
                           zoom;
        if (std::ceil(all.width()) <= room.width() && std::ceil(all.height()) <= room.height()) {
            zoom_ = zoom;
            return;
        }
    }
}

void MapView::lay_out_again() {
    layout_ = {};
    if (picture_) {
        if (!zoomed_) {
            fit_zoom();
        }
        layout_ = lay_out(picture_->snapshot->facts, picture_->map, filter_, open_,
                          viewport()->width() / zoom_, QFontMetricsF(font()));
    }
    focus_ = std::min(focus_, layout_.boxes.empty() ? 0 : layout_.boxes.size() - 1);
    const QSizeF all = layout_.size * zoom_;
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setRange(0, std::max(0, int(std::ceil(all.width())) - viewport()->width()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(20);
    verticalScrollBar()->setRange(0, std::max(0, int(std::ceil(all.height())) - viewport()->height()));
    viewport()->update();
}

void MapView::set_zoom(double zoom) {
    zoomed_ = true;
    zoom_ = std::clamp(zoom, kSmallestZoom, kLargestZoom);
    lay_out_again();
}

void MapView::toggle(std::size_t node) {
    if (!open_.insert(node).second) {
        open_.erase(node);
    }
    lay_out_again();
}

QPoint MapView::to_viewport(const QPointF& point) const {
    return (point * zoom_).toPoint() - QPoint(horizontalScrollBar()->value(), verticalScrollBar()->value());
}

QPointF MapView::from_viewport(const QPoint& point) const {
    return QPointF(point + QPoint(horizontalScrollBar()->value(), verticalScrollBar()->value())) / zoom_;
}

MapView::Hit MapView::hit(const QPoint& point) const {
    const QPointF at = from_viewport(point);
    Hit found;
    for (const MapBox& box : layout_.boxes) {
        if (!box.box.contains(at)) {
            continue;
        }
        found.box = &box;
        for (const MapGpu& gpu : box.gpus) {
            if (gpu.box.contains(at)) {
                found.gpu = &gpu;
                return found;
            }
        }
        for (const MapNic& nic : box.nics) {
            if (nic.box.contains(at)) {
                found.nic = &nic;
                return found;
            }
        }
    }
    QPainterPathStroker stroker;
    stroker.setWidth(kReach);
    for (const MapLine& line : layout_.lines) {
        const QRectF near = line.path.boundingRect().adjusted(-kReach, -kReach, kReach, kReach);
        if (near.contains(at) && stroker.createStroke(line.path).contains(at)) {
            found.line = &line;
            return found;
        }
    }
    return found;
}

QString MapView::host_name(std::size_t node) const {
    const std::size_t host = picture_->map.nodes[node].host;
    const auto& hosts = picture_->snapshot->facts.hosts;
    return host < hosts.size() ? qs(hosts[host].name) : tr("Node not known");
}

bool MapView::is_slow(std::size_t node) const {
    const std::size_t host = picture_->map.nodes[node].host;
    return std::any_of(picture_->findings.begin(), picture_->findings.end(), [&](const auto& finding) {
        return std::find(finding.hosts.begin(), finding.hosts.end(), host) != finding.hosts.end();
    });
}

QString MapView::line_text(const MapLine& line) const {
    QStringList lines;
    const auto& links = picture_->map.links;
    if (line.links.size() > 1) {
        const logs::MapLink& first = links[line.links.front()];
        const auto& node_of = picture_->map.node_of;
        const QString what = transport_text(line.kind) + u", "_s + connections_text(line.links.size());
        lines += line.stub ? what
                           : tr("%1 → %2: %3")
                                 .arg(host_name(node_of[std::size_t(first.from)]),
                                      host_name(node_of[std::size_t(first.to)]), what);
    }
    for (std::size_t i = 0; i < std::min(line.links.size(), kNamedLinks); ++i) {
        lines += link_text(links[line.links[i]]);
    }
    if (line.links.size() > kNamedLinks) {
        lines += tr("… and %1 more").arg(line.links.size() - kNamedLinks);
    }
    const logs::LinePlace place = links[line.links.front()].place;
    const ReadingSnapshot& snapshot = *picture_->snapshot;
    if (place.line > 0 && place.file < snapshot.sources.size()) {
        QString stated = qs(snapshot.sources[place.file]) + u":"_s + QString::number(place.line);
        if (const std::string_view text = snapshot.edge_texts.find(place); !text.empty()) {
            stated += u": "_s + qs(std::string(text));
        }
        lines += stated;
    }
    return lines.join(u'\n');
}

QString MapView::box_text(const MapBox& box) const {
    const logs::MapNode& node = picture_->map.nodes[box.node];
    std::vector<int> seen, missing;
    for (const logs::MapRank& rank : node.ranks) {
        (rank.seen ? seen : missing).push_back(rank.rank);
    }
    QStringList lines{host_name(box.node)};
    if (!seen.empty()) {
        lines += tr("Ranks %1").arg(ranks_text(seen));
    }
    if (!missing.empty()) {
        lines += tr("No line of ranks %1").arg(ranks_text(missing));
    }
    for (const logs::TransportFinding& finding : picture_->findings) {
        if (std::find(finding.hosts.begin(), finding.hosts.end(), node.host) != finding.hosts.end()) {
            lines += finding_title(finding, picture_->snapshot->facts);
        }
    }
    return lines.join(u'\n');
}

QString MapView::gpu_text(const MapGpu& gpu) const {
    if (!gpu.seen) {
        return tr("Rank %1: the logs have no line of it").arg(gpu.rank);
    }
    const logs::CommMember& member = picture_->comm().members[gpu.member];
    QStringList lines{tr("Rank %1").arg(gpu.rank)};
    if (member.cuda_device >= 0) {
        lines += tr("CUDA device %1").arg(member.cuda_device);
    }
    if (member.nvml_device >= 0 && member.nvml_device != member.cuda_device) {
        lines += tr("GPU %1 of the node").arg(member.nvml_device);
    }
    if (member.bus_id >= 0) {
        lines += tr("PCI bus %1").arg(bus_text(member.bus_id));
    }
    const auto& processes = picture_->snapshot->facts.processes;
    if (member.process < processes.size()) {
        lines += tr("Process %1").arg(processes[member.process].pid);
    }
    if (std::isfinite(member.init_seconds)) {
        lines += tr("Initialised in %1 s").arg(number_text(member.init_seconds, 2));
    }
    return lines.join(u'\n');
}

QString MapView::text_at(const QPoint& point) const {
    if (!picture_) {
        return {};
    }
    const Hit found = hit(point);
    if (found.gpu) {
        return gpu_text(*found.gpu);
    }
    if (found.nic) {
        return found.nic->used ? tr("%1: in use").arg(found.nic->name)
                               : tr("%1: no connection of this view uses it").arg(found.nic->name);
    }
    if (found.line) {
        return line_text(*found.line);
    }
    return found.box ? box_text(*found.box) : QString();
}

void MapView::draw_gpu(QPainter& painter, const MapGpu& gpu, const ThemeColors& colors) const {
    painter.setBrush(gpu.seen ? colors.chrome : colors.surface);
    painter.setPen(gpu.seen ? QPen(colors.field_frame, 1) : QPen(colors.warning, 1, Qt::DashLine));
    painter.drawRoundedRect(gpu.box, 4, 4);
    const double height = QFontMetricsF(font()).height();
    const QRectF first(gpu.box.left() + 2, gpu.box.top() + 3, gpu.box.width() - 4, height);
    painter.setPen(gpu.seen ? colors.text : colors.warning);
    painter.drawText(first, Qt::AlignCenter, tr("rank %1").arg(gpu.rank));
    if (!gpu.seen) {
        painter.drawText(first.translated(0, height), Qt::AlignCenter, tr("no line"));
        return;
    }
    const logs::CommMember& member = picture_->comm().members[gpu.member];
    painter.setPen(colors.muted);
    if (member.cuda_device >= 0) {
        painter.drawText(first.translated(0, height), Qt::AlignCenter, tr("GPU %1").arg(member.cuda_device));
    }
    painter.drawText(first.translated(0, 2 * height), Qt::AlignCenter, bus_text(member.bus_id));
}

void MapView::draw_box(QPainter& painter, const MapBox& box, const ThemeColors& colors) const {
    const logs::MapNode& node = picture_->map.nodes[box.node];
    const auto missing = std::count_if(node.ranks.begin(), node.ranks.end(),
                                       [](const logs::MapRank& rank) { return !rank.seen; });
    const bool focused = hasFocus() && &box == &layout_.boxes[focus_];
    painter.setBrush(colors.surface);
    painter.setPen(QPen(focused ? colors.accent : colors.line, focused ? 2 : 1,
                        missing == qsizetype(node.ranks.size()) ? Qt::DashLine : Qt::SolidLine));
    painter.drawRoundedRect(box.box, 6, 6);
    const QFontMetricsF text(font());
    QRectF title = box.title;
    if (is_slow(box.node)) {
        const double side = text.height() - 2;
        draw_check_sign(painter, {title.right() - side, title.top() + 1, side, side}, CheckStatus::Warn,
                        colors);
        title.setRight(title.right() - side - 4);
    }
    QString count = node.ranks.size() == 1 ? tr("1 rank") : tr("%1 ranks").arg(node.ranks.size());
    if (missing > 0) {
        count += tr(", %1 without a line").arg(missing);
    }
    painter.setPen(colors.text);
    if (!box.open) {
        painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter,
                         text.elidedText(host_name(box.node), Qt::ElideMiddle, title.width()));
        const QRectF below(box.title.left(), title.bottom(), box.title.width(), text.height() + 2);
        painter.setPen(missing > 0 ? colors.warning : colors.muted);
        painter.drawText(below, Qt::AlignLeft | Qt::AlignVCenter,
                         text.elidedText(count, Qt::ElideRight, below.width()));
        return;
    }
    const double counted = text.horizontalAdvance(count) + 8;
    const QString name = text.elidedText(host_name(box.node), Qt::ElideMiddle, title.width() - counted);
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, name);
    painter.setPen(missing > 0 ? colors.warning : colors.muted);
    painter.drawText(title.adjusted(text.horizontalAdvance(name) + 8, 0, 0, 0),
                     Qt::AlignLeft | Qt::AlignVCenter, count);
    for (const MapGpu& gpu : box.gpus) {
        draw_gpu(painter, gpu, colors);
    }
    if (box.more > 0) {
        painter.setPen(colors.muted);
        painter.drawText(
            QRectF(box.title.left(), box.box.bottom() - text.height() - 4, box.title.width(), text.height()),
            Qt::AlignRight, tr("and %1 more").arg(box.more));
    }
    for (const MapNic& nic : box.nics) {
        painter.setBrush(nic.used ? colors.info_surface : colors.surface);
        painter.setPen(QPen(nic.used ? colors.accent : colors.line, 1));
        painter.drawRoundedRect(nic.box, 3, 3);
        painter.setPen(nic.used ? colors.text : colors.muted);
        painter.drawText(nic.box.adjusted(4, 0, -4, 0), Qt::AlignCenter,
                         text.elidedText(nic.name, Qt::ElideMiddle, nic.box.width() - 8));
    }
}

void MapView::draw_line(QPainter& painter, const MapLine& line, const ThemeColors& colors) const {
    painter.setBrush(Qt::NoBrush);
    const QPen pen = transport_pen(line.kind, colors, line.channels > 8 ? 2 : 1.4);
    painter.setPen(pen);
    painter.drawPath(line.path);
    if (!line.stub && zoom_ > 0.4) {
        const QPointF end = line.path.pointAtPercent(1);
        const double angle = std::atan2(end.y() - line.path.pointAtPercent(0.97).y(),
                                        end.x() - line.path.pointAtPercent(0.97).x());
        QPainterPath head(end);
        for (const double side : {2.7, -2.7}) {
            head.lineTo(end + QPointF(std::cos(angle + side), std::sin(angle + side)) * 7);
        }
        head.closeSubpath();
        painter.fillPath(head, pen.color());
    }
    const QPointF middle = line.path.pointAtPercent(0.5);
    if (line.pxn) {
        painter.setPen(QPen(pen.color(), 1.5));
        painter.setBrush(colors.surface);
        painter.drawEllipse(middle, 4, 4);
    }
    const std::size_t count = line.links.size();
    if (count > 1 && !line.stub && zoom_ > 0.4) {
        const QString text = u"×"_s + QString::number(count);
        QRectF box(QPointF(),
                   QSizeF(QFontMetricsF(font()).horizontalAdvance(text) + 6, QFontMetricsF(font()).height()));
        box.moveCenter(middle + QPointF(line.pxn ? 14 : 0, 0));
        painter.setPen(Qt::NoPen);
        painter.setBrush(colors.surface);
        painter.drawRect(box);
        painter.setPen(pen.color());
        painter.drawText(box, Qt::AlignCenter, text);
    }
}

void MapView::paintEvent(QPaintEvent*) {
    if (!picture_) {
        return;
    }
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(font());
    painter.translate(-horizontalScrollBar()->value(), -verticalScrollBar()->value());
    painter.scale(zoom_, zoom_);
    const QRectF seen(from_viewport({0, 0}), QSizeF(viewport()->size()) / zoom_);
    const ThemeColors colors = theme_colors(palette());
    for (const MapBox& box : layout_.boxes) {
        if (box.box.intersects(seen)) {
            draw_box(painter, box, colors);
        }
    }
    for (const MapLine& line : layout_.lines) {
        if (line.path.boundingRect().adjusted(-8, -8, 8, 8).intersects(seen)) {
            draw_line(painter, line, colors);
        }
    }
}

void MapView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    lay_out_again();
}

void MapView::mouseMoveEvent(QMouseEvent* event) {
    const Hit found = hit(event->pos());
    const bool active = found.line || found.gpu || (found.box && !found.nic);
    viewport()->setCursor(active ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void MapView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !picture_) {
        return;
    }
    const Hit found = hit(event->pos());
    logs::LinePlace place;
    if (found.line) {
        place = picture_->map.links[found.line->links.front()].place;
    } else if (found.gpu && found.gpu->seen) {
        const logs::CommMember& member = picture_->comm().members[found.gpu->member];
        place = member.start.line > 0 ? member.start : member.complete;
    } else if (found.box && !found.gpu && !found.nic) {
        focus_ = std::size_t(found.box - layout_.boxes.data());
        toggle(found.box->node);
        return;
    }
    if (place.line > 0) {
        emit lineRequested(place.file, place.line);
    }
}

void MapView::keyPressEvent(QKeyEvent* event) {
    const std::size_t last = layout_.boxes.empty() ? 0 : layout_.boxes.size() - 1;
    switch (event->key()) {
        case Qt::Key_Right:
            focus_ = std::min(focus_ + 1, last);
            break;
        case Qt::Key_Left:
            focus_ = focus_ > 0 ? focus_ - 1 : 0;
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space:
            if (!layout_.boxes.empty()) {
                toggle(layout_.boxes[focus_].node);
            }
            break;
        case Qt::Key_Plus:
            set_zoom(zoom_ * 1.2);
            break;
        case Qt::Key_Minus:
            set_zoom(zoom_ / 1.2);
            break;
        case Qt::Key_0:
            zoomed_ = false;
            lay_out_again();
            break;
        default:
            QAbstractScrollArea::keyPressEvent(event);
            return;
    }
    if (!layout_.boxes.empty()) {
        const QPoint top = to_viewport(layout_.boxes[focus_].box.topLeft());
        if (top.y() < 0 || top.y() > viewport()->height() - 40) {
            verticalScrollBar()->setValue(verticalScrollBar()->value() + top.y() - 20);
        }
    }
    viewport()->update();
}

void MapView::wheelEvent(QWheelEvent* event) {
    if (event->modifiers() & Qt::ControlModifier) {
        set_zoom(zoom_ * std::pow(1.2, event->angleDelta().y() / 120.0));
        event->accept();
        return;
    }
    QAbstractScrollArea::wheelEvent(event);
}

void MapView::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void MapView::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

void MapView::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        lay_out_again();
    }
}

bool MapView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), plain_text(text_at(help->pos())), viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace rankscope::gui
