// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/nccl/map_layout.h>
#include <remote/desk/runs/reading/reading_snapshot.h>
#include <remote/logs/facts/transport_findings.h>

#include <QAbstractScrollArea>
#include <memory>
#include <set>
#include <vector>

namespace rankscope::gui {

struct ThemeColors;

/// A communicator, ready to be drawn.
struct MapPicture {
    std::shared_ptr<const ReadingSnapshot> snapshot;
    std::size_t communicator = 0;
    logs::CommMap map;
    std::vector<logs::TransportFinding> findings;

    const logs::Communicator& comm() const { return snapshot->facts.communicators[communicator]; }
};

/// The map itself: machines with GPUs and network devices, and the lines between them. Machines open and close by
/// click or Enter; Ctrl+wheel, + and - zoom, 0 fits.
class MapView : public QAbstractScrollArea {
    Q_OBJECT

public:
    /// Communicators up to this many ranks show their GPUs at once.
    static constexpr std::size_t kOpenRanks = 32;

    explicit MapView(QWidget* parent = nullptr);

    void set_picture(std::shared_ptr<const MapPicture> picture);
    void set_filter(const MapFilter& filter);
    const MapLayout& layout_shown() const { return layout_; }
    const MapPicture* picture() const { return picture_.get(); }
    /// What stands under a point of the viewport, as the tool tip says it.
    QString text_at(const QPoint& point) const;
    /// A point of the layout, in the viewport.
    QPoint to_viewport(const QPointF& point) const;
    double zoom() const { return zoom_; }

signals:
    void lineRequested(quint32 file, quint64 line);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    struct Hit {
        const MapBox* box = nullptr;
        const MapGpu* gpu = nullptr;
        const MapNic* nic = nullptr;
        const MapLine* line = nullptr;
    };

    void lay_out_again();
    void set_zoom(double zoom);
    void fit_zoom();
    void toggle(std::size_t node);
    QPointF from_viewport(const QPoint& point) const;
    Hit hit(const QPoint& point) const;
    QString host_name(std::size_t node) const;
    QString line_text(const MapLine& line) const;
    QString box_text(const MapBox& box) const;
    QString gpu_text(const MapGpu& gpu) const;
    bool is_slow(std::size_t node) const;
    void draw_box(QPainter& painter, const MapBox& box, const ThemeColors& colors) const;
    void draw_gpu(QPainter& painter, const MapGpu& gpu, const ThemeColors& colors) const;
    void draw_line(QPainter& painter, const MapLine& line, const ThemeColors& colors) const;

    std::shared_ptr<const MapPicture> picture_;
    MapFilter filter_;
    std::set<std::size_t> open_;
    std::string opened_for_;  ///< the communicator that open_ belongs to
    MapLayout layout_;
    std::size_t focus_ = 0;  ///< box that the keys act on
    double zoom_ = 1;
    bool zoomed_ = false;  ///< by the user; else a small map is as large as fits
};

}  // namespace rankscope::gui
