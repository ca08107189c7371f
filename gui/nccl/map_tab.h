// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/nccl/map_view.h>
#include <gui/nccl/nccl_tab.h>

#include <memory>
#include <set>

class QComboBox;
class QLabel;
class QListWidget;

namespace rankscope::gui {

/// The kinds of transport that a map shows, as it draws them.
class TransportLegend : public QWidget {
    Q_OBJECT

public:
    explicit TransportLegend(QWidget* parent = nullptr);
    void set_kinds(const std::set<logs::TransportKind>& kinds, bool pxn);
    const std::set<logs::TransportKind>& kinds() const { return kinds_; }

protected:
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }
    void paintEvent(QPaintEvent* event) override;

private:
    std::set<logs::TransportKind> kinds_;
    bool pxn_ = false;
};

/// Machines, GPUs and network devices of a communicator, its rings and trees, and where it fell back to a slow path.
class MapTab : public NcclTab {
    Q_OBJECT

public:
    explicit MapTab(QThreadPool* pool, QWidget* parent = nullptr);

    void set_snapshot(const std::shared_ptr<const ReadingSnapshot>& snapshot) override;
    MapView* view() const { return view_; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* make_bar();
    void fill_communicators();
    void fill_channels();
    void compute();
    void show_picture(const std::shared_ptr<const MapPicture>& picture);
    void show_findings();
    void filter_changed();

    std::shared_ptr<const ReadingSnapshot> snapshot_;
    std::shared_ptr<const ReadingSnapshot> computed_;  ///< of the picture that is shown, or is being made
    std::size_t communicator_ = 0;
    bool chosen_ = false;       ///< by the user
    bool show_chosen_ = false;  ///< which connections, by the user
    QWidget* bar_;
    QComboBox* communicators_;
    QComboBox* channels_;
    QComboBox* show_;
    TransportLegend* legend_;
    QListWidget* findings_;
    QLabel* none_;
    MapView* view_;
    BackgroundJob job_;
};

}  // namespace rankscope::gui
