// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/logs/file_store.h>
#include <remote/logs/read/line_splitter.h>
#include <remote/logs/read/remark_book.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <limits>
#include <string_view>
#include <thread>

namespace rankscope::gui {

namespace {

constexpr std::size_t kBlockBytes = std::size_t(16) << 10;
constexpr std::size_t kPieceBytes = std::size_t(192) << 10;  ///< what a search gets at once
constexpr std::size_t kReadBytes = std::size_t(256) << 10;
constexpr std::size_t kCacheBytes = std::size_t(32) << 20;
constexpr std::size_t kMostOpen = 200;  ///< files; the rest are opened for each look
constexpr std::uint64_t kPrime = 1099511628211U;

std::uint64_t hash_of(std::string_view text) {
    return std::hash<std::string_view>()(text);
}

UniqueFd open_file(const std::filesystem::path& path) {
    return UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
}

std::pair<std::int64_t, off_t> state_of(const struct stat& about) {
    return {std::int64_t(about.st_mtim.tv_sec) * 1'000'000'000 + about.st_mtim.tv_nsec, about.st_size};
}

bool read_all(int fd, char* to, std::size_t bytes, std::uint64_t from) {
    while (bytes > 0) {
        const ssize_t got = ::pread(fd, to, bytes, off_t(from));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        to += got;
        bytes -= std::size_t(got);
        from += std::uint64_t(got);
    }
    return true;
}

/// ASCII that is shown as it is, and line feeds. Without a branch for each byte: compilers make vector code of it.
bool is_plain(std::string_view text) {
    unsigned char odd = 0;
    for (const char c : text) {
        const auto above_control = static_cast<unsigned char>(c - 0x20);
        odd = static_cast<unsigned char>(odd | ((above_control >= 0x5f) & (c != '\n')));
    }
    return odd == 0;
}

/// The begins of the lines of `text` from `from` on, whose last byte is '\n'.
void append_starts(std::string_view text, std::size_t from, std::vector<std::uint32_t>& starts) {
    while (from < text.size()) {
        starts.push_back(std::uint32_t(from));
        from = text.find('\n', from) + 1;
    }
}

}  // namespace

void FileStore::begin(const logs::Source& source) {
    auto file = std::make_shared<File>();
    in_place_ = false;
    if (!source.file.empty()) {
        UniqueFd fd = open_file(source.file);
        struct stat about {};
        if (fd && ::fstat(fd.get(), &about) == 0 && S_ISREG(about.st_mode)) {
            in_place_ = true;
            file->path = source.file;
            file->device = about.st_dev;
            file->inode = about.st_ino;
            if (files_.size() < kMostOpen) {
                file->fd = std::move(fd);
            }
        }
    }
    file_ = file;
    pending_line_ = 0;
    const std::lock_guard lock(mutex_);
    files_.push_back(std::move(file));
}

void FileStore::add(const logs::RawLine& raw) {
    if (pending_ && raw.place.line != pending_line_) {
        finish_line();
    }
    pending_ = true;
    pending_line_ = raw.place.line;
    const bool in_place = in_place_ && raw.begin != logs::RawLine::kNowhere;
    pending_begin_ = in_place ? raw.begin : logs::RawLine::kNowhere;
    if (in_place) {
        pending_hash_ = hash_of(raw.text);
    } else {
        pending_text_ = displayable(raw.text, kLongest);
    }
}

void FileStore::finish_line() {
    if (!std::exchange(pending_, false) || count_ == std::numeric_limits<std::uint32_t>::max()) {
        return;  // as many lines as can be numbered
    }
    const bool copied = pending_begin_ == logs::RawLine::kNowhere;
    if (open_ && (copied ? open_text_.size() : pending_begin_ - open_->begin) >= kBlockBytes) {
        close_block(pending_begin_);
    }
    if (!open_) {
        open_ = Block{.begin = pending_begin_,
                      .first = count_,
                      .file = std::uint32_t(files_.size() - 1) & 0x7fffffffU,
                      .copied = copied ? 1U : 0U};
    }
    if (copied) {
        open_text_ += pending_text_;
        open_text_ += '\n';
    } else {
        open_->hash = open_->hash * kPrime + pending_hash_;
    }
    ++count_;
}

// `end`: of the file's bytes; of no meaning to copied lines.
void FileStore::close_block(std::uint64_t end) {
    if (!open_) {
        return;
    }
    if (open_->copied != 0) {
        open_text_.pop_back();  // the spool adds it
        open_->begin = spool_.append(open_text_);
        end = open_->begin + open_text_.size() + 1;
        open_text_.clear();
    }
    open_->end = end;
    const std::lock_guard lock(mutex_);
    blocks_.push_back(*open_);
    closed_ = count_;
    open_.reset();
}

void FileStore::end(const logs::Source& source) {
    finish_line();
    close_block(source.bytes);
    if (!in_place_) {
        return;
    }
    struct stat about {};
    const UniqueFd again = file_->fd ? UniqueFd() : open_file(file_->path);
    const int fd = file_->fd ? file_->fd.get() : again.get();
    // What is added later is no change of what was read.
    if (fd >= 0 && ::fstat(fd, &about) == 0 && std::uint64_t(about.st_size) == source.bytes) {
        const std::lock_guard lock(mutex_);
        file_->state = state_of(about);
    }
}

void FileStore::publish() {
    close_block(pending_begin_);
    spool_.flush();
    published_.store(count_, std::memory_order_release);
}

std::size_t FileStore::index_bytes() const {
    const std::shared_lock lock(mutex_);
    return blocks_.capacity() * sizeof(Block) + files_.size() * sizeof(File);
}

FileStore::Place FileStore::place_of(std::uint32_t line) const {
    const std::shared_lock lock(mutex_);
    const auto after =
        std::upper_bound(blocks_.begin(), blocks_.end(), line,
                         [](std::uint32_t wanted, const Block& block) { return wanted < block.first; });
    const auto number = std::size_t(after - blocks_.begin()) - 1;
    const std::uint32_t end = after == blocks_.end() ? closed_ : after->first;
    return {std::uint32_t(number), blocks_[number], end - blocks_[number].first};
}

int FileStore::rank(std::uint32_t line) const {
    return int(place_of(line).block.file);
}

bool FileStore::append_lines(const Place& place, Lines& to) const {
    return place.block.copied != 0 ? append_copied(place, to) : append_from_file(place, to);
}

bool FileStore::append_copied(const Place& place, Lines& to) const {
    const char* at = spool_.at(place.block.begin);
    if (at == nullptr) {
        return false;
    }
    const std::size_t before = to.text.size();
    to.text.append(at, std::size_t(place.block.end - place.block.begin));
    append_starts(to.text, before, to.starts);
    return true;
}

FileStore::OpenFile FileStore::open(std::uint32_t number) const {
    std::shared_ptr<const File> file;
    std::optional<std::pair<std::int64_t, off_t>> state;
    {
        const std::shared_lock lock(mutex_);
        file = files_[number];
        state = file->state;
    }
    OpenFile opened{.own = file->fd ? UniqueFd() : open_file(file->path)};
    const int fd = file->fd ? file->fd.get() : opened.own.get();
    struct stat about {};
    if (fd >= 0 && ::fstat(fd, &about) == 0 && about.st_dev == file->device && about.st_ino == file->inode) {
        opened.fd = fd;
        opened.unchanged = state && *state == state_of(about);
    }
    return opened;
}

// Text that is shown as the file has it, where nothing has changed since it was read.
bool FileStore::append_plain(const OpenFile& file, const Place& place, Lines& to) const {
    const auto bytes = std::size_t(place.block.end - place.block.begin);
    if (!file.unchanged || bytes > kLongest) {
        return false;
    }
    const std::size_t text_before = to.text.size();
    const std::size_t starts_before = to.starts.size();
    to.text.resize(text_before + bytes);
    if (read_all(file.fd, to.text.data() + text_before, bytes, place.block.begin) &&
        is_plain(std::string_view(to.text).substr(text_before))) {
        if (to.text.back() != '\n') {
            to.text += '\n';
        }
        append_starts(to.text, text_before, to.starts);
        if (to.starts.size() - starts_before == place.lines) {
            return true;
        }
    }
    to.text.resize(text_before);
    to.starts.resize(starts_before);
    return false;
}

bool FileStore::append_from_file(const Place& place, Lines& to) const {
    const OpenFile file = open(place.block.file);
    if (file.fd < 0) {
        return false;
    }
    if (append_plain(file, place, to)) {
        return true;
    }
    // As it was read first; of pieces of one line the last one stays.
    const auto bytes = std::size_t(place.block.end - place.block.begin);
    const std::size_t text_before = to.text.size();
    const std::size_t starts_before = to.starts.size();
    std::uint64_t number = 0;
    std::uint64_t hash = 0;
    std::uint64_t piece_hash = 0;
    const std::function<void(const logs::RawLine&)> sink = [&](const logs::RawLine& raw) {
        if (raw.place.line != number) {
            hash = number == 0 ? 0 : hash * kPrime + piece_hash;
            number = raw.place.line;
            to.starts.push_back(std::uint32_t(to.text.size()));
        }
        piece_hash = hash_of(raw.text);
        to.text.resize(to.starts.back());
        if (is_displayable(raw.text, kLongest)) {
            to.text += raw.text;
        } else {
            to.text += displayable(raw.text, kLongest);
        }
        to.text += '\n';
    };
    logs::RemarkBook remarks;
    logs::LineSplitter lines(place.block.file, kLongest, sink, remarks);
    std::string buffer(std::min(bytes, kReadBytes), '\0');
    bool complete = true;
    for (std::uint64_t at = place.block.begin; complete && at < place.block.end; at += buffer.size()) {
        buffer.resize(std::size_t(std::min<std::uint64_t>(buffer.size(), place.block.end - at)));
        complete = read_all(file.fd, buffer.data(), buffer.size(), at);
        lines.feed(complete ? std::string_view(buffer) : std::string_view());
    }
    lines.finish();
    hash = hash * kPrime + piece_hash;
    if (!complete || to.starts.size() - starts_before != place.lines || hash != place.block.hash) {
        to.text.resize(text_before);
        to.starts.resize(starts_before);
        return false;
    }
    return true;
}

// Null: the lines are gone.
std::shared_ptr<const FileStore::Lines> FileStore::lines_of(const Place& place) const {
    {
        const std::lock_guard lock(cache_mutex_);
        if (const auto known = cached_.find(place.number); known != cached_.end()) {
            cache_.splice(cache_.begin(), cache_, known->second);
            return known->second->second;
        }
    }
    auto lines = std::make_shared<Lines>();
    if (!append_lines(place, *lines)) {
        return nullptr;
    }
    const auto bytes_of = [](const Lines& of) { return of.text.capacity() + of.starts.capacity() * 4; };
    const std::lock_guard lock(cache_mutex_);
    if (!cached_.contains(place.number)) {
        cache_.emplace_front(place.number, lines);
        cached_.emplace(place.number, cache_.begin());
        cache_bytes_ += bytes_of(*lines);
    }
    while (cache_bytes_ > kCacheBytes && cache_.size() > 1) {
        cache_bytes_ -= bytes_of(*cache_.back().second);
        cached_.erase(cache_.back().first);
        cache_.pop_back();
    }
    return lines;
}

KeptText FileStore::text(std::uint32_t line) const {
    const Place place = place_of(line);
    const auto lines = lines_of(place);
    if (!lines) {
        return {};
    }
    return KeptText(lines->line(line - place.block.first), lines);
}

std::string_view FileStore::Cursor::text(const FileStore& store, std::uint32_t line) {
    if (!lines_ || line - first_ >= lines_->starts.size()) {
        const Place place = store.place_of(line);
        lines_ = store.lines_of(place);
        first_ = place.block.first;
    }
    return lines_ ? lines_->line(line - first_) : std::string_view();
}

/// As many blocks as a search gets at once, if they lie one behind the other in a file.
FileStore::Place FileStore::run_of(const Place& first) const {
    Place run = first;
    const std::shared_lock lock(mutex_);
    for (std::size_t next = first.number + std::size_t(1); next < blocks_.size(); ++next) {
        const Block& block = blocks_[next];
        if (block.copied != 0 || block.file != run.block.file || block.begin != run.block.end ||
            block.end - run.block.begin > kPieceBytes) {
            break;
        }
        run.block.end = block.end;
        const std::uint32_t past = next + 1 < blocks_.size() ? blocks_[next + 1].first : closed_;
        run.lines = past - run.block.first;
    }
    return run;
}

/// A buffer that another piece has had: its pages are there already.
std::shared_ptr<FileStore::Lines> FileStore::used_lines() {
    thread_local std::vector<std::unique_ptr<Lines>> spare;
    std::unique_ptr<Lines> lines = spare.empty() ? std::make_unique<Lines>() : std::move(spare.back());
    if (!spare.empty()) {
        spare.pop_back();
    }
    lines->text.clear();
    lines->starts.clear();
    lines->text.reserve(kPieceBytes + 2 * kBlockBytes);
    const auto id = std::this_thread::get_id();
    return {lines.release(), [id](Lines* used) {
                std::unique_ptr<Lines> back(used);
                if (std::this_thread::get_id() == id && spare.size() < 2) {
                    spare.push_back(std::move(back));
                }
            }};
}

LineSource::Piece FileStore::piece(std::uint32_t first, std::uint32_t end) const {
    auto lines = used_lines();
    Piece piece{.text = {}, .first = first, .end = first};
    if (const Place place = place_of(first); place.block.copied == 0) {
        const Place run = run_of(place);
        if (append_plain(open(place.block.file), run, *lines)) {
            return cut(std::move(lines), first - place.block.first,
                       {.text = {}, .first = first, .end = run.block.first + run.lines}, end);
        }
    }
    std::uint32_t front = 0;  ///< lines of the first block before `first`
    while (piece.end < end && lines->text.size() < kPieceBytes) {
        const Place place = place_of(piece.end);
        const bool there = append_lines(place, *lines);
        if (!there && piece.end > first) {
            break;
        }
        front = piece.end == first ? first - place.block.first : front;
        piece.end = place.block.first + place.lines;
        if (!there) {
            piece.end = std::min(piece.end, end);
            return piece;
        }
    }
    return cut(std::move(lines), front, piece, end);
}

/// `front`: lines before those of the piece.
LineSource::Piece FileStore::cut(std::shared_ptr<Lines> lines, std::uint32_t front, Piece piece,
                                 std::uint32_t end) {
    const std::uint32_t first = piece.first;
    piece.end = std::min(piece.end, end);
    const std::size_t begin = lines->starts[front];
    const std::size_t past = front + (piece.end - first);
    const std::size_t stop = past < lines->starts.size() ? lines->starts[past] : lines->text.size();
    for (std::uint32_t& start : lines->starts) {
        start -= std::min<std::uint32_t>(start, std::uint32_t(begin));
    }
    piece.text = std::string_view(lines->text).substr(begin, stop - begin);
    piece.starts = std::span(lines->starts).subspan(front, piece.end - first);
    piece.owner = std::move(lines);
    return piece;
}

}  // namespace rankscope::gui
