// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/shell_quote.h>
#include <remote/desk/nodes/session/agent_script.h>

namespace rankscope::inline nodes {
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

// Defines o: whether the group is the user's alone (Debian's user private groups). Its name is the user's, it has no
// other members, and it is the first group of no other user here. What cannot be found out counts as no.
std::string define_own_group() {
    return "o() { [ \"$1\" -eq \"$(id -g)\" ] && [ \"$(id -gn)\" = \"$(id -un)\" ] || return 1; "
           "m=$(getent group \"$1\" 2>/dev/null || grep \"^[^:]*:[^:]*:$1:\" /etc/group 2>/dev/null) || "
           "return 1; "
           "m=${m##*:}; case \"$m\" in \"\"|\"$(id -un)\") ;; *) return 1 ;; esac; "
           "while IFS=: read -r n x x g x; do "
           "if [ \"$g\" = \"$1\" ]; then [ \"$n\" = \"$(id -un)\" ] || return 1; fi; "
           "done < /etc/passwd; return 0; }; ";
}

// What lies in the cache folder is executed, so no other user may be able to change it. The folder without
// symbolic links and each of its parents must belong to the user, to root or to the owner of / (in a user
// namespace root has no number), and only they may write there. Two exceptions: a parent with the sticky bit
// (/tmp: others cannot rename or remove what is not theirs, and the component below it is checked as well),
// and a group that is the user's alone. With an access control list (a '+' behind the mode) the mode of the group is
// the most that the list gives to anybody: then no group is the user's alone.
std::string refuse_unsafe_folder() {
    return define_own_group() + "d=$(cd -P \"$d\" && pwd -P) || exit " +
           std::to_string(kExitCannotMakeFolder) +
           "; export RANKSCOPE_CACHE_DIR=\"$d\"; set -f; u=$(id -u); set -- $(ls -ldn /); r=$3; "
           "p=\"$d/bin\"; while :; do set -- $(ls -ldn \"$p\"); w=no; "
           "case \"$1\" in ????????w*|?????w*+) w=yes ;; ?????w*) o \"$4\" || w=yes ;; esac; "
           "case \"$1\" in d????????[tT]*) "
           "case \"$p\" in \"$d\"|\"$d/bin\") ;; *) w=no ;; esac ;; d*) ;; *) w=yes ;; esac; "
           "case \"$3\" in \"$u\"|0|\"$r\") ;; *) w=yes ;; esac; "
           "if [ $w = yes ]; then s \"$1 $3\" \"$p\"; fi; "
           "if [ \"$p\" = / ]; then break; fi; p=${p%/*}; if [ -z \"$p\" ]; then p=/; fi; done; ";
}

// Defines s: says what is unsafe, and ends. And c: whether only the user (or root) can write to the open file, by what
// ls says of it. The same file may be written by others only where its mode lets them, whoever can change the folder.
std::string define_file_check() {
    return "s() { echo \"" + std::string(kUnsafeMarker) + "$1 $2\"; exit " +
           std::to_string(kExitUnsafeFolder) +
           "; }; c() { set -- $(ls -lnL /proc/self/fd/0 2>/dev/null); "
           "case \"$1\" in -???????w*|-????w*) return 1 ;; -*) ;; *) return 1 ;; esac; "
           "case \"$3\" in \"$u\"|0|\"$r\") return 0 ;; esac; return 1; }; ";
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

// The file is opened once: what was checked is what is executed, whatever its name leads to by then. (/proc/self/fd/8 is
// the open file itself, and Linux honours noexec of its own file system.)
std::string start_agent_script(const AgentBinary& agent, const std::string& cache_dir) {
    return sh_command("n() { echo \"" + std::string(kNeedAgentMarker) + "$(uname -sm)\"; exit " +
                      std::to_string(kExitNeedAgent) + "; }; " + folder(cache_dir) +
                      "[ -d \"$d/bin\" ] || n; " + define_file_check() + refuse_unsafe_folder() +
                      agent_file(agent) + define_verify(agent) +
                      "if [ -f \"$a\" ] && [ -r \"$a\" ]; then exec 8< \"$a\"; else n; fi; "
                      "f=/proc/self/fd/8; "
                      "if c <&8 && v \"$f\"; then :; else n; fi; "
                      "if [ -x \"$a\" ]; then exec \"$f\" serve; fi; echo \"$a\"; exit " +
                      std::to_string(kExitNotExecutable));
}

// Made anew (set -C) by the user, and empty at first: where the folder has a list that lets others write to new files,
// the mode shows it before there is anything in it.
std::string receive_agent_script(const AgentBinary& agent, const std::string& cache_dir) {
    const auto fail = [](int code) { return "{ rm -f \"$t\"; exit " + std::to_string(code) + "; }; "; };
    return sh_command(folder(cache_dir) + "umask 077; mkdir -p \"$d/bin\" || exit " +
                      std::to_string(kExitCannotMakeFolder) + "; " + define_file_check() +
                      refuse_unsafe_folder() + agent_file(agent) + define_verify(agent) +
                      "t=\"$a.$$.part\"; rm -f \"$t\"; set -C; true > \"$t\" || " + fail(kExitCannotWrite) +
                      "set +C; if c < \"$t\"; then :; else m=$(ls -ldn \"$t\"); rm -f \"$t\"; "
                      "set -- $m; s \"$1 $3\" \"$d/bin\"; fi; cat > \"$t\" || " +
                      fail(kExitCannotWrite) + "v \"$t\" || " + fail(kExitDamaged) +
                      "chmod 700 \"$t\" && mv -f \"$t\" \"$a\" || " + fail(kExitCannotWrite) +
                      "[ -x \"$a\" ] || exit " + std::to_string(kExitNotExecutable));
}

}  // namespace rankscope::inline nodes
