// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/logs/file_store.h>
#include <remote/logs/read/sources.h>

#include <QObject>
#include <QString>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::gui {

/// A file whose lines are in a store: up to where the next file begins.
struct LogFile {
    std::string name;             ///< as logs::Source has it
    std::int64_t modified_s = 0;  ///< Unix seconds; 0: unknown
    std::uint32_t first = 0;      ///< line of the store
};

/// All lines of files, folders and archives, one file after the other. Files and lines are counted as by
/// logs::read_raw_lines(); a line of the store has the file as its rank.
class FileLines : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Replaces the current content by what this sink gets, on any thread; removes the prefix `strip` from names. The
    /// sink may outlive this.
    logs::RawSink start(const std::string& strip = {});
    /// The sink has got more, or (false) gets no more.
    void update(bool reading);
    bool reading() const { return reading_; }

    /// Never null; another one after start().
    std::shared_ptr<const FileStore> lines() const { return lines_; }
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

    std::shared_ptr<FileStore> lines_ = std::make_shared<FileStore>();
    std::shared_ptr<Index> index_ = std::make_shared<Index>();
    bool reading_ = false;
};

}  // namespace rankscope::gui
