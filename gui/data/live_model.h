// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/data_gate.h>
#include <gui/data/event_queue.h>
#include <gui/data/live_data.h>

#include <QObject>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace rankscope::gui {

/// What a batch of events has touched; widgets look only at their part.
struct LiveChanges {
    bool plan = false;
    bool stages = false;
    bool metrics = false;
    bool logs = false;
    bool ranks = false;
    bool end = false;
    bool samples = false;

    bool any() const { return plan || stages || metrics || logs || ranks || end || samples; }
};

/// The run that Live shows. Holds LiveData and reports once per batch what has changed. Knows no store and no
/// network.
class LiveModel : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;
    ~LiveModel() override;

    const LiveData& data() const { return data_; }
    const RunState& state() const { return data_.state; }
    bool empty() const { return empty_; }
    /// The process groups of the run, by what it has shown so far; never null.
    const std::shared_ptr<const RunMesh>& mesh() const { return mesh_; }
    /// Workers read data() through it.
    const std::shared_ptr<DataGate>& gate() const { return gate_; }

    /// Another run in its current state.
    void reset(LiveData data);
    /// No run at all.
    void clear();
    void apply(const std::vector<QueuedItem>& items);

signals:
    void wasReset();
    /// What a rank printed, what its NCCL does, and the diagnoses of the end: before changed(), in the order of arrival.
    void outputArrived(const rankscope::Event& event);
    void changed(const rankscope::gui::LiveChanges& changes);

private:
    /// True: the ranks have got other groups.
    bool update_mesh();
    LiveChanges take(const std::vector<QueuedItem>& items, std::vector<const Event*>& output);

    LiveData data_;
    std::shared_ptr<DataGate> gate_ = std::make_shared<DataGate>();
    bool empty_ = true;
    std::shared_ptr<const RunMesh> mesh_ = std::make_shared<RunMesh>();
    std::pair<std::uint64_t, int> mesh_of_{};  ///< the revision of what is known, and the ranks
};

}  // namespace rankscope::gui
