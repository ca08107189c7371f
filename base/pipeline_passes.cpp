// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <base/pipeline_passes.h>
#include <base/text.h>

#include <cmath>
#include <cstddef>
#include <utility>

namespace rankscope {
namespace {

constexpr std::size_t kLongestText = 3000;  // of PIPE_BUF, with the line's other values
constexpr std::size_t kMostPasses = 1024;
constexpr int kMostMicroBatches = 1 << 20;
constexpr double kLongestMs = 1e9;

std::optional<PipelinePass> read_pass(std::string_view text) {
    const std::size_t at = text.find('@');
    const std::size_t plus = text.find('+', at == std::string_view::npos ? 0 : at);
    if (text.empty() || (text[0] != 'F' && text[0] != 'B') || at == std::string_view::npos ||
        plus == std::string_view::npos) {
        return std::nullopt;
    }
    const auto micro_batch = parse_number<int>(text.substr(1, at - 1));
    const auto begin = parse_number<double>(text.substr(at + 1, plus - at - 1));
    const auto length = parse_number<double>(text.substr(plus + 1));
    const bool valid = micro_batch && *micro_batch >= 0 && *micro_batch < kMostMicroBatches && begin &&
                       std::abs(*begin) < kLongestMs && length && *length >= 0 && *length < kLongestMs;
    return valid ? std::optional(PipelinePass{*micro_batch, text[0] == 'F', *begin, *length}) : std::nullopt;
}

}  // namespace

std::string passes_text(const std::vector<PipelinePass>& passes) {
    std::string text;
    for (const PipelinePass& pass : passes) {
        text += (text.empty() ? "" : " ") + std::string(pass.forward ? "F" : "B") +
                std::to_string(pass.micro_batch) + '@' + fixed_text(pass.begin_ms, 2) + '+' +
                fixed_text(pass.length_ms, 2);
        if (text.size() > kLongestText) {
            return {};
        }
    }
    return text;
}

std::optional<std::vector<PipelinePass>> read_passes(std::string_view text) {
    std::vector<PipelinePass> passes;
    for (const std::string_view word : split(text, ' ')) {
        const auto pass = read_pass(word);
        if (!pass || passes.size() == kMostPasses) {
            return std::nullopt;
        }
        passes.push_back(*pass);
    }
    return passes.empty() ? std::nullopt : std::optional(std::move(passes));
}

}  // namespace rankscope
