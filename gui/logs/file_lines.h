// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/data/line_store.h>

#include <QObject>
#include <QString>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::gui {

/// A file whose lines are in a store: up to where the next file begins.
struct LogFile {
    std::string name;             ///< as logs::Source has it
    std::int64_t modified_s = 0;  ///< Unix seconds; 0: unknown
    std::uint32_t first = 0;      ///< line of the store
};

/// All lines of files, folders and archives, read on a thread of the pool into a LineStore, one file after the other.
/// Files and lines are counted as by logs::read_raw_lines(); a line of the store has the file as its rank.
class FileLines : public QObject {
    Q_OBJECT

public:
    static constexpr std::size_t kLongest = std::size_t(256) << 10;  ///< bytes of a line that are kept

    explicit FileLines(QThreadPool* pool, QObject* parent = nullptr);

    /// Instead of what was read before; names begin with `strip` no longer.
    void read(const std::vector<std::string>& paths, const std::string& strip = {});
    void clear();
    /// What was read stays.
    void stop();
    bool reading() const { return job_.running(); }

    /// Never null; another one after read().
    std::shared_ptr<const LineStore> lines() const { return lines_; }
    /// The line of the store; nothing: not read (yet).
    std::optional<std::uint32_t> line_of(std::uint32_t file, std::uint64_t number) const;
    /// Which line of its file a line of the store is, from 1.
    std::uint64_t number_of(std::uint32_t line) const;
    /// Of those read so far.
    QStringList names() const;
    std::vector<LogFile> files() const;
    QString name_of(std::uint32_t line) const;

signals:
    /// More lines, or the reading has ended.
    void changed();

private:
    /// Written by the reading thread.
    struct Index {
        mutable std::mutex mutex;
        std::vector<LogFile> files;
        QStringList names;  ///< of the files, as they are shown
    };

    std::shared_ptr<LineStore> lines_ = std::make_shared<LineStore>();
    std::shared_ptr<Index> index_ = std::make_shared<Index>();
    std::stop_source stop_;
    BackgroundJob job_;
};

}  // namespace rankscope::gui
