// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/store/last_heard.h>
#include <remote/desk/runs/store/sqlite.h>

#include <algorithm>

namespace rankscope::inline runs {

std::int64_t last_heard_us(const std::filesystem::path& store, const std::string& run_id) {
    Database database;
    std::int64_t last = 0;
    if (!database.open(store.string())) {
        return last;
    }
    for (const char* sql : {"SELECT t_us FROM events WHERE run_id = ? ORDER BY ord DESC LIMIT 1",
                            "SELECT t_us FROM metrics WHERE run_id = ? ORDER BY ord DESC LIMIT 1"}) {
        Statement select(database, sql);
        select.bind(1, run_id);
        if (select.step() == Statement::Step::Row) {
            last = std::max(last, select.whole(0));
        }
    }
    return last;
}

}  // namespace rankscope::inline runs
