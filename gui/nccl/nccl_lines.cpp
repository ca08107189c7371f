// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/nccl_lines.h>

#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::size_t kLongest = 16384;  ///< bytes of a line that are kept

}  // namespace

void NcclLines::add(const logs::LogLine& line) {
    if (!open_) {
        open_ = std::make_shared<Block>();
        open_->lines.reserve(kBlockLines);
    }
    const std::string_view text = line.text.substr(0, kLongest);
    // The message is the end of the line; a prefix that was taken from elsewhere leaves it whole.
    const auto before = line.message.size() <= line.text.size() ? line.text.size() - line.message.size() : 0;
    Entry entry;
    entry.place = line.place;
    entry.begin = std::uint32_t(open_->text.size());
    entry.size = std::uint32_t(text.size());
    entry.message = std::uint32_t(std::min(before, text.size()));
    entry.speaker = speaker_of(line);
    entry.device = std::int16_t(std::clamp(line.device, -1, 32767));
    entry.who = line.speaker;
    entry.level = line.level;
    entry.time = line.time;
    open_->text += text;
    open_->lines.push_back(entry);
    if (open_->lines.size() == kBlockLines) {
        open_->text.shrink_to_fit();
        bytes_ += open_->bytes();
        full_.push_back(std::exchange(open_, nullptr));
        make_room();
    }
}

std::uint32_t NcclLines::speaker_of(const logs::LogLine& line) {
    const auto is = [&](const NcclSpeaker& speaker) {
        return speaker.pid == line.pid && speaker.rank == line.rank && speaker.host == line.host;
    };
    if (last_speaker_ < speakers_.size() && is(speakers_[last_speaker_])) {
        return last_speaker_;
    }
    const auto [at, is_new] = speaker_index_.try_emplace(
        std::tuple(std::string(line.host), line.pid, line.rank), std::uint32_t(speakers_.size()));
    if (is_new) {
        speakers_.push_back({line.place.file, std::string(line.host), line.pid, line.rank});
    }
    return last_speaker_ = at->second;
}

// The first third is how the communicators were set up, the rest how it ended.
void NcclLines::make_room() {
    while (bytes_ > kMostBytes && full_.size() > 2) {
        if (head_ == 0) {
            for (std::size_t kept = 0; head_ + 1 < full_.size() && kept < kMostBytes / 3; ++head_) {
                kept += full_[head_]->bytes();
            }
        }
        bytes_ -= full_[head_]->bytes();
        left_out_ += full_[head_]->lines.size();
        full_.erase(full_.begin() + std::ptrdiff_t(head_));
    }
}

NcclLines NcclLines::copy() const {
    NcclLines same = *this;
    if (open_) {
        same.open_ = std::make_shared<Block>(*open_);
    }
    return same;
}

std::size_t NcclLines::size() const {
    return full_.size() * kBlockLines + (open_ ? open_->lines.size() : 0);
}

NcclLine NcclLines::at(std::size_t index) const {
    const Block& block = index / kBlockLines < full_.size() ? *full_[index / kBlockLines] : *open_;
    const Entry& entry = block.lines[index % kBlockLines];
    const std::string_view text = std::string_view(block.text).substr(entry.begin, entry.size);
    return {entry.place, text,      text.substr(entry.message), entry.speaker, entry.device, entry.who,
            entry.level, entry.time};
}

std::size_t NcclLines::find(const logs::LinePlace& place) const {
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) {
        const Block& block = i / kBlockLines < full_.size() ? *full_[i / kBlockLines] : *open_;
        if (block.lines[i % kBlockLines].place == place) {
            return i;
        }
    }
    return count;
}

std::size_t NcclLines::left_out_at() const {
    return left_out_ > 0 ? head_ * kBlockLines : 0;
}

}  // namespace rankscope::gui
