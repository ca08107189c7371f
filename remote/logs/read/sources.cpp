// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/fd.h>
#include <remote/logs/read/file_walk.h>
#include <remote/logs/read/gzip_bytes.h>
#include <remote/logs/read/line_splitter.h>
#include <remote/logs/read/packed_bytes.h>
#include <remote/logs/read/remark_book.h>
#include <remote/logs/read/sources.h>
#include <remote/logs/read/text_bytes.h>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace rankscope::logs {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::uint64_t kProgressEvery = std::uint64_t{4} << 20;
/// An archive that grows beyond this by more than kBombRatio is one that was made to.
constexpr std::uint64_t kBombSize = std::uint64_t{1} << 30;
constexpr std::uint64_t kBombRatio = 1000;

class Reading {
public:
    Reading(const ReadOptions& options, const RawSink& sink, const ProgressSink& progress,
            const std::stop_token& stop)
        : options_(options), sink_(sink), progress_(progress), stop_(stop) {}

    SourceList read(const std::vector<std::string>& paths) {
        const auto files = find_log_files(paths, options_.most_files, remarks_);
        for (const auto& file : files) {
            reported_.total += file.bytes;
        }
        buffer_.resize(kPiece);
        for (const auto& file : files) {
            if (stop_.stop_requested()) {
                break;
            }
            read_file(file);
        }
        if (stop_.stop_requested()) {
            remarks_.add({.kind = RemarkKind::Stopped, .source = Remark::kNoSource});
        } else {
            report({}, true);
        }
        return {std::move(sources_), remarks_.take()};
    }

private:
    /// What a text or an archive is called, and where the bytes come from.
    struct Input {
        std::string name;
        std::int64_t modified_s = 0;
        int depth = 0;                    ///< archives around it
        std::filesystem::path file = {};  ///< Source::file
    };

    void read_file(const FoundFile& file) {
        UniqueFd own;
        int fd = STDIN_FILENO;
        if (!file.path.empty()) {
            own.reset(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
            fd = own.get();
        }
        if (fd < 0) {
            remark_file(RemarkKind::Unreadable, file.name, std::generic_category().message(errno));
            return;
        }
        packed_read_ = 0;
        unpacked_of_file_ = 0;
        over_ = unpacked_ > options_.most_unpacked;
        int error = 0;
        read_bytes({.name = file.name, .modified_s = file.modified_s, .file = file.path},
                   [&]() -> std::string_view {
                       if (stop_.stop_requested()) {
                           return {};
                       }
                       ssize_t got = 0;
                       do {
                           got = ::read(fd, buffer_.data(), buffer_.size());
                       } while (got < 0 && errno == EINTR);
                       if (got <= 0) {
                           error = got < 0 ? errno : 0;
                           return {};
                       }
                       packed_read_ += static_cast<std::uint64_t>(got);
                       reported_.done += static_cast<std::uint64_t>(got);
                       report(file.name, false);
                       return {buffer_.data(), static_cast<std::size_t>(got)};
                   });
        if (error != 0) {
            remark_file(RemarkKind::Unreadable, file.name, std::generic_category().message(error));
        }
    }

    void read_bytes(const Input& input, const ByteSource& bytes) {
        // The first bytes decide. What was looked at is given again.
        std::string head;
        auto piece = bytes();
        if (piece.size() < kPackedHead) {
            while (!piece.empty() && head.size() < kPackedHead) {
                head += piece;
                piece = bytes();
            }
        }
        const auto start = head.empty() ? piece : std::string_view(head);
        const bool packed = is_packed(start);
        const bool gzip = is_gzip(start);
        int given = head.empty() ? 1 : 0;
        const ByteSource all = [&]() -> std::string_view {
            if (given == 0) {
                given = 1;
                return head;
            }
            if (given == 1) {
                given = 2;
                return piece;
            }
            return bytes();
        };
        if (!packed && sink_.whole.begins && sink_.whole.begins(start)) {
            read_whole(input, all);
        } else if (!packed) {
            read_text(input, all);
        } else if (input.depth >= options_.deepest_archive) {
            remark_file(RemarkKind::ArchiveDeep, input.name, {});
        } else if (gzip) {
            read_gzip(input, all);
        } else {
            read_archive(input, all);
        }
    }

    void read_gzip(Input input, const ByteSource& bytes) {
        GzipBytes packed(bytes);
        ++input.depth;
        input.file.clear();
        read_bytes(input, [&] { return unpacked(packed, input.name); });
        if (!packed.why().empty() && !stop_.stop_requested()) {
            remark_file(RemarkKind::ArchiveDamaged, input.name, packed.why());
        }
    }

    std::uint32_t begin_source(const Input& input) {
        const auto index = static_cast<std::uint32_t>(sources_.size());
        sources_.push_back({.name = input.name, .modified_s = input.modified_s, .file = input.file});
        if (sink_.begin) {
            sink_.begin(index, sources_.back());
        }
        return index;
    }

    void end_source(std::uint32_t index) {
        if (sink_.end) {
            sink_.end(index, sources_[index]);
        }
    }

    void read_whole(const Input& input, const ByteSource& bytes) {
        const auto index = begin_source(input);
        std::string whole;
        bool ended = false;
        while (!ended && whole.size() <= options_.most_whole) {
            const auto piece = bytes();
            whole += piece;
            ended = piece.empty();
        }
        sources_[index].bytes = whole.size();
        if (ended && (stop_.stop_requested() || sink_.whole.take(sources_[index], whole))) {
            end_source(index);
            return;
        }
        sources_[index].bytes = 0;
        bool given = false;
        read_lines(index, [&]() -> std::string_view {
            if (!std::exchange(given, true)) {
                return whole;
            }
            return ended ? std::string_view() : bytes();
        });
    }

    void read_text(const Input& input, const ByteSource& bytes) { read_lines(begin_source(input), bytes); }

    void read_lines(std::uint32_t index, const ByteSource& bytes) {
        LineSplitter lines(index, options_.longest_line, sink_.line, remarks_);
        TextBytes text(index, lines, remarks_);
        bool is_text = true;
        for (auto piece = bytes(); is_text && !piece.empty(); piece = bytes()) {
            sources_[index].bytes += piece.size();
            is_text = text.feed(piece);
        }
        if (is_text) {
            text.finish();
        }
        sources_[index].lines = lines.lines();
        end_source(index);
    }

    void read_archive(const Input& input, const ByteSource& bytes) {
        PackedBytes packed(bytes);
        PackedBytes::Member member;
        auto step = packed.next(member);
        for (; step == PackedBytes::Step::Member && !over_ && !stop_.stop_requested();
             step = packed.next(member)) {
            const auto name = member.path.empty() ? input.name : input.name + "/" + member.path;
            if (!member.regular) {
                continue;  // folders, links
            }
            if (member.encrypted) {
                remark_file(RemarkKind::ArchiveLocked, name, {});
                continue;
            }
            if (!member.path.empty() && names_no_log(member.path)) {
                remark_file(RemarkKind::NotALog, name, {});
                continue;
            }
            if (sources_.size() >= options_.most_files) {
                remark_file(RemarkKind::FileLimit, name, {});
                return;
            }
            const auto modified = member.path.empty() ? input.modified_s : member.modified_s;
            read_bytes({.name = name, .modified_s = modified, .depth = input.depth + 1},
                       [&] { return unpacked(packed, input.name); });
        }
        if (!packed.why().empty() && !stop_.stop_requested()) {
            remark_file(RemarkKind::ArchiveDamaged, input.name, packed.why());
        }
    }

    template <typename Packed>
    std::string_view unpacked(Packed& packed, const std::string& name) {
        if (over_ || stop_.stop_requested()) {
            return {};
        }
        const auto piece = packed.read();
        unpacked_ += piece.size();
        unpacked_of_file_ += piece.size();
        const bool bomb = unpacked_of_file_ > kBombSize && unpacked_of_file_ / kBombRatio > packed_read_;
        if (unpacked_ > options_.most_unpacked || bomb) {
            over_ = true;
            remarks_.add({.kind = RemarkKind::UnpackLimit,
                          .source = Remark::kNoSource,
                          .name = name,
                          .amount = unpacked_});
            return {};
        }
        return piece;
    }

    void remark_file(RemarkKind kind, std::string name, std::string detail) {
        remarks_.add({.kind = kind,
                      .source = Remark::kNoSource,
                      .name = std::move(name),
                      .detail = std::move(detail)});
    }

    void report(std::string_view name, bool last) {
        if (progress_ && (last || reported_.done - last_report_ >= kProgressEvery)) {
            last_report_ = reported_.done;
            reported_.source = name;
            progress_(reported_);
        }
    }

    const ReadOptions& options_;
    const RawSink& sink_;
    const ProgressSink& progress_;
    const std::stop_token& stop_;
    std::vector<Source> sources_;
    RemarkBook remarks_;
    std::string buffer_;
    ReadProgress reported_;
    std::uint64_t last_report_ = 0;
    std::uint64_t packed_read_ = 0;       ///< of the file on the disk
    std::uint64_t unpacked_of_file_ = 0;  ///< from it
    std::uint64_t unpacked_ = 0;          ///< from all
    bool over_ = false;
};

}  // namespace

SourceList read_raw_lines(const std::vector<std::string>& paths, const ReadOptions& options,
                          const RawSink& sink, const ProgressSink& progress, const std::stop_token& stop) {
    return Reading(options, sink, progress, stop).read(paths);
}

}  // namespace rankscope::logs
