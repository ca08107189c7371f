// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/nccl_ras/ras_json.h>
#include <remote/observe/nccl_ras/ras_report.h>
#include <remote/observe/nccl_ras/ras_text.h>

#include <array>
#include <charconv>

namespace rankscope {

bool ras_text_is_sound(std::string_view nccl_version) {
    std::array<int, 3> version{};
    for (int& part : version) {
        const auto [end, error] =
            std::from_chars(nccl_version.data(), nccl_version.data() + nccl_version.size(), part);
        nccl_version.remove_prefix(static_cast<std::size_t>(end - nccl_version.data()));
        if (error != std::errc{} || !nccl_version.starts_with('.')) {
            break;
        }
        nccl_version.remove_prefix(1);
    }
    constexpr std::array kSince{2, 24, 0};
    constexpr std::array kFaultySince{2, 26, 0};
    constexpr std::array kSoundSince{2, 29, 0};
    return version >= kSince && (version < kFaultySince || version >= kSoundSince);
}

std::optional<RasReport> read_ras_report(std::string_view answer) {
    const std::size_t first = answer.find_first_not_of(" \t\r\n");
    const bool json = first != std::string_view::npos && answer[first] == '{';
    return json ? read_ras_json(answer) : read_ras_text(answer);
}

}  // namespace rankscope
