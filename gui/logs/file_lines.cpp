// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/logs/file_lines.h>
#include <gui/on_thread.h>
#include <gui/strings.h>

#include <algorithm>
#include <chrono>

namespace rankscope::gui {

namespace {

constexpr std::chrono::milliseconds kPublishEvery{100};
constexpr std::uint64_t kClockEvery = 256;  ///< lines between two looks at the clock

}  // namespace

logs::RawSink FileLines::start(const std::string& strip) {
    RANKSCOPE_CHECK(on_thread_of(this), return {});
    lines_ = std::make_shared<FileStore>();
    index_ = std::make_shared<Index>();
    logs::RawSink sink;
    sink.begin = [lines = lines_, index = index_, strip](std::uint32_t file, const logs::Source& source) {
        lines->begin(source);
        const std::string& name = source.name;
        const std::lock_guard lock(index->mutex);
        index->files.resize(file + 1, {{}, 0, lines->count()});
        index->files.back() = {name, source.modified_s, lines->count()};
        index->names.resize(qsizetype(file) + 1);
        index->names.last() = qs(name.starts_with(strip) ? name.substr(strip.size()) : name);
    };
    sink.line = [lines = lines_, added = std::uint64_t(0),
                 next = std::chrono::steady_clock::now()](const logs::RawLine& raw) mutable {
        lines->add(raw);
        if (++added % kClockEvery == 0 && std::chrono::steady_clock::now() >= next) {
            lines->publish();
            next = std::chrono::steady_clock::now() + kPublishEvery;
        }
    };
    sink.end = [lines = lines_](std::uint32_t, const logs::Source& source) {
        lines->end(source);
        lines->publish();
    };
    update(true);
    return sink;
}

void FileLines::update(bool reading) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    reading_ = reading;
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
