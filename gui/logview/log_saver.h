// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/data/line_order.h>

#include <QObject>
#include <QString>
#include <functional>
#include <memory>

namespace rankscope::gui {

/// Lines of a log that are to be saved.
struct SavedLines {
    std::shared_ptr<const LineSource> store;
    LineList order;
    LineList places;  ///< of the order, if `only_places`
    LineRings rings;  ///< what is folded into what
    bool only_places = false;
    bool all = false;              ///< the lines of all ranks by time; the order is worked out first
    bool with_time = true;         ///< "2026-01-31 14:03:22.123 " before each line
    bool is_printed_time = false;  ///< TimeColumn::Printed; else local time
    bool with_rank = true;         ///< "[3] ", of folded lines "[0-7] "

    std::uint32_t count() const { return only_places ? places.size() : order.size(); }
    std::uint32_t line(std::uint32_t row) const { return order.at(only_places ? places.at(row) : row); }
};

/// Writes lines into a file on a thread of the pool. The file appears when it is complete.
class LogSaver : public QObject {
    Q_OBJECT

public:
    explicit LogSaver(QThreadPool* pool, QObject* parent = nullptr);

    void save(const QString& path, SavedLines lines);
    void cancel();
    bool running() const { return job_.running(); }

signals:
    void progress(int percent);
    /// `fault` is empty where all is written.
    void finished(const QString& path, quint32 lines, const QString& fault);

private:
    BackgroundJob job_;
};

/// The lines to a device, for all of them or until `stop`. What went wrong, or nothing.
QString write_lines(QIODevice& to, const SavedLines& lines, const std::stop_token& stop,
                    const std::function<void(int)>& progress);

}  // namespace rankscope::gui
