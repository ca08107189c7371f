// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/nccl_activity/collective_report.h>

#include <map>
#include <string>
#include <string_view>

namespace rankscope {

/// The rates of the InfiniBand and RoCE devices, from the lines in which NCCL lists them (subsystem NET):
/// "NET/IB: [0] mlx5_0:uverbs0:1/IB provider=mlx5 speed=200000 …".
class LinkLines {
public:
    /// `message`: of a line of NCCL, without its prefix. Whether rate() may be another one now.
    bool take(std::string_view host, std::string_view message);
    /// Of the node with the least; unknown without such a line.
    LinkRate rate() const;

private:
    std::map<std::string, std::map<std::string, double>, std::less<>> hosts_;  ///< device → bytes per second
};

}  // namespace rankscope
