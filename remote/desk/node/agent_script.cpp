// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/shell_quote.h>
#include <remote/desk/node/agent_script.h>

namespace rankscope {
namespace {

// "~/…" is expanded by the node's shell, which knows its own home; everything else is one quoted word.
std::string folder(const std::string& cache_dir) {
    if (cache_dir.empty()) {
        return "d=\"${XDG_CACHE_HOME:-$HOME/.cache}/rankscope\"; ";
    }
    return (cache_dir.starts_with("~/") ? "d=\"$HOME\"/" + shell_quote(cache_dir.substr(2))
                                        : "d=" + shell_quote(cache_dir)) +
           "; ";
}

// What lies in the cache folder is executed, so no other user may be able to change it. The folder without
// symbolic links and each of its parents must belong to the user, to root or to the owner of / (in a user
// namespace root has no number), and only they may write there. Two exceptions: a parent with the sticky bit
// (/tmp: others cannot rename or remove what is not theirs, and the component below it is checked as well),
// and a group that is the user's alone (Debian's user private groups).
std::string refuse_unsafe_folder() {
    return "d=$(cd -P \"$d\" && pwd -P) || exit " + std::to_string(kExitCannotMakeFolder) +
           "; export RANKSCOPE_CACHE_DIR=\"$d\"; set -f; u=$(id -u); set -- $(ls -ldn /); r=$3; "
           "p=\"$d/bin\"; while :; do set -- $(ls -ldn \"$p\"); w=no; "
           "case \"$1\" in ????????w*) w=yes ;; ?????w*) "
           "if [ \"$4\" -eq \"$(id -g)\" ] && [ \"$(id -gn)\" = \"$(id -un)\" ]; then :; else w=yes; fi ;; "
           "esac; "
           "case \"$1\" in d????????[tT]*) "
           "case \"$p\" in \"$d\"|\"$d/bin\") ;; *) w=no ;; esac ;; d*) ;; *) w=yes ;; esac; "
           "case \"$3\" in \"$u\"|0|\"$r\") ;; *) w=yes ;; esac; "
           "if [ $w = yes ]; then echo \"" +
           std::string(kUnsafeMarker) + "$1 $3 $p\"; exit " + std::to_string(kExitUnsafeFolder) +
           "; fi; "
           "if [ \"$p\" = / ]; then break; fi; p=${p%/*}; if [ -z \"$p\" ]; then p=/; fi; done; ";
}

// Defines v: whether a file has the size and (where a program computes it) the SHA-256 of the agent.
std::string define_verify(const AgentBinary& agent) {
    return "v() { [ \"$(wc -c < \"$1\" 2>/dev/null)\" -eq " + std::to_string(agent.size) +
           " ] 2>/dev/null || return 1; "
           "if command -v sha256sum >/dev/null 2>&1; then h=$(sha256sum < \"$1\"); "
           "elif command -v shasum >/dev/null 2>&1; then h=$(shasum -a 256 < \"$1\"); else return 0; fi; "
           "case \"$h\" in " +
           agent.hash + "*) return 0 ;; esac; return 1; }; ";
}

std::string agent_file(const AgentBinary& agent) {
    return "a=\"$d/bin/rankscope-agent-" + agent.hash.substr(0, 32) + "\"; ";
}

}  // namespace

std::string start_agent_script(const AgentBinary& agent, const std::string& cache_dir) {
    return sh_command("n() { echo \"" + std::string(kNeedAgentMarker) + "$(uname -sm)\"; exit " +
                      std::to_string(kExitNeedAgent) + "; }; " + folder(cache_dir) +
                      "[ -d \"$d/bin\" ] || n; " + refuse_unsafe_folder() + agent_file(agent) +
                      define_verify(agent) +
                      "if [ -f \"$a\" ] && v \"$a\"; then :; else n; fi; "
                      "if [ -x \"$a\" ]; then exec \"$a\" serve; fi; echo \"$a\"; exit " +
                      std::to_string(kExitNotExecutable));
}

std::string receive_agent_script(const AgentBinary& agent, const std::string& cache_dir) {
    const auto fail = [](int code) { return "{ rm -f \"$t\"; exit " + std::to_string(code) + "; }; "; };
    return sh_command(folder(cache_dir) + "umask 077; mkdir -p \"$d/bin\" || exit " +
                      std::to_string(kExitCannotMakeFolder) + "; " + refuse_unsafe_folder() +
                      agent_file(agent) + define_verify(agent) + "t=\"$a.$$.part\"; cat > \"$t\" || " +
                      fail(kExitCannotWrite) + "v \"$t\" || " + fail(kExitDamaged) +
                      "chmod 700 \"$t\" && mv -f \"$t\" \"$a\" || " + fail(kExitCannotWrite) +
                      "[ -x \"$a\" ] || exit " + std::to_string(kExitNotExecutable));
}

}  // namespace rankscope
