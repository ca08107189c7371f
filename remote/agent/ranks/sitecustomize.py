# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Written by Rankscope into the folder of a run: shows where the main thread of a rank stands that makes no progress.

RANKSCOPE_PYTHON_STACKS=0 in the job's environment leaves it out. Every Python that a rank may be reads this file, 2.7 and
PyPy too; all but CPython from 3.8 on leave it at once.

One thread waits in sigwait(2) with all signals blocked: it takes none that is meant for the program, keeps no file open, and
holds no lock. Asked by SIGURG, which nobody else gets, it walks the frames of the main thread while it owns the interpreter's
lock: nothing runs that could free them. The answer is the target of a symbolic link, for that needs no file descriptor, which
the program might close or replace meanwhile.

Beside the folder of the rank's own interpreter lies another one, "inner", which stands in PYTHONPATH for what the rank starts:
a process there that may be a rank itself gets the same thread, and pipes of its own in place of those that it shares. A look
then also tells which rank it is, once it is one. So does a process that is forked, unless it is a worker of a rank.
"""
import os
import sys

_FRAMES = 100
_LINK = 4000  # bytes of a link's target
_LINKS = 4
_VARIABLES = "RANKSCOPE_RANK_VARIABLES"  # NAME=VALUE;NAME;...: those that tell ranks, as the process above has them
_PIPE = "RANKSCOPE_METRICS"
_FORKS = 64  # of one process: ranks of a node, not the helpers of a server
_WORKERS = ("/torch/utils/data/", "/torch/_inductor/", "/multiprocessing/pool.py", "/multiprocess/pool.py", "/joblib/",
            "/concurrent/futures/process.py", "/managers.py", "/forkserver.py", "/resource_tracker.py", "/subprocess.py")
_PATIENCE = 0.1  # seconds: what the end of the thread may cost the program at most


class _Watch(object):
    # All that a look needs is bound here: it imports nothing, and works while modules are taken down.
    def __init__(self, name, inner):
        import _signal
        import _thread
        import gc
        import posix

        self.inner = inner
        self.thread_here = _thread.get_ident
        self.process = posix.getpid
        self.begin(name)
        self.forks = 0
        self.signal = _signal.SIGURG
        self.wanted = range(_signal.SIGURG, _signal.SIGURG + 1)  # its iterator is no object that counts for collections
        self.wait = _signal.sigwait
        self.send = _signal.pthread_kill
        self.everything = tuple(_signal.valid_signals())
        self.mask = _signal.pthread_sigmask
        self.block = _signal.SIG_BLOCK
        self.restore = _signal.SIG_SETMASK
        self.make_lock = _thread.allocate_lock
        self.start_thread = _thread.start_new_thread
        self.thread_number = _thread.get_native_id
        self.collects = gc.isenabled
        self.collect_not = gc.disable
        self.collect = gc.enable
        self.frames = sys._current_frames
        self.modules = sys.modules
        self.link = posix.symlink
        self.unlink = posix.unlink
        self.state = posix.stat
        self.open = posix.open
        self.write = posix.write
        self.close = posix.close
        self.write_only = posix.O_WRONLY
        self.set_name = getattr(_thread, "set_name", None)  # from 3.14 on
        self.pause = posix.sched_yield
        self.thread = None
        self.number = 0
        self.first = True
        self.looks = 0
        self.over = False
        self.forking = False
        self.environment = os.environ
        self.variables = _variables()

    def begin(self, name):
        self.name = name
        self.names = ["%s.%d" % (name, i) for i in range(_LINKS)]
        self.pid = self.process()
        self.main = self.thread_here()
        self.told = ""

    def start(self):
        self.over = False
        self.may_end = self.make_lock()
        self.may_end.acquire()
        self.ready = self.make_lock()
        self.ready.acquire()
        self.ended = self.make_lock()
        self.ended.acquire()
        mask = self.mask(self.block, self.everything)  # the thread inherits it
        try:
            self.thread = self.start_thread(self.run, ())
        finally:
            self.mask(self.restore, mask)
        self.ready.acquire(True, _PATIENCE)

    def end(self):
        """Ends the thread, and waits until the kernel has no trace of it."""
        thread, self.thread = self.thread, None
        if thread is None or self.process() != self.pid:
            return
        self.over = True
        self.send(thread, self.signal)
        self.may_end.release()
        if self.ended.acquire(True, _PATIENCE):
            try:
                for _ in range(1000):
                    self.state("/proc/self/task/%d" % self.number)
                    self.pause()
            except OSError:
                pass

    def run(self):
        try:
            self.number = self.thread_number()
            self.call_it("rankscope-stack")
            self.put(str(self.number), self.name)
        except BaseException:
            pass
        self.ready.release()
        try:
            while True:
                self.wait(self.wanted)
                if self.over:
                    break
                try:
                    self.look()
                except OSError:
                    pass
        except BaseException:
            pass
        self.may_end.acquire()  # not before the signal was sent: its receiver must exist
        self.ended.release()

    def look(self):
        # A collection would run finalizers of the program in this thread, and take its time; in Python before 3.11.5 it may
        # even lock up within _current_frames. It is begun by the creation of objects: outside of this nothing is created
        # that counts.
        collects = self.collects()
        if collects:
            self.collect_not()
        try:
            links = self.links_of(self.stack())
            try:
                self.tell_rank()
            except Exception:
                pass
        finally:
            if collects:
                self.collect()
        i = len(links)
        while i > 0:  # the first one comes last: then all are there
            i -= 1
            self.put(links[i], self.names[i])

    # By PyTorch's process group; else by variables that the program itself has set since it began.
    def group(self):
        module = self.modules.get("torch.distributed.distributed_c10d")
        return getattr(getattr(module, "_world", None), "default_pg", None)

    def tell_rank(self):
        group = self.group()
        if group is not None:
            said = "torch %d %d" % (group.rank(), group.size())
        else:
            now = [name if value is None else name + "=" + value
                   for name, value in [(name, self.environment.get(name)) for name, _ in self.variables]]
            said = "" if now == [name if value is None else name + "=" + value
                                 for name, value in self.variables] else "set " + ";".join(now)
        if said and said != self.told:
            self.told = said
            self.put(said, self.name + ".rank")

    def links_of(self, text):
        self.looks += 1
        answer = text.encode("utf-8", "replace").replace(b"\0", b"?")
        count = min(_LINKS, len(answer) // _LINK + 1)
        head = ("%d %d\n" % (self.looks, count)).encode()
        return [head + answer[i * _LINK:(i + 1) * _LINK] for i in range(count)]

    def stack(self):
        # Interpreters with a lock of their own run while this one holds its lock, and their frames would be touched, too.
        # (asyncio imports the first of these modules from 3.14 on, without a second interpreter.)
        more = self.modules.get("_interpreters")
        if (more is not None and len(more.list_all()) > 1) or "_xxsubinterpreters" in self.modules:
            return "!more than one interpreter"
        frame = self.frames().get(self.main)
        lines = []
        files = {}
        while frame is not None and len(lines) < _FRAMES:
            code = frame.f_code
            file = code.co_filename
            known = files.get(file)
            if known is None:
                files[file] = len(files)
            lines.append("%d %s %s" % (frame.f_lineno or 0, code.co_name.replace(" ", "_"),
                                       file.replace("\n", "?") if known is None else "=%d" % known))
            frame = frame.f_back
        return "\n".join(lines) or "!no frames"

    def call_it(self, name):
        if self.set_name is not None:
            self.set_name(name)
        elif self.first:  # the program has not begun: nobody can replace the file
            self.first = False
            comm = self.open("/proc/thread-self/comm", self.write_only)
            self.write(comm, name.encode())
            self.close(comm)

    def put(self, text, name):
        try:
            self.link(text, name)
        except FileExistsError:
            self.unlink(name)
            self.link(text, name)

    # Python warns of a fork in a program with threads, also of this one. Where the program has others it warns anyway.
    def before_fork(self):
        self.forking = False
        if self.thread is not None and self.state("/proc/self/task").st_nlink == 4:  # . and .. and two threads
            self.forking = True
            self.end()

    def after_fork(self):
        self.forks += 1
        if self.forking:
            self.forking = False
            self.start()

    def in_child(self):
        self.thread = None
        self.forking = False
        try:
            if self.inner and self.forks < _FORKS and self.group() is None and not _forks_worker():
                self.forks = 0
                _begin_forked(self)
        except Exception:
            pass


def _why_not():
    implementation = getattr(sys, "implementation", None)
    if implementation is None or implementation.name != "cpython":
        return "not CPython"
    if sys.version_info < (3, 8):
        return "Python before 3.8"
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return "Python without a global lock"
    return ""


def _forks_worker():
    """Data loaders and pools fork what is no rank."""
    frame = sys._getframe()
    while frame is not None:
        for part in _WORKERS:
            if part in frame.f_code.co_filename:
                return True
        frame = frame.f_back
    return False


def _forget(name):
    """What another program or process with this number has left."""
    for old in (name, name + ".rank"):
        try:
            os.unlink(old)
        except OSError:
            pass


def _begin_forked(watch):
    name = os.path.join(os.path.dirname(watch.inner), str(os.getpid()))
    _forget(name)
    try:
        _take_pipes(watch.inner)
    finally:
        watch.begin(name)
        watch.start()


def _watch(name, inner):
    why = _why_not()
    if why:
        os.symlink("!" + why, name)
        return
    import atexit
    watch = _Watch(name, inner)
    watch.start()
    atexit.register(watch.end)
    if sys.version_info >= (3, 12):
        os.register_at_fork(before=watch.before_fork)
    os.register_at_fork(after_in_parent=watch.after_fork, after_in_child=watch.in_child)


def _show_crashes():
    """A crash of the program's own writes its Python lines to stderr; not where anybody else handles one of the signals."""
    if sys.version_info < (3, 8):
        return
    import _signal
    import faulthandler
    names = ("SIGSEGV", "SIGFPE", "SIGABRT", "SIGBUS", "SIGILL")
    if not faulthandler.is_enabled() and all(
            _signal.getsignal(getattr(_signal, name)) == _signal.SIG_DFL for name in names):
        faulthandler.enable()


def _variables():
    """As they are now, in the order of the agent's list."""
    names = [entry.partition("=")[0] for entry in os.environ.get(_VARIABLES, "").split(";")]
    return [(name, os.environ.get(name)) for name in names if name]


def _may_be_rank():
    """Its variables are not those of the process above, or multiprocessing has spawned it."""
    above = os.environ.get(_VARIABLES, "")
    mine = ";".join([name if value is None else name + "=" + value for name, value in _variables()])
    if mine != above:
        os.environ[_VARIABLES] = mine
        return True
    words = getattr(sys, "orig_argv", None)
    if words is None:
        with open("/proc/self/cmdline") as line:
            words = line.read().split("\0")
    return "--multiprocessing-fork" in words


def _take_pipes(inner):
    """Pipes of its own that the agent keeps ready, where stdout or stderr is still one of the rank's."""
    with open(os.path.join(inner, "streams")) as file:
        shared = file.read().split()  # of stdout, stderr: DEVICE:NUMBER
    # MPI's launchers give each rank pipes or a terminal, and do no more than to mix what comes from them.
    relayed = "OMPI_COMM_WORLD_RANK" in os.environ or "PMI_RANK" in os.environ
    wanted = []
    for stream in (1, 2):
        try:
            state = os.fstat(stream)
        except OSError:
            continue
        now = "%d:%d" % (state.st_dev, state.st_ino)
        if now in shared:
            wanted.append((stream, ("out", "err")[shared.index(now)]))
        elif relayed and state.st_mode & 0o170000 in (0o010000, 0o020000):  # a pipe, a terminal
            wanted.append((stream, ("out", "err")[stream - 1]))
    if not wanted:
        return
    mine = os.path.join(inner, "taken", str(os.getpid()))
    import time
    for _ in range(100):
        for slot in os.listdir(os.path.join(inner, "ready")):
            try:
                os.rename(os.path.join(inner, "ready", slot), mine)
                break
            except OSError:
                pass  # another one was faster
        else:
            time.sleep(0.003)
            continue
        break
    else:
        return
    for stream, name in wanted:
        pipe = os.open(os.path.join(mine, name), os.O_WRONLY | os.O_NONBLOCK)
        os.set_blocking(pipe, True)
        os.dup2(pipe, stream)
        os.close(pipe)
    if _PIPE in os.environ:
        os.environ[_PIPE] = os.path.join(mine, "metrics")


def _is_watched(name):
    """A subinterpreter: the thread of the first one is there. After an exec it is not."""
    try:
        os.stat("/proc/self/task/" + os.readlink(name))
    except OSError:
        return False
    return True


def _begin_inner(inner):
    name = os.path.join(os.path.dirname(inner), str(os.getpid()))
    if _is_watched(name):
        os.unlink(name)
        return False
    if _why_not() or not _may_be_rank():
        return False
    _forget(name)
    try:
        _take_pipes(inner)
    finally:
        try:
            _watch(name, inner)
        finally:
            _show_crashes()
    return True


def _main():
    here = os.path.dirname(__file__)
    value = os.environ.get("PYTHONPATH", "")
    if here in sys.path:
        sys.path.remove(here)
    if os.path.basename(here) == "inner":
        if value == here or value.startswith(here + os.pathsep):
            _begin_inner(here)
        return
    name = os.path.join(here, str(os.getpid()))
    inner = os.path.join(here, "inner")
    below = [inner] if os.path.isdir(inner) else []
    if value == here:
        if below:
            os.environ["PYTHONPATH"] = inner
        else:
            del os.environ["PYTHONPATH"]
    elif value.startswith(here + os.pathsep):
        os.environ["PYTHONPATH"] = os.pathsep.join(below + [value[len(here) + 1:]])
    else:
        os.unlink(name)  # a subinterpreter: its threads must not be looked at
        return
    if below and _begin_inner(inner):  # mpirun or a shell is the rank's program, and has started this one
        return
    try:
        _watch(name, inner if below else "")
    finally:
        _show_crashes()


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
    _main()
except Exception:
    pass
_continue()
