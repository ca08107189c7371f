// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/archive/export/output_file.h>
#include <remote/desk/shared/text.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace rankscope::inline archive {
namespace {

constexpr std::size_t kWritePiece = std::size_t{1} << 18;

constexpr const char* kContext = "DraftFile";

}  // namespace

Failure OutputFile::failure(int error) const {
    const std::string why = std::generic_category().message(error);
    return draft_ ? draft_->failure(why)
                  : Failure{.code = "cannot-write",
                            .what = text(kContext, "Standard output cannot be written: %1", {why})};
}

Result<OutputFile> OutputFile::create(const std::filesystem::path& path, bool replace) {
    if (path.empty()) {
        return OutputFile(std::nullopt, UniqueFd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)));
    }
    auto draft = DraftFile::create(path, replace, FileAccess::Usual);
    if (!draft) {
        return draft.failure();
    }
    UniqueFd file(::open(draft->temporary().c_str(), O_WRONLY | O_CLOEXEC));
    if (!file) {
        return draft->failure(std::generic_category().message(errno));
    }
    return OutputFile(std::move(*draft), std::move(file));
}

void OutputFile::write(std::string_view text) {
    waiting_ += text;
    if (waiting_.size() >= kWritePiece) {
        flush();
    }
}

void OutputFile::flush() {
    std::string_view left = waiting_;
    while (!left.empty() && error_ == 0) {
        const ssize_t written = ::write(file_.get(), left.data(), left.size());
        if (written < 0 && errno == EPIPE && !draft_) {
            break;  // the reader has enough, as `head` does
        }
        if (written < 0 && errno != EINTR) {
            error_ = errno;
        } else if (written > 0) {
            left.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    waiting_.clear();
}

Result<void> OutputFile::finish() {
    flush();
    if (error_ == 0 && draft_ && ::fsync(file_.get()) != 0) {
        error_ = errno;
    }
    if (error_ != 0) {
        return failure(error_);
    }
    return draft_ ? draft_->move_into_place() : Result<void>();
}

}  // namespace rankscope::inline archive
