// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/logview/line_meaning.h>
#include <remote/logs/fold/line_guide.h>

#include <algorithm>

namespace rankscope::gui {

std::string line_meaning(std::string_view text) {
    static const logs::LineGuide guide = logs::LineGuide::own();
    for (const std::string_view mark : {" NCCL INFO ", " NCCL WARN ", " NCCL TRACE "}) {
        const std::size_t at = text.find(mark);
        if (at != std::string_view::npos) {
            std::string_view message = text.substr(at + mark.size());
            message.remove_prefix(std::min(message.find_first_not_of(' '), message.size()));
            const logs::LineMeaning* known = guide.find(message);
            return known == nullptr ? std::string() : known->meaning;
        }
    }
    return {};
}

}  // namespace rankscope::gui
