// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <remote/desk/nodes/session/facts_json.h>
#include <remote/desk/runs/store/run_store_impl.h>

#include <nlohmann/json.hpp>

namespace rankscope::inline runs {

std::pair<std::int64_t, std::int64_t> RunStore::change_mark() const {
    const std::lock_guard lock(impl_->mutex);
    Statement others(impl_->database, "PRAGMA data_version");  // changes with the commits of others
    const std::int64_t version = others.step() == Statement::Step::Row ? others.whole(0) : -1;
    return {version, sqlite3_total_changes(impl_->database.get())};
}

Result<std::vector<KeptSummary>> RunStore::summaries(const std::string& run_id) const {
    const std::lock_guard lock(impl_->mutex);
    Statement select(
        impl_->database,
        std::string(
            "SELECT r.run_id, COALESCE((SELECT MAX(ord) FROM metrics WHERE metrics.run_id = r.run_id), 0),"
            " r.ended_us, s.ord, s.ended_us, s.body"
            " FROM runs r LEFT JOIN run_summaries s ON s.run_id = r.run_id WHERE ") +
            (run_id.empty() ? "r.run_id NOT IN (SELECT run_id FROM run_trash)" : "r.run_id = ?"));
    if (!run_id.empty()) {
        select.bind(1, run_id);
    }
    std::vector<KeptSummary> found;
    for (;;) {
        switch (select.step()) {
            case Statement::Step::Row: {
                KeptSummary kept{select.text(0), select.whole(1), select.whole(2), ""};
                if (!select.is_null(3) && select.whole(3) == kept.last_ord &&
                    select.whole(4) == kept.ended_us) {
                    kept.body = select.text(5);
                }
                found.push_back(std::move(kept));
                break;
            }
            case Statement::Step::Done:
                return found;
            case Statement::Step::Error:
                return impl_->failure("The runs cannot be read.");
        }
    }
}

Result<void> RunStore::keep_summaries(const std::vector<KeptSummary>& summaries) {
    const std::lock_guard lock(impl_->mutex);
    bool fine = impl_->database.run("BEGIN IMMEDIATE");
    if (fine) {
        // Only of runs that still exist: one may have been removed in the meantime.
        Statement insert(
            impl_->database,
            "INSERT OR REPLACE INTO run_summaries SELECT run_id, ?2, ?3, ?4 FROM runs WHERE run_id = ?1");
        for (const auto& kept : summaries) {
            insert.reset();
            insert.bind(1, kept.run_id).bind(2, kept.last_ord).bind(3, kept.ended_us).bind(4, kept.body);
            fine = fine && insert.step() == Statement::Step::Done;
        }
    }
    return impl_->end_change("The summaries of runs cannot be stored.", fine);
}

Result<void> RunStore::keep_facts(const std::string& run_id, const std::string& node) {
    const std::lock_guard lock(impl_->mutex);
    Statement insert(
        impl_->database,
        // An attach does not look at versions: those of the start stay.
        "INSERT OR REPLACE INTO run_facts SELECT ?1, node, json_set(facts, '$.versions', json(COALESCE("
        "(SELECT json_extract(kept.facts, '$.versions') FROM run_facts kept"
        " WHERE kept.run_id = ?1 AND kept.node = ?2), '{}'))) FROM node_facts WHERE node = ?2");
    insert.bind(1, run_id).bind(2, node);
    return insert.step() == Statement::Step::Done ? Result<void>()
                                                  : Result<void>(impl_->failure("Facts cannot be stored."));
}

Result<void> RunStore::save_facts(const std::string& node, const NodeFacts& facts, std::int64_t at_us) {
    const std::lock_guard lock(impl_->mutex);
    Statement insert(
        impl_->database,
        // Who did not look for versions does not forget those of another look.
        facts.versions.empty()
            ? "INSERT OR REPLACE INTO node_facts SELECT ?1, ?2, json_set(?3, '$.versions', json(COALESCE("
              "(SELECT json_extract(facts, '$.versions') FROM node_facts WHERE node = ?1 AND "
              "json_valid(facts)), '{}')))"
            : "INSERT OR REPLACE INTO node_facts VALUES (?1, ?2, ?3)");
    insert.bind(1, node).bind(2, at_us).bind(
        3, to_json(facts).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return insert.step() == Statement::Step::Done ? Result<void>()
                                                  : Result<void>(impl_->failure("Facts cannot be stored."));
}

Result<void> RunStore::keep_versions(const std::string& run_id, const std::string& node,
                                     const std::map<std::string, std::string>& versions) {
    const std::lock_guard lock(impl_->mutex);
    Statement update(impl_->database,
                     "UPDATE run_facts SET facts = json_set(facts, '$.versions', json(?3))"
                     " WHERE run_id = ?1 AND node = ?2");
    update.bind(1, run_id).bind(2, node).bind(
        3, nlohmann::json(versions).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return update.step() == Statement::Step::Done
               ? Result<void>()
               : Result<void>(impl_->failure("Versions cannot be stored."));
}

Result<KnownFacts> RunStore::facts_of(const std::string& run_id) const {
    const std::lock_guard lock(impl_->mutex);
    Statement select(impl_->database, "SELECT node, facts FROM run_facts WHERE run_id = ?");
    select.bind(1, run_id);
    KnownFacts known;
    while (select.step() == Statement::Step::Row) {
        known[select.text(0)] = facts_from_json(read_json(select.text(1)));
    }
    return known;
}

}  // namespace rankscope::inline runs
