// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/live_model.h>
#include <gui/on_thread.h>

#include <utility>

namespace rankscope::gui {

LiveModel::~LiveModel() {
    DataGate::Change(*gate_).replace();
}

void LiveModel::reset(LiveData data) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    {
        DataGate::Change change(*gate_);
        change.replace();
        data_ = std::move(data);
    }
    empty_ = false;
    mesh_of_ = {};
    update_mesh();
    emit wasReset();
}

void LiveModel::clear() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    {
        DataGate::Change change(*gate_);
        change.replace();
        data_ = {};
    }
    empty_ = true;
    mesh_ = std::make_shared<RunMesh>();
    emit wasReset();
}

void LiveModel::apply(const std::vector<QueuedItem>& items) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    std::vector<const Event*> output;
    LiveChanges changes = take(items, output);
    changes.ranks |= update_mesh();
    for (const Event* event : output) {
        emit outputArrived(*event);
    }
    if (changes.any()) {
        emit changed(changes);
    }
}

bool LiveModel::update_mesh() {
    const std::pair<std::uint64_t, int> now{state().mesh.revision(), state().plan.world_size};
    if (now == mesh_of_) {
        return false;
    }
    mesh_of_ = now;
    auto mesh = std::make_shared<RunMesh>(::rankscope::mesh_of(state().mesh, state().plan));
    const bool other =
        mesh->mesh.coordinates != mesh_->mesh.coordinates || mesh_text(*mesh) != mesh_text(*mesh_);
    mesh_ = std::move(mesh);
    return other;
}

LiveChanges LiveModel::take(const std::vector<QueuedItem>& items, std::vector<const Event*>& output) {
    LiveChanges changes;
    const DataGate::Change change(*gate_);  // once for all: between two, a worker may read for a millisecond
    for (const QueuedItem& item : items) {
        if (const auto* plan = std::get_if<LaunchPlan>(&item)) {
            data_.set_plan(*plan);
            changes.plan = true;
            continue;
        }
        const auto& event = std::get<Event>(item);
        if (!data_.apply(event)) {
            continue;
        }
        if (event.as<LogEvent>() != nullptr || event.as<DiagnosisEvent>() != nullptr ||
            event.as<NcclEvent>() != nullptr) {
            output.push_back(&event);
        }
        if (event.as<NcclEvent>() != nullptr) {
            continue;
        }
        if (event.as<SampleEvent>() != nullptr) {
            changes.samples = true;
            continue;
        }
        // A notice may say why there are no metrics.
        changes.metrics |= event.as<MetricEvent>() != nullptr || event.as<NoticeEvent>() != nullptr;
        changes.stages |= event.as<StageEvent>() != nullptr;
        changes.end |= event.as<EndEvent>() != nullptr || event.as<DiagnosisEvent>() != nullptr;
        changes.logs |= event.as<MetricEvent>() == nullptr;
        changes.ranks |= event.as<LogEvent>() == nullptr;
    }
    return changes;
}

}  // namespace rankscope::gui
