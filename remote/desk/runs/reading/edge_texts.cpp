// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/reading/edge_texts.h>

#include <algorithm>
#include <utility>

namespace rankscope::inline runs {

void EdgeTexts::add(const logs::LinePlace& place, std::string_view text) {
    text = text.substr(0, kLongest);
    if (bytes_ + text.size() + sizeof(Entry) > kMostBytes) {
        return;
    }
    if (!open_) {
        open_ = std::make_shared<Block>();
    }
    open_->lines.push_back({place, std::uint32_t(open_->text.size()), std::uint32_t(text.size())});
    open_->text += text;
    bytes_ += text.size() + sizeof(Entry);
    ++size_;
    if (open_->lines.size() == kBlockLines) {
        open_->text.shrink_to_fit();
        full_.push_back(std::exchange(open_, nullptr));
    }
}

EdgeTexts EdgeTexts::copy() const {
    EdgeTexts same = *this;
    if (open_) {
        same.open_ = std::make_shared<Block>(*open_);
    }
    return same;
}

std::string_view EdgeTexts::find(const logs::LinePlace& place) const {
    const auto in = [&](const Block& block) -> std::string_view {
        const auto line = std::ranges::find(block.lines, place, &Entry::place);
        return line == block.lines.end() ? std::string_view()
                                         : std::string_view(block.text).substr(line->begin, line->size);
    };
    for (const auto& block : full_) {
        if (const std::string_view text = in(*block); !text.empty()) {
            return text;
        }
    }
    return open_ ? in(*open_) : std::string_view();
}

}  // namespace rankscope::inline runs
