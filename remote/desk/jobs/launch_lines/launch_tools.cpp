// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The launchers by the words that call them.

#include <base/text.h>
#include <remote/desk/jobs/launch_lines/launch_tool.h>

#include <map>

namespace rankscope::inline jobs::launch_lines {

std::optional<FoundLauncher> find_launcher(const Words& words, std::size_t at) {
    if (at >= words.size()) {
        return std::nullopt;
    }
    auto known = find_known_launcher(words, at);
    return known ? known : find_other_launcher(words, at);
}

std::optional<FoundLauncher> find_known_launcher(const Words& words, std::size_t at) {
    FoundLauncher found;
    const std::string name = base_name(words[at]);
    if (name.starts_with("python")) {
        found.python = words[at];
        std::size_t module = at + 1;
        module += module < words.size() && words[module] == "-u" ? 1U : 0U;
        if (module + 1 >= words.size() || words[module] != "-m") {
            return std::nullopt;
        }
        static const std::map<std::string, LauncherTool> modules{
            {"torch.distributed.run", LauncherTool::Torchrun},
            {"torch.distributed.launch", LauncherTool::TorchLaunch},
            {"paddle.distributed.launch", LauncherTool::Paddle},
            {"accelerate.commands.launch", LauncherTool::Accelerate},
            {"deepspeed.launcher.runner", LauncherTool::DeepSpeed}};
        const auto known = modules.find(words[module + 1]);
        if (known == modules.end()) {
            return std::nullopt;
        }
        found.tool = known->second;
        found.at = module + 2;
        return found;
    }
    static const std::map<std::string, LauncherTool> programs{{"torchrun", LauncherTool::Torchrun},
                                                              {"srun", LauncherTool::Srun},
                                                              {"yhrun", LauncherTool::Srun},
                                                              {"deepspeed", LauncherTool::DeepSpeed},
                                                              {"ds", LauncherTool::DeepSpeed},
                                                              {"horovodrun", LauncherTool::Horovodrun},
                                                              {"mpirun", LauncherTool::Mpirun},
                                                              {"mpiexec", LauncherTool::Mpirun},
                                                              {"mpirun.openmpi", LauncherTool::Mpirun},
                                                              {"orterun", LauncherTool::Mpirun},
                                                              {"mpiexec.hydra", LauncherTool::Mpirun},
                                                              {"fleetrun", LauncherTool::Paddle},
                                                              {"accelerate", LauncherTool::Accelerate}};
    const auto known = programs.find(name);
    if (known == programs.end()) {
        return std::nullopt;
    }
    found.tool = known->second;
    found.at = at + 1;
    if (found.tool == LauncherTool::Accelerate) {
        if (found.at >= words.size() || words[found.at] != "launch") {
            return std::nullopt;
        }
        ++found.at;
    }
    return found;
}

Result<void> read_words(const FoundLauncher& found, const Words& words, PastedLine& line) {
    switch (found.tool) {
        case LauncherTool::Torchrun:
            return read_torchrun(words, found.at, found.python, line);
        case LauncherTool::TorchLaunch:
            return read_torch_launch(words, found.at, found.python, line);
        case LauncherTool::Srun:
            return read_srun(words, found.at, line);
        case LauncherTool::DeepSpeed:
            return read_deepspeed(words, found.at, line);
        case LauncherTool::Accelerate:
            return read_accelerate(words, found.at, line);
        case LauncherTool::Horovodrun:
            return read_horovodrun(words, found.at, line);
        case LauncherTool::Mpirun:
            return read_mpirun(words, found.at, line);
        case LauncherTool::Paddle:
            return read_paddle(words, found.at, found.python, line);
        case LauncherTool::Other:
            return read_other_launcher(words, found.at, found.python, line);
        case LauncherTool::Program:
            break;
    }
    return {};
}

}  // namespace rankscope::inline jobs::launch_lines
