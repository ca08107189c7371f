// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/ansi_text.h>
#include <gui/logs/file_lines.h>
#include <gui/strings.h>
#include <remote/logs/read/sources.h>

#include <QElapsedTimer>
#include <algorithm>
#include <string_view>

namespace rankscope::gui {

namespace {

constexpr int kPublishMs = 100;

/// Puts the lines of files into a store, each of them: so that the one is known by the other. A line that a progress bar
/// wrote over comes in pieces, of which the last one stays.
class LineWriter {
public:
    explicit LineWriter(LineStore* to) : to_(to) {}

    void begin(std::uint32_t file) {
        finish();
        file_ = file;
        number_ = 0;
    }
    void add(const logs::RawLine& raw) {
        if (raw.place.line != number_) {
            finish();
            for (++number_; number_ < raw.place.line; ++number_) {
                append({});
            }
        }
        line_ = displayable(raw.text, FileLines::kLongest);
        pending_ = true;
    }
    void finish() {
        if (pending_) {
            append(line_);
            pending_ = false;
        }
    }
    /// Lines of the store, when nothing is pending.
    std::uint32_t count() const { return count_; }

private:
    void append(std::string_view text) { count_ += to_->append(text, int(file_), LogKind::Out, 0) ? 1 : 0; }

    LineStore* to_;
    std::uint32_t file_ = 0;
    std::uint64_t number_ = 0;
    std::uint32_t count_ = 0;
    std::string line_;
    bool pending_ = false;
};

}  // namespace

FileLines::FileLines(QThreadPool* pool, QObject* parent) : QObject(parent), job_(this, pool) {}

void FileLines::clear() {
    job_.cancel();
    lines_ = std::make_shared<LineStore>();
    index_ = std::make_shared<Index>();
    emit changed();
}

void FileLines::stop() {
    stop_.request_stop();
}

void FileLines::read(const std::vector<std::string>& paths, const std::string& strip) {
    clear();
    stop_ = std::stop_source();
    job_.start(
        [this, paths, strip, stop = stop_, lines = lines_, index = index_](const JobHandle& job) {
            const std::stop_callback cancelled(job.stop(), [stop] { std::stop_source(stop).request_stop(); });
            LineWriter writer(lines.get());
            QElapsedTimer published;
            published.start();
            const auto publish = [&] {
                lines->publish();
                published.start();
                job.post([this] { emit changed(); });
            };
            logs::RawSink sink;
            sink.begin = [&](std::uint32_t file, const logs::Source& source) {
                writer.begin(file);
                const std::string& name = source.name;
                const std::lock_guard lock(index->mutex);
                index->files.resize(file + 1, {{}, 0, writer.count()});
                index->files.back() = {name, source.modified_s, writer.count()};
                index->names.resize(qsizetype(file) + 1);
                index->names.last() = qs(name.starts_with(strip) ? name.substr(strip.size()) : name);
            };
            sink.line = [&](const logs::RawLine& raw) {
                writer.add(raw);
                if (published.elapsed() > kPublishMs) {
                    publish();
                }
            };
            (void)logs::read_raw_lines(paths, {}, sink, {}, stop.get_token());
            writer.finish();
            lines->publish();
            return true;
        },
        [this](bool) { emit changed(); });
    emit changed();
}

std::optional<std::uint32_t> FileLines::line_of(std::uint32_t file, std::uint64_t number) const {
    const std::uint32_t known = lines_->size();
    const std::lock_guard lock(index_->mutex);
    if (number == 0 || file >= index_->files.size()) {
        return {};
    }
    const std::uint64_t line = index_->files[file].first + (number - 1);
    const std::uint64_t end = file + 1 < index_->files.size() ? index_->files[file + 1].first : known;
    return line < std::min<std::uint64_t>(end, known) ? std::optional(std::uint32_t(line)) : std::nullopt;
}

std::uint64_t FileLines::number_of(std::uint32_t line) const {
    if (line >= lines_->size()) {
        return 0;
    }
    const auto file = std::size_t(lines_->rank(line));
    const std::lock_guard lock(index_->mutex);
    return file < index_->files.size() ? std::uint64_t(line) - index_->files[file].first + 1 : 0;
}

std::vector<LogFile> FileLines::files() const {
    const std::lock_guard lock(index_->mutex);
    return index_->files;
}

QStringList FileLines::names() const {
    const std::lock_guard lock(index_->mutex);
    return index_->names;
}

QString FileLines::name_of(std::uint32_t line) const {
    const int file = line < lines_->size() ? lines_->rank(line) : -1;
    const std::lock_guard lock(index_->mutex);
    return file >= 0 && file < index_->names.size() ? index_->names[file] : QString();
}

}  // namespace rankscope::gui
