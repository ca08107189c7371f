// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// sbatch (Slurm): what it asks for, beside the srun line that starts the ranks.

#include <base/text.h>
#include <remote/desk/jobs/launch_lines/batch_script.h>
#include <remote/desk/jobs/launch_lines/shell_words.h>
#include <remote/desk/shared/text.h>

#include <algorithm>

namespace rankscope::inline jobs::launch_lines {
namespace {

constexpr const char* kContext = "LaunchLines";
constexpr std::size_t kMostWords = 1000;

Words words_of(const std::string& text) {
    const ShellText split = split_shell_text(text);
    return split.commands.empty() ? Words{} : split.commands.front().words;
}

}  // namespace

Words batch_options(const std::string& script) {
    Words options;
    std::size_t at = 0;
    while (at < script.size() && options.size() < kMostWords) {
        const std::size_t end = std::min(script.find('\n', at), script.size());
        const std::string line = script.substr(at, end - at);
        constexpr const char* kMark = "#SBATCH";
        if (line.starts_with(kMark)) {
            const Words words = words_of(line.substr(std::string(kMark).size()));
            bool has_value = false;  // a word that is neither an option nor its value is the author's
            for (const auto& word : words) {
                const bool is_option = word.size() > 1 && word.starts_with("-");
                if (has_value && !is_option && options.back().starts_with("--")) {
                    options.back() += '=' + word;
                } else if (is_option || has_value) {
                    options.push_back(word);
                }
                has_value = is_option && word.find('=') == std::string::npos;
            }
        }
        at = end + 1;
    }
    return options;
}

Result<Words> without_sbatch(const Words& words) {
    if (words.empty() || base_name(words.front()) != "sbatch") {
        return words;
    }
    Words srun{"srun"};
    for (std::size_t i = 1; i < words.size(); ++i) {
        const bool separate = words[i] == "--wrap" && i + 1 < words.size();
        if (!separate && !words[i].starts_with("--wrap=")) {
            srun.push_back(words[i]);
            continue;
        }
        Words command = words_of(separate ? words[i + 1] : words[i].substr(std::string("--wrap=").size()));
        if (!command.empty() && base_name(command.front()) == "srun") {
            command.erase(command.begin());
        }
        srun.insert(srun.end(), words.begin() + static_cast<std::ptrdiff_t>(i + (separate ? 2 : 1)),
                    words.end());
        srun.insert(srun.end(), command.begin(), command.end());
        return srun;
    }
    return Failure{"bad-command-line", "srun",
                   text(kContext, "The script that sbatch starts is not in the line."),
                   text(kContext, "Paste the text of the script: its #SBATCH lines and its srun line."), ""};
}

}  // namespace rankscope::inline jobs::launch_lines
