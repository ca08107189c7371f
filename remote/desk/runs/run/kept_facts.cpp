// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/runs/run/event_pump.h>
#include <remote/desk/runs/run/kept_facts.h>
#include <remote/desk/runs/store/run_reports.h>
#include <remote/desk/runs/store/run_store.h>
#include <remote/desk/runs/store/store_file.h>

#include <utility>

namespace rankscope::inline runs {

KeptFacts::KeptFacts(std::string run_id, std::shared_ptr<RunStore> store, EventPump& pump)
    : run_id_(std::move(run_id)), store_(std::move(store)), pump_(&pump) {}

void KeptFacts::reached(const std::string& node, const NodeFacts& facts) {
    if (store_) {
        pump_->run_later([store = store_, run_id = run_id_, node, facts, at_us = now_us()] {
            static_cast<void>(store->save_facts(node, facts, at_us));
            static_cast<void>(store->keep_facts(run_id, node));
        });
    }
}

void KeptFacts::found(const std::string& node, const std::map<std::string, std::string>& versions) {
    if (store_) {
        pump_->run_later([store = store_, run_id = run_id_, node, versions] {
            static_cast<void>(store->keep_versions(run_id, node, versions));
        });
    }
}

void KeptFacts::inspected() {
    if (const auto report = remembered_report(run_id_); report && store_) {
        pump_->run_later([store = store_, run_id = run_id_, report] {
            static_cast<void>(store_report(file_of(*store), run_id, *report));
        });
    }
}

void KeptFacts::delivered(const StopOrder& order) {
    if (store_) {
        pump_->run_later(
            [store = store_, order] { static_cast<void>(store->stop_delivered(order.run_id, order.node)); });
    }
}

}  // namespace rankscope::inline runs
