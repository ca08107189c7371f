// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <string_view>

namespace rankscope::logs {

/// Lines that say from where the following ones are, when several files or nodes lie in one text:
/// "==> node-b.log <==" of tail and head, "===== node-2 =====", "node1 | CHANGED | rc=0 >>" of Ansible, and the
/// name between two rules of dshbak and clush.
class PartHeaders {
public:
    void begin() { *this = {}; }

    /// Whether this line is such a header; the part is then the new one.
    bool feed(std::string_view text);

    /// Name of the current part; empty: none was named yet.
    const std::string& part() const { return part_; }
    const std::string& host() const { return host_; }
    int rank() const { return rank_; }
    int local_rank() const { return local_rank_; }

private:
    void enter(std::string_view name);

    std::string part_;
    std::string host_;
    std::string candidate_;  ///< a name after a rule
    int rank_ = -1;
    int local_rank_ = -1;
    bool after_rule_ = false;
};

}  // namespace rankscope::logs
