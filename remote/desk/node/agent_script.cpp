// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/shell_quote.h>
#include <remote/desk/node/agent_script.h>

namespace rankscope {
namespace {

// "~/…" is expanded by the node's shell, which knows its own home; everything else is one quoted word.
std::string folder(const std::string& cache_dir) {
    if (cache_dir.empty()) {
        return "d=\"${XDG_CACHE_HOME:-$HOME/.cache}/rankscope\"";
    }
    const std::string assignment = cache_dir.starts_with("~/")
                                       ? "d=\"$HOME\"/" + shell_quote(cache_dir.substr(2))
                                       : "d=" + shell_quote(cache_dir);
    return assignment + "; export RANKSCOPE_CACHE_DIR=\"$d\"";
}

std::string agent_file(const AgentBinary& agent) {
    return "a=\"$d/bin/rankscope-agent-" + agent.hash.substr(0, 32) + '"';
}

}  // namespace

std::string start_agent_script(const AgentBinary& agent, const std::string& cache_dir) {
    return sh_command(folder(cache_dir) + "; " + agent_file(agent) +
                      "; if [ -x \"$a\" ]; then exec \"$a\" serve; fi; "
                      "if [ -f \"$a\" ]; then echo \"$a\"; exit " +
                      std::to_string(kExitNotExecutable) + "; fi; echo \"" + kNeedAgentMarker +
                      "$(uname -sm)\"; exit " + std::to_string(kExitNeedAgent));
}

std::string receive_agent_script(const AgentBinary& agent, const std::string& cache_dir) {
    const auto fail = [](int code) { return "{ rm -f \"$t\"; exit " + std::to_string(code) + "; }"; };
    return sh_command(folder(cache_dir) + "; " + agent_file(agent) +
                      "; t=\"$a.$$.part\"; umask 077; mkdir -p \"$d/bin\" || exit " +
                      std::to_string(kExitCannotMakeFolder) + "; cat > \"$t\" || " + fail(kExitCannotWrite) +
                      "; [ \"$(wc -c < \"$t\")\" -eq " + std::to_string(agent.size) + " ] || " +
                      fail(kExitDamaged) +
                      "; if command -v sha256sum >/dev/null 2>&1; then case \"$(sha256sum < \"$t\")\" in " +
                      agent.hash + "*) ;; *) rm -f \"$t\"; exit " + std::to_string(kExitDamaged) +
                      ";; esac; fi; chmod 700 \"$t\" && mv -f \"$t\" \"$a\" || " + fail(kExitCannotWrite) +
                      "; [ -x \"$a\" ] || exit " + std::to_string(kExitNotExecutable));
}

}  // namespace rankscope
