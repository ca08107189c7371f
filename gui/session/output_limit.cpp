// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/session/output_limit.h>
#include <gui/session/workspace.h>
#include <remote/desk/runs/run/log_share.h>

#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr std::uint64_t kMegabyte = 1'000'000;
constexpr std::uint64_t kMost = 2000 * kMegabyte;
constexpr std::uint64_t kShare = 10;

}  // namespace

std::uint64_t default_output_limit(std::int64_t free) {
    return std::clamp(std::uint64_t(std::max<std::int64_t>(free, 0)) / kShare, LogShare::kDefaultLimit,
                      kMost);
}

std::int64_t disk_free(const std::filesystem::path& file) {
    std::error_code error;
    for (auto folder = std::filesystem::absolute(file, error).parent_path(); !folder.empty();
         folder = folder.parent_path()) {
        if (const auto space = std::filesystem::space(folder, error); !error) {
            return std::int64_t(space.available);
        }
        if (folder == folder.parent_path()) {
            break;
        }
    }
    return -1;
}

OutputLimit* OutputLimit::of(Workspace* workspace) {
    auto* limit = workspace->findChild<OutputLimit*>(QString(), Qt::FindDirectChildrenOnly);
    return limit != nullptr ? limit : new OutputLimit(workspace);  // the workspace owns it
}

OutputLimit::OutputLimit(Workspace* workspace)
    : QObject(workspace), workspace_(workspace), job_(this, workspace->pool()) {
    look();
}

std::uint64_t OutputLimit::bytes() {
    const int own = workspace_->settings()->now().output_mb;
    if (own > 0) {
        return std::uint64_t(own) * kMegabyte;
    }
    look();
    return default_output_limit(free_);
}

void OutputLimit::look() {
    job_.start([path = workspace_->options().store_path()](const JobHandle&) { return disk_free(path); },
               [this](std::int64_t free) { free_ = free; });
}

}  // namespace rankscope::gui
