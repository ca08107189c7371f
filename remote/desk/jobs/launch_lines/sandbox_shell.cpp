// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/child_process.h>
#include <base/clock.h>
#include <base/files.h>
#include <base/private_folder.h>
#include <base/text.h>
#include <base/wait_fd.h>
#include <remote/desk/jobs/launch_lines/sandbox_shell.h>
#include <remote/desk/jobs/launch_lines/script_needs.h>
#include <remote/desk/shared/text.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <sstream>
#include <utility>

// NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define RANKSCOPE_EMBED(name, file)        \
    __asm__(".pushsection .rodata\n" #name \
            ":\n"                          \
            ".incbin \"" file "\"\n" #name \
            "_end:\n"                      \
            ".popsection\n")
// NOLINTEND(cppcoreguidelines-macro-usage)
RANKSCOPE_EMBED(rankscope_recorder, RANKSCOPE_RECORDER);
RANKSCOPE_EMBED(rankscope_recorder_rc, RANKSCOPE_RECORDER_RC);

extern "C" {
extern const char rankscope_recorder[];
extern const char rankscope_recorder_end[];
extern const char rankscope_recorder_rc[];
extern const char rankscope_recorder_rc_end[];
}

namespace rankscope::inline jobs::launch_lines {
namespace {

namespace fs = std::filesystem;

constexpr const char* kContext = "LaunchLines";
constexpr double kLongestS = 5;
constexpr const char* kScriptS = "3";  // of the script within it
constexpr int kMostAttempts = 6;
constexpr std::size_t kMostOutput = std::size_t{4} << 20;
constexpr std::size_t kMostStarts = 500;
constexpr std::size_t kMostOfAFile = std::size_t{1} << 20;
constexpr const char* kOwnScript = "RS_NAME=";  // it begins so, and is no script of the user
constexpr uid_t kNobody = 65534;
constexpr const char* kHome = "/home/of-the-script";
constexpr std::array<std::string_view, 9> kOwnFolders{"/rs",   "/proc", "/dev",   "/usr", "/bin",
                                                      "/sbin", "/lib",  "/lib64", "/etc"};

// Programs that have a recorder of their own, so that `command -v` finds them.
constexpr const char* kRecorded =
    "torchrun python python3 srun mpirun mpiexec horovodrun deepspeed accelerate colossalai composer "
    "ray llamafactory-cli swift xtuner tune yolo dlrover-run jsrun aprun flux hostname scontrol "
    "nvidia-smi ip squeue sinfo sacct which sudo uv poetry pixi pipenv hatch micromamba mamba numactl "
    "taskset chrt docker podman singularity apptainer ssh nvcc sleep pdsh clush yhrun";
// Programs of /usr/bin that work on text and on files of the sandbox.
constexpr std::array kTools{
    "sed",    "awk",   "grep",     "egrep",     "fgrep", "head",     "tail",     "cut",    "tr",    "seq",
    "shuf",   "date",  "dirname",  "basename",  "mkdir", "cat",      "ls",       "rm",     "cp",    "mv",
    "ln",     "touch", "sort",     "uniq",      "wc",    "tee",      "xargs",    "env",    "nohup", "timeout",
    "stdbuf", "nice",  "setsid",   "expr",      "bc",    "realpath", "readlink", "mktemp", "id",    "whoami",
    "uname",  "nproc", "printenv", "true",      "false", "test",     "paste",    "column", "find",  "rev",
    "tac",    "fold",  "join",     "comm",      "nl",    "od",       "printf",   "echo",   "chmod", "stat",
    "du",     "df",    "md5sum",   "sha256sum", "cmp",   "diff",     "arch",     "tty",    "ps",    "free",
    "lscpu",  "yes",   "expand"};

// In the sandbox. The script has less time than the whole: what it has started by then is known.
constexpr const char* kDriver =
    "builtin ulimit -c 0 -f 20000 -u 300 -v 4000000\n"
    "timeout -s KILL \"$RS_SECONDS\" bash ./script.sh \"$@\" < /dev/null > /dev/null 2> /rs/out/errors\n"
    "ended=$?\n"
    "for i in 1 2 3 4 5 6 7 8 9 10; do\n"  // what it left in the background
    "  set -- /proc/[0-9]*; [ $# -le 2 ] && break; /usr/bin/sleep 0.05\n"
    "done\n"
    "for file in /rs/out/*.record; do [ -f \"$file\" ] && cat \"$file\" && printf '\\0'; done\n"
    "printf 'errors\\0%s\\0' \"$ended\"; head -c 20000 /rs/out/errors\n";

std::string_view embedded(const char* begin, const char* end) {
    return {begin, static_cast<std::size_t>(end - begin)};
}

// ---- the sandbox ----

struct Made {
    std::string path;
    bool is_folder = false;
    std::optional<std::string> content = {};  ///< nothing: it is a folder or a program

    bool operator==(const Made& other) const { return path == other.path && is_folder == other.is_folder; }
};

class Sandbox {
public:
    Sandbox(std::string text, std::vector<std::string> arguments,
            std::map<std::string, std::string> environment)
        : text_(std::move(text)), arguments_(std::move(arguments)), environment_(std::move(environment)) {}

    /// Nothing: it could not be made.
    std::optional<std::string> run(double deadline);
    void make(Made made) { made_.push_back(std::move(made)); }
    bool has_made(const Made& made) const {
        return std::find(made_.begin(), made_.end(), made) != made_.end();
    }
    void set(std::map<std::string, std::string> environment) { environment_ = std::move(environment); }
    /// Of all files.
    std::string copied_text() const;

private:
    static fs::path file_of(const fs::path& folder, std::size_t number) {
        return folder / ("file" + std::to_string(number));
    }
    bool fill(const fs::path& folder) const;
    std::vector<std::string> command(const fs::path& folder) const;

    std::string text_;
    std::vector<std::string> arguments_;
    std::map<std::string, std::string> environment_;
    std::vector<Made> made_;
};

std::string Sandbox::copied_text() const {
    std::string text;
    for (const auto& made : made_) {
        text += made.content && !made.content->starts_with(kOwnScript) ? '\n' + *made.content : "";
    }
    return text;
}

bool Sandbox::fill(const fs::path& folder) const {
    std::error_code error;
    fs::create_directory(folder / "bin", error);
    fs::create_directory(folder / "out", error);
    for (const char* name : kTools) {
        if (fs::exists(fs::path("/usr/bin") / name, error)) {
            fs::create_symlink(fs::path("/usr/bin") / name, folder / "bin" / name, error);
        }
    }
    for (const char* name : {"bash", "sh"}) {
        fs::create_symlink("/usr/bin/bash", folder / "bin" / name, error);
    }
    std::istringstream recorded(kRecorded);
    for (std::string name; recorded >> name;) {
        fs::create_symlink("/rs/recorder", folder / "bin" / name, error);
    }
    if (write_file_atomically(folder / "recorder", embedded(rankscope_recorder, rankscope_recorder_end)) !=
            0 ||
        write_file_atomically(folder / "rc", embedded(rankscope_recorder_rc, rankscope_recorder_rc_end)) !=
            0 ||
        write_file_atomically(folder / "script", text_) != 0) {
        return false;
    }
    for (std::size_t i = 0; i < made_.size(); ++i) {
        if (made_[i].content && write_file_atomically(file_of(folder, i), *made_[i].content) != 0) {
            return false;
        }
        if (made_[i].content) {
            fs::permissions(file_of(folder, i), fs::perms::owner_all, error);
        }
    }
    fs::permissions(folder / "recorder", fs::perms::owner_all | fs::perms::group_exec | fs::perms::group_read,
                    error);
    if (geteuid() == 0) {  // a limit of processes does not hold for root
        for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
            (void)lchown(entry.path().c_str(), kNobody, kNobody);
        }
        (void)lchown(folder.c_str(), kNobody, kNobody);
    }
    return !error;
}

std::vector<std::string> Sandbox::command(const fs::path& folder) const {
    std::vector<std::string> argv;
    if (geteuid() == 0) {
        argv = {"setpriv", "--reuid=" + std::to_string(kNobody), "--regid=" + std::to_string(kNobody),
                "--clear-groups"};
    }
    const auto add = [&argv](std::initializer_list<std::string> words) { argv.insert(argv.end(), words); };
    add({"bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--size", "33554432",
         "--tmpfs", "/"});
    std::error_code error;
    for (const char* part : {"/usr", "/etc/alternatives", "/etc/ld.so.cache"}) {
        if (fs::exists(part, error)) {
            add({"--ro-bind", part, part});
        }
    }
    for (const char* part : {"/bin", "/sbin", "/lib", "/lib64"}) {
        if (fs::is_symlink(part, error)) {
            add({"--symlink", fs::read_symlink(part, error).string(), part});
        } else if (fs::exists(part, error)) {
            add({"--ro-bind", part, part});
        }
    }
    add({"--proc",         "/proc",         "--dev",
         "/dev",           "--dir",         kHome,
         "--size",         "33554432",      "--tmpfs",
         "/tmp",           "--dir",         "/job",
         "--ro-bind",      folder.string(), "/rs",
         "--size",         "33554432",      "--tmpfs",
         "/rs/out",        "--ro-bind",     (folder / "script").string(),
         "/job/script.sh", "--chdir",       "/job"});
    for (std::size_t i = 0; i < made_.size(); ++i) {
        const Made& made = made_[i];
        if (made.is_folder) {
            add({"--dir", made.path});
        } else if (made.content) {
            add({"--ro-bind", file_of(folder, i).string(), made.path});
        } else {
            add({"--symlink", "/rs/recorder", made.path});
        }
    }
    for (const auto& [name, value] : environment_) {
        add({"--setenv", name, value});
    }
    add({"--", "/usr/bin/bash", "--noprofile", "--norc", "-c", kDriver, "driver"});
    argv.insert(argv.end(), arguments_.begin(), arguments_.end());
    return argv;
}

std::optional<std::string> Sandbox::run(double deadline) {
    // As root the shell runs as nobody.
    const PrivateFolder folder(geteuid() == 0 ? PrivateFolder::Where::Shared : PrivateFolder::Where::Runtime);
    if (!folder || !fill(folder.path())) {
        return std::nullopt;
    }
    ChildProcess::Options options;
    options.output = ChildProcess::Stream::Pipe;
    options.own_session = true;
    auto child = ChildProcess::start(command(folder.path()), options);
    if (!child) {
        return std::nullopt;
    }
    std::string output;
    std::array<char, 65536> piece{};
    while (monotonic_s() < deadline && output.size() < kMostOutput) {
        const ssize_t got = read(child->output().get(), piece.data(), piece.size());
        if (got > 0) {
            output.append(piece.data(), static_cast<std::size_t>(got));
        } else if (got == 0) {
            child->wait();
            return output;
        } else {
            wait_readable(child->output().get(), deadline);
        }
    }
    child->kill();
    child->wait();
    return output;
}

// Not a part of the sandbox itself.
bool is_the_scripts(const std::string& path) {
    return path.find('\0') == std::string::npos &&
           std::none_of(kOwnFolders.begin(), kOwnFolders.end(), [&](std::string_view own) {
               return path == own || path.starts_with(std::string(own) + '/');
           });
}

struct MissedPath {
    std::string path;          ///< as the script names it
    bool by_shell = false;     ///< the shell could not start it, read it or write to it
    std::string program = {};  ///< else the one that could not read it
};

// "/rs/script: line 3: log/a.txt: No such file or directory", "cat: hosts.txt: No such file or directory".
std::vector<MissedPath> paths_not_found(const std::string& errors) {
    std::vector<MissedPath> paths;
    constexpr std::string_view kEnd = ": No such file or directory";
    for (std::size_t at = 0; (at = errors.find(kEnd, at)) != std::string::npos; at += kEnd.size()) {
        const std::size_t line = errors.rfind('\n', at);
        const std::string text = errors.substr(line == std::string::npos ? 0 : line + 1,
                                               at - (line == std::string::npos ? 0 : line + 1));
        const std::size_t begin = text.rfind(": ");
        if (begin != std::string::npos) {
            paths.push_back({text.substr(begin + 2), text.find(": line ") != std::string::npos,
                             text.substr(0, text.find(": "))});
        }
    }
    return paths;
}

bool is_shell_script(const std::string& content) {
    const std::string first = content.substr(0, content.find('\n'));
    return first.starts_with("#!") && first.ends_with("sh");
}

// A file of the folder where the script lies, or of the one above, as a script that begins in /job names it. Hidden ones are
// the user's own.
std::optional<std::string> file_of_script(const fs::path& folder, const fs::path& inside) {
    const fs::path name = inside.lexically_relative("/job");
    const bool is_above = !name.empty() && *name.begin() == "..";
    if (folder.empty() || name.empty() || (is_above && std::distance(name.begin(), name.end()) > 3)) {
        return std::nullopt;
    }
    for (auto part = name.begin(); part != name.end(); ++part) {
        const bool first_above = part == name.begin() && is_above;
        if (part->native().starts_with('.') && !first_above && !part->native().starts_with(".env")) {
            return std::nullopt;
        }
    }
    for (const fs::path& place : {folder / name, folder.parent_path() / name}) {
        std::error_code error;
        if (is_above && place != folder / name) {
            break;
        }
        if (fs::is_regular_file(place, error) && fs::file_size(place, error) <= kMostOfAFile) {
            if (auto content = read_file(place)) {
                return content;
            }
        }
    }
    return std::nullopt;
}

// "> logs/a.txt": a script that writes there has the folder, and its shell's error may go into a file of the script.
void make_written_folders(Sandbox& sandbox, const std::string& script) {
    for (std::size_t at = 0; (at = script.find('>', at)) != std::string::npos; ++at) {
        const std::size_t begin = script.find_first_not_of("> &\"'", at);
        const std::size_t end = std::min(script.find_first_of(" \t\r\n;|&<>()\"'", begin), script.size());
        const std::string folder = begin < end ? script.substr(begin, end - begin) : "";
        const std::size_t name = folder.rfind('/');
        if (name == std::string::npos || name == 0 || folder.find_first_of("$`*?") < name) {
            continue;
        }
        const Made made{(fs::path("/job") / folder.substr(0, name)).lexically_normal().string(), true};
        if (made.path != "/job" && is_the_scripts(made.path) && !sandbox.has_made(made)) {
            sandbox.make(made);
        }
    }
}

// true: there is something more that the next attempt has.
bool make_what_was_missing(Sandbox& sandbox, const SandboxOutput& output, const fs::path& folder) {
    bool more = false;
    const auto make = [&](Made made) {
        if (is_the_scripts(made.path) && !sandbox.has_made(made)) {
            sandbox.make(std::move(made));
            more = true;
        }
    };
    for (const auto& start : output.starts) {
        if (start.words.size() > 1 && start.words.front() == "source") {
            const fs::path path = (fs::path(start.folder) / start.words[1]).lexically_normal();
            if (auto content = file_of_script(folder, path)) {
                make({path.string(), false, std::move(content)});
            }
        }
    }
    for (const auto& missed : paths_not_found(output.errors)) {
        const fs::path path = (fs::path("/job") / missed.path).lexically_normal();
        const std::string parent = path.parent_path().string();
        const bool has_parent = parent == "/" || parent == "/job" || sandbox.has_made({parent, true});
        auto content = file_of_script(folder, path);
        if (content && (!missed.by_shell || is_shell_script(*content) || !content->starts_with("#!"))) {
            make({path.string(), false, std::move(content)});
        } else if ((missed.program == "bash" || missed.program == "sh") &&
                   missed.path.find('\'') == std::string::npos) {
            // "bash tools/train.sh 8": a program like others.
            make({path.string(), false,
                  kOwnScript + missed.program + " RS_KIND=other exec \"$RS_RECORDER\" '" + missed.path +
                      "' \"$@\"\n"});
        } else if (missed.by_shell) {
            make(has_parent ? Made{path.string(), false} : Made{parent, true});
        }
    }
    return more;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

std::map<std::string, std::string> surroundings(const ScriptRequest& request) {
    std::string nodes;
    std::string list;
    for (const auto& node : request.nodes) {
        nodes += (nodes.empty() ? "" : " ") + node;
        list += (list.empty() ? "" : ",") + node;
    }
    std::map<std::string, std::string> environment{{"HOME", kHome},
                                                   {"USER", "$USER"},
                                                   {"LOGNAME", "$USER"},
                                                   {"LC_ALL", "C.UTF-8"},
                                                   {"TERM", "dumb"},
                                                   {"SHELL", "/bin/bash"},
                                                   {"HOSTNAME", request.nodes.front()},
                                                   {"PATH", "/rs/bin"},
                                                   {"BASH_ENV", "/rs/rc"},
                                                   {"RS_PATH", "/rs/bin"},
                                                   {"RS_OUT", "/rs/out"},
                                                   {"RS_RECORDER", "/rs/recorder"},
                                                   {"RS_NODES", nodes},
                                                   {"RS_FIRST", request.nodes.front()},
                                                   {"RS_GPUS", std::to_string(request.gpus)},
                                                   {"RS_SECONDS", kScriptS}};
    const std::string& text = request.text;
    if (text.find("srun") != std::string::npos || text.find("SBATCH") != std::string::npos ||
        text.find("SLURM_") != std::string::npos) {
        for (const char* name : {"SLURM_NODELIST", "SLURM_JOB_NODELIST"}) {
            environment[name] = list;
        }
        for (const char* name : {"SLURM_PROCID", "SLURM_NODEID", "SLURM_LOCALID"}) {
            environment[name] = "0";
        }
        for (const char* name : {"SLURM_JOB_ID", "SLURM_JOBID"}) {
            environment[name] = "1";
        }
        environment["SLURM_SUBMIT_DIR"] = "/job";
        environment["SLURM_JOB_NAME"] = "job";
        environment["SLURM_ARRAY_TASK_ID"] = "0";
        environment["SLURMD_NODENAME"] = request.nodes.front();
    }
    return environment;
}

// What the script has set, and where it was; its own folder is where it begins.
void keep_what_is_the_scripts(RecordedStart& start, const std::map<std::string, std::string>& before) {
    static const std::set<std::string> kShells{
        "_", "SHLVL", "PWD", "OLDPWD", "BASH_ENV", "LC_ALL", "SLURM_PROCID", "SLURM_NODEID", "SLURM_LOCALID"};
    std::erase_if(start.environment, [&](const auto& entry) {
        const auto known = before.find(entry.first);
        return entry.first.starts_with("RS_") || kShells.count(entry.first) > 0 ||
               (known != before.end() && known->second == entry.second);
    });
    if (const auto path = start.environment.find("PATH"); path != start.environment.end()) {
        const std::size_t own = path->second.find("/rs/bin");
        path->second.replace(std::min(own, path->second.size()), own == std::string::npos ? 0 : 7, "$PATH");
    }
    // The home folder here is not that of the nodes: it stays open.
    const auto open_home = [](std::string& word) {
        for (std::size_t at = 0; (at = word.find(kHome, at)) != std::string::npos;) {
            word.replace(at, std::string_view(kHome).size(), "$HOME");
        }
    };
    std::for_each(start.words.begin(), start.words.end(), open_home);
    std::for_each(start.before.begin(), start.before.end(), open_home);
    for (auto& [name, value] : start.environment) {
        open_home(value);
    }
    if (start.folder == "/job") {
        start.folder.clear();
    } else if (start.folder.starts_with("/job/")) {
        start.folder = start.folder.substr(5);
    } else if (start.folder.starts_with(kHome)) {
        start.folder = '~' + start.folder.substr(std::string_view(kHome).size());
    }
}

}  // namespace

bool has_script_sandbox() {
    static const bool has = [] {
        // As root the shell runs as nobody.
        const PrivateFolder folder(geteuid() == 0 ? PrivateFolder::Where::Shared
                                                  : PrivateFolder::Where::Runtime);
        auto sandbox = Sandbox("true\n", {}, surroundings({}));
        const auto output = sandbox.run(monotonic_s() + kLongestS);
        return output && read_sandbox_output(*output).is_whole;
    }();
    return has;
}

SandboxOutput read_sandbox_output(std::string_view output) {
    SandboxOutput read;
    std::vector<std::string_view> fields;
    for (std::size_t at = 0; at <= output.size();) {
        const std::size_t end = std::min(output.find('\0', at), output.size());
        fields.push_back(output.substr(at, end - at));
        at = end + 1;
    }
    std::size_t at = 0;
    const auto next = [&] { return at < fields.size() ? std::string(fields[at++]) : std::string(); };
    while (at < fields.size() && read.starts.size() < kMostStarts) {
        const std::string kind = next();
        if (kind == "errors") {
            read.is_whole = at < fields.size();
            static_cast<void>(next());  // the status of the shell
            read.errors = next();
            break;
        }
        RecordedStart start;
        start.kind = kind == "left"    ? RecordedStart::Kind::Tool
                     : kind == "other" ? RecordedStart::Kind::Other
                                       : RecordedStart::Kind::Start;
        start.node = next();
        start.folder = next();
        start.wrappers = lines_of(next());
        start.before = lines_of(next());
        const auto count = parse_number<std::size_t>(next());
        if (!count || *count == 0 || *count > fields.size() - at) {
            break;
        }
        for (std::size_t i = 0; i < *count; ++i) {
            start.words.push_back(next());
        }
        for (std::string entry = next(); !entry.empty(); entry = next()) {
            const std::size_t equals = entry.find('=');
            if (equals != std::string::npos && equals > 0) {
                start.environment[entry.substr(0, equals)] = entry.substr(equals + 1);
            }
        }
        read.starts.push_back(std::move(start));
    }
    return read;
}

Result<EvaluatedScript> evaluate_script(const ScriptRequest& request) {
    if (!has_script_sandbox()) {
        return Failure{"bad-command-line", "", text(kContext, "This computer has no sandbox for scripts."),
                       text(kContext, "Install bubblewrap."), ""};
    }
    EvaluatedScript script;
    auto environment = surroundings(request);
    for (const auto& [name, value] : request.variables) {  // also those that only Slurm's programs would read
        if (name.starts_with("SLURM_")) {
            environment[name] = value;
        }
    }
    const auto known = environment;
    ScriptNeeds needs = needs_of(request.text, request.variables, known);
    environment.insert(needs.variables.begin(), needs.variables.end());
    Sandbox sandbox(request.text, needs.arguments, environment);
    make_written_folders(sandbox, request.text);
    const double deadline = monotonic_s() + kLongestS;
    SandboxOutput output;
    for (int attempt = 0; attempt < kMostAttempts && monotonic_s() < deadline; ++attempt) {
        const auto printed = sandbox.run(deadline);
        if (!printed) {
            break;
        }
        output = read_sandbox_output(*printed);
        if (!output.is_whole || !make_what_was_missing(sandbox, output, request.folder)) {
            break;
        }
        // What the copied files need.
        needs = needs_of(request.text + sandbox.copied_text(), request.variables, known);
        environment = known;
        environment.insert(needs.variables.begin(), needs.variables.end());
        sandbox.set(environment);
    }
    script.missing = needs.missing;
    script.takes_arguments = needs.takes_arguments;
    if (!output.is_whole) {
        return Failure{"bad-command-line", "", text(kContext, "The script does not end within %1 s.", {"5"}),
                       text(kContext, "Paste the lines that start the ranks."), ""};
    }
    script.starts = std::move(output.starts);
    for (auto& start : script.starts) {
        keep_what_is_the_scripts(start, environment);
    }
    return script;
}

}  // namespace rankscope::inline jobs::launch_lines
