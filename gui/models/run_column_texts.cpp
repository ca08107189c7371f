// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_format.h>
#include <gui/models/run_column_texts.h>
#include <gui/strings.h>

#include <QCoreApplication>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(RunColumn)
};

QString stat_text(ColumnStat stat) {
    switch (stat) {
        case ColumnStat::Best:
            return Words::tr("best");
        case ColumnStat::Min:
            return Words::tr("min");
        case ColumnStat::Max:
            return Words::tr("max");
        case ColumnStat::Mean:
            return Words::tr("mean");
        case ColumnStat::Last:
            break;
    }
    return Words::tr("last");
}

QString run_key_text(const std::string& key) {
    return key == "steps"       ? Words::tr("Steps")
           : key == "exit_code" ? Words::tr("Exit code")
           : key == "parent"    ? Words::tr("Run again from")
           : key == "code"      ? Words::tr("Code")
                                : Words::tr("Verdict");
}

}  // namespace

QString run_metric_title(const std::string& name) {
    return name == "images_per_s" ? Words::tr("Images/s") : metric_title(name);
}

QString run_column_header(const RunColumn& column) {
    switch (column.kind) {
        case RunColumn::Kind::Job:
            return qs(column.key.substr(column.key.rfind('.') + 1));
        case RunColumn::Kind::Run:
            return run_key_text(column.key);
        case RunColumn::Kind::Metric:
            break;
    }
    return Words::tr("%1, %2").arg(metric_header(column.key), stat_text(column.stat));
}

QString run_column_text(const RunColumn& column) {
    switch (column.kind) {
        case RunColumn::Kind::Job:
            return Words::tr("Job: %1").arg(qs(column.key));
        case RunColumn::Kind::Run:
            return run_key_text(column.key);
        case RunColumn::Kind::Metric:
            break;
    }
    return Words::tr("%1, %2").arg(run_metric_title(column.key), stat_text(column.stat));
}

}  // namespace rankscope::gui
