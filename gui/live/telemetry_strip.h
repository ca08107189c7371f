// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/models/node_samples_model.h>

#include <QFrame>
#include <cstdint>

class QLabel;
class QSortFilterProxyModel;
class QTreeView;

namespace rankscope::gui {

/// The machines of the run: a line per node, its GPUs below. As high as a few lines; more of
/// them scroll.
class TelemetryStrip : public QFrame {
    Q_OBJECT

public:
    explicit TelemetryStrip(QWidget* parent = nullptr);
    /// The run to show; it must outlive this or be replaced.
    void set_data(const LiveData* run);
    /// New samples have arrived, or time has passed. `live`: more may arrive.
    void refresh(bool live, std::int64_t now_us);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();
    void unfold();

    NodeSamplesModel* model_;
    QSortFilterProxyModel* proxy_;
    QLabel* empty_;
    QTreeView* view_;
};

}  // namespace rankscope::gui
