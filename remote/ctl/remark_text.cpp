// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/remark_text.h>
#include <remote/ctl/terminal_text.h>

#include <cstdio>
#include <string>

namespace rankscope::ctl {

void print_remarks(const logs::SourceList& read) {
    for (const auto& remark : read.remarks) {
        const std::string name = !remark.name.empty()                  ? remark.name
                                 : remark.source < read.sources.size() ? read.sources[remark.source].name
                                                                       : "";
        std::fprintf(stderr, "%s%s: %s%s%s\n", safe_text(name).c_str(),
                     remark.line > 0 ? (':' + std::to_string(remark.line)).c_str() : "",
                     to_string(remark.kind), remark.detail.empty() ? "" : ": ",
                     safe_text(remark.detail).c_str());
    }
}

}  // namespace rankscope::ctl
