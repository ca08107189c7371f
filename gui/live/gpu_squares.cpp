// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/gpu_squares.h>
#include <gui/models/gpu_texts.h>
#include <gui/models/node_samples_model.h>
#include <gui/strings.h>
#include <gui/style/contrast.h>
#include <gui/style/theme.h>
#include <gui/texts.h>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStringList>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr double kFaded = 0.35;
constexpr double kIdleShade = 0.10;  ///< of the text's colour: an idle GPU is still a square

/// From hardly to fully used: lighter to darker, or darker to lighter in the dark theme.
QColor color_of_use(double use, const ThemeColors& colors) {
    const QColor idle = blended(colors.surface, colors.text, kIdleShade);
    return blended(idle, colors.accent, std::clamp(use, 0.0, 1.0));
}

void draw_square(QPainter& painter, const QRectF& box, const GpuSample& gpu, const ThemeColors& colors) {
    if (gpu.has(GpuFigure::Use)) {
        painter.fillRect(box, color_of_use(gpu[GpuFigure::Use], colors));
    } else {
        painter.setPen(QPen(colors.muted, 1));
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
        const double size = std::max(1.0, std::floor(box.width() / 4));
        painter.fillRect(QRectF(box.center().x() - size / 2, box.center().y() - size / 2, size, size),
                         colors.muted);
    }
    if (is_faulty(gpu)) {
        const double width = box.width() >= 9 ? 2 : 1;
        painter.setPen(QPen(colors.bad, width));
        painter.drawRect(box.adjusted(width / 2, width / 2, -width / 2, -width / 2));
    }
}

}  // namespace

GpuSquares::GpuSquares(const NodeSamplesModel* model, QWidget* parent) : SquareGrid(parent), model_(model) {
    setObjectName(u"gpuSquares"_s);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(summary());
}

void GpuSquares::refresh() {
    std::vector<Place> gpus;
    for (std::size_t row = 0; row < model_->rows().size(); ++row) {
        for (std::size_t gpu = 0; gpu < model_->rows()[row].gpus.size(); ++gpu) {
            gpus.push_back({row, gpu});
        }
    }
    const bool same = std::equal(gpus.begin(), gpus.end(), gpus_.begin(), gpus_.end(),
                                 [](const Place& one, const Place& other) { return one.row == other.row; });
    gpus_ = std::move(gpus);
    if (!same) {
        current_ = std::clamp(current_, 0, std::max(int(gpus_.size()) - 1, 0));
        lay_out();
    }
    setAccessibleName(summary());
    update();
}

void GpuSquares::set_selected(const std::vector<int>& ranks) {
    selected_ = ranks;
    std::sort(selected_.begin(), selected_.end());
    update();
}

bool GpuSquares::is_stale(const Place& place) const {
    return model_->age_s(model_->rows()[place.row].node) > 0;
}

QString GpuSquares::tip(int gpu) const {
    if (gpu < 0 || gpu >= int(gpus_.size())) {
        return {};
    }
    const Place& place = gpus_[std::size_t(gpu)];
    const NodeSamplesModel::Row& row = model_->rows()[place.row];
    const GpuSample& sample = row.gpus[place.gpu];
    const QString name = tr("GPU %1 on %2").arg(sample.index).arg(qs(row.node));
    QStringList lines;
    lines += sample.ranks.empty()       ? tr("%1, no rank of this run").arg(name)
             : sample.ranks.size() == 1 ? tr("%1, rank %2").arg(name).arg(sample.ranks.front())
                                        : tr("%1, ranks %2").arg(name, ranks_text(sample.ranks));
    if (!sample.has(GpuFigure::Use)) {
        lines += model_->shows_range() ? tr("Not sampled in the chosen range")
                                       : tr("Use: %1").arg(why_absent(sample, GpuFigure::Use));
    }
    if (const QString figures = gpu_tip(sample); !figures.isEmpty()) {
        lines += figures;
    }
    if (const double age = model_->age_s(row.node); age > 0) {
        lines += tr("as of %1 ago: the node is silent").arg(whole_seconds_text(std::floor(age)));
    }
    return lines.join(u'\n');
}

struct GpuSquares::Counts {
    double use = 0;
    int with_use = 0;
    double lowest = 2;
    Place lowest_at{};
    int errors = 0;
    int slowed = 0;
    int silent = 0;

    void add(const GpuSample& gpu, const Place& place) {
        if (gpu.has(GpuFigure::Use)) {
            use += gpu[GpuFigure::Use];
            ++with_use;
            if (gpu[GpuFigure::Use] < lowest) {
                lowest = gpu[GpuFigure::Use];
                lowest_at = place;
            }
        }
        errors += gpu[GpuFigure::Ecc] > 0 ? 1 : 0;
        slowed += is_slowed_down(clock_limit(gpu[GpuFigure::Throttle])) ? 1 : 0;
    }
};

QString GpuSquares::summary() const {
    Counts counts;
    for (const Place& place : gpus_) {
        counts.add(model_->rows()[place.row].gpus[place.gpu], place);
        counts.silent += is_stale(place) ? 1 : 0;
    }
    QStringList parts{tr("%1 GPUs").arg(count_text(std::int64_t(gpus_.size())))};
    if (counts.with_use > 0) {
        const NodeSamplesModel::Row& row = model_->rows()[counts.lowest_at.row];
        parts += tr("mean use %1").arg(percent_text(counts.use / counts.with_use, 0));
        parts += tr("lowest %1: GPU %2 on %3")
                     .arg(percent_text(counts.lowest, 0))
                     .arg(row.gpus[counts.lowest_at.gpu].index)
                     .arg(short_name(row.node));
    }
    if (const auto absent = int(gpus_.size()) - counts.with_use; absent > 0) {
        parts += tr("use of %1 not reported").arg(absent);
    }
    if (counts.errors > 0) {
        parts += tr("%1 with memory errors").arg(counts.errors);
    }
    if (counts.slowed > 0) {
        parts += tr("%1 slowed down").arg(counts.slowed);
    }
    if (counts.silent > 0) {
        parts += tr("%1 on silent nodes").arg(counts.silent);
    }
    return parts.join(u" · "_s);
}

void GpuSquares::choose(int gpu) {
    if (gpu < 0 || gpu >= int(gpus_.size())) {
        return;
    }
    current_ = gpu;
    update();
    const Place& place = gpus_[std::size_t(gpu)];
    if (const std::vector<int> ranks = model_->rows()[place.row].gpus[place.gpu].ranks; !ranks.empty()) {
        emit ranksChosen(ranks);
    }
}

void GpuSquares::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        choose(gpu_at(event->pos()));
    }
}

void GpuSquares::move_to(int gpu) {
    current_ = std::clamp(gpu, 0, std::max(int(gpus_.size()) - 1, 0));
    update();
}

void GpuSquares::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
            return move_to(current_ - 1);
        case Qt::Key_Right:
            return move_to(current_ + 1);
        case Qt::Key_Up:
            return move_to(current_ - columns());
        case Qt::Key_Down:
            return move_to(current_ + columns());
        case Qt::Key_Home:
            return move_to(0);
        case Qt::Key_End:
            return move_to(int(gpus_.size()) - 1);
        case Qt::Key_Space:
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return choose(current_);
        default:
            QWidget::keyPressEvent(event);
    }
}

void GpuSquares::paintEvent(QPaintEvent*) {
    // The model may have been reset since the last refresh().
    const auto& rows = model_->rows();
    const bool current =
        placed() == int(gpus_.size()) && std::all_of(gpus_.begin(), gpus_.end(), [&rows](const Place& place) {
            return place.row < rows.size() && place.gpu < rows[place.row].gpus.size();
        });
    if (!current) {
        return;
    }
    QPainter painter(this);
    const ThemeColors colors = theme_colors(palette());
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        const GpuSample& gpu = rows[gpus_[i].row].gpus[gpus_[i].gpu];
        const QRect box = square(int(i));
        const bool stale = is_stale(gpus_[i]);
        painter.setOpacity(stale ? kFaded : 1);
        draw_square(painter, box, gpu, colors);
        painter.setOpacity(1);
        if (stale) {  // a shape as well, for eyes that do not see the fading
            painter.setPen(QPen(colors.muted, 1));
            painter.drawLine(QLineF(box.bottomLeft(), box.topRight()));
        }
        const bool selected = std::any_of(gpu.ranks.begin(), gpu.ranks.end(), [this](int rank) {
            return std::binary_search(selected_.begin(), selected_.end(), rank);
        });
        if (selected) {
            painter.setPen(QPen(colors.text, 1.5));
            painter.drawRect(box.adjusted(-1, -1, 1, 1));
        }
    }
    if (hasFocus() && !gpus_.empty()) {
        painter.setPen(QPen(colors.text, 1, Qt::DotLine));
        painter.drawRect(square(current_).adjusted(-2, -2, 2, 2));
    }
}

}  // namespace rankscope::gui
