// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/number_text.h>
#include <base/utf8.h>
#include <remote/agent/inspection/inspection_scope.h>

#include <algorithm>

namespace rankscope::agent {

double InspectionScope::at_most(double seconds) const {
    return std::max(0.01, std::min(seconds, end - monotonic_s()));
}

const std::map<std::string, std::string>& tool_environment() {
    static const std::map<std::string, std::string> environment{
        {"LC_ALL", "C"}, {"LD_LIBRARY_PATH", ""}, {"PYTHONHOME", ""}, {"PYTHONPATH", ""}};
    return environment;
}

void add_unseen(wire::HostInspection& found, const std::string& what, const std::string& why) {
    auto* entry = found.add_unseen();
    entry->set_what(as_utf8(what));
    entry->set_why(as_utf8(why));
}

std::string late_text(double seconds) {
    return "no answer within " + short_number_text(seconds, 2) + " s";
}

}  // namespace rankscope::agent
