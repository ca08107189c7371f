// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <remote/agent/ranks/stack_hook.h>

#include <string_view>

namespace rankscope::agent {
namespace {

constexpr const char* kFileVariable = "RANKSCOPE_STACK_FILE";

// For any Python that a rank may be, also 2.7. The signal goes to a thread that does nothing else: no system call of the
// program is interrupted. Libraries fail when theirs are (PyTorch's store does while it connects).
constexpr std::string_view kHook =
    R"(# Written by Rankscope, which reads from it where a rank stands that makes no progress.
# RANKSCOPE_PYTHON_STACKS=0 in the job's environment leaves it out.
import os
import sys


def _restore():
    here = os.path.dirname(__file__)
    value = os.environ.get("PYTHONPATH", "")
    if value == here:
        del os.environ["PYTHONPATH"]
    elif value.startswith(here + os.pathsep):
        os.environ["PYTHONPATH"] = value[len(here) + 1:]
    if here in sys.path:
        sys.path.remove(here)


def _install():
    import signal
    name = os.environ.pop("RANKSCOPE_STACK_FILE", None)
    if name and signal.getsignal(signal.SIGURG) == signal.SIG_DFL:
        import faulthandler
        try:
            import _thread
        except ImportError:
            import thread as _thread
        faulthandler.register(signal.SIGURG, file=open(name, "a"), all_threads=True)
        _thread.start_new_thread(_stand_by, (_thread.allocate_lock(),))


def _stand_by(lock):
    with open("/proc/thread-self/comm", "w") as comm:
        comm.write("rankscope-stack")
    lock.acquire()
    lock.acquire()


def _continue():
    ours = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize
    except ImportError as error:
        if getattr(error, "name", "sitecustomize") != "sitecustomize":
            raise
    finally:
        if ours is not None:
            sys.modules.setdefault("sitecustomize", ours)


try:
    _restore()
    _install()
except Exception:
    pass
_continue()
)";

}  // namespace

std::filesystem::path stack_file_of(const RunDir& dir, int rank) {
    return dir.rank_dir(rank) / "python-stack";
}

void add_stack_hook(std::map<std::string, std::string>& variables, const RunDir& dir, int rank) {
    const auto wanted = variables.find(kStacksVariable);
    const auto folder = dir.dir / "python";
    if ((wanted != variables.end() && wanted->second == "0") ||
        folder.string().find(':') != std::string::npos ||
        write_file_atomically(folder / "sitecustomize.py", kHook) != 0) {
        return;
    }
    auto& path = variables["PYTHONPATH"];
    path = path.empty() ? folder.string() : folder.string() + ':' + path;
    variables[kFileVariable] = stack_file_of(dir, rank).string();
}

}  // namespace rankscope::agent
