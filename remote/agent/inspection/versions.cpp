// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/json_text.h>
#include <base/text.h>
#include <base/utf8.h>
#include <remote/agent/inspection/versions.h>
#include <remote/agent/node/ask_program.h>
#include <remote/agent/node/isolated_look.h>

#include <nlohmann/json.hpp>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

constexpr double kPythonPatience = 3;
constexpr double kVersionPatience = 1;
constexpr double kQuickVersionPatience = 0.2;
constexpr std::size_t kLongestVersion = 64;

// Lists folders and reads torch/version.py: importing torch takes seconds. Runs on Python 2.7 and 3.
constexpr const char* kQuestion = R"(
import io, os, re, sys
w = sys.stdout.write
w('python\t%s\n' % sys.version.split()[0])
names = {'torch': 'torch'}
pattern = re.compile(r'^(torch|nvidia[-_.](nccl|cudnn|cuda[-_.]runtime)[-_.]cu\d+)-([^-]+)(-py[\d.]+)?\.(dist|egg)-info$', re.I)
for folder in sys.path:
    if not folder:
        continue
    try:
        entries = os.listdir(folder)
    except OSError:
        continue
    if 'torch' in entries:
        try:
            with io.open(os.path.join(folder, 'torch', 'version.py'), encoding='utf-8', errors='replace') as file:
                text = file.read(65536)
            for name, key in (('torch', '__version__'), ('cuda', 'cuda'), ('hip', 'hip')):
                match = re.search(r'''^%s\b[^=\n]*=\s*['"]([^'"\n]+)['"]''' % key, text, re.M)
                if match:
                    w('%s\t%s\n' % (name, match.group(1)))
        except (IOError, OSError):
            pass
    for entry in entries:
        match = pattern.match(entry)
        if match:
            kind = (match.group(2) or match.group(1)).lower()
            w('%s\t%s\n' % ('cuda' if kind.startswith('cuda') else kind, match.group(3)))
)";

void add_version(wire::HostInspection& found, const std::string& name, const std::string& value) {
    auto* version = found.add_versions();
    version->set_name(name);
    version->set_value(as_utf8(value));
}

bool is_version(std::string_view text) {
    return !text.empty() && text.size() <= kLongestVersion && text.front() >= '0' && text.front() <= '9' &&
           text.find('.') != text.npos && text.find_first_not_of("0123456789.") == text.npos;
}

std::vector<std::string> library_folders() {
    std::vector<std::string> folders;
    const char* own = std::getenv("LD_LIBRARY_PATH");
    const std::string listed = own != nullptr ? own : "";
    for (const auto folder : split(listed, ':')) {
        if (folder.starts_with('/')) {
            folders.emplace_back(folder);
        }
    }
    utsname self{};
    ::uname(&self);
    for (const std::string& folder :
         {std::string("/usr/lib/") + self.machine + "-linux-gnu", std::string("/usr/lib64"),
          std::string("/usr/lib"), std::string("/usr/local/cuda/lib64"), std::string("/usr/local/lib"),
          std::string("/usr/local/nvidia/lib64")}) {
        folders.push_back(folder);
    }
    return folders;
}

// As text for the parent process.
std::string look_at_libraries() {
    std::map<std::string, std::string> found;
    constexpr std::array<std::pair<const char*, const char*>, 6> kLibraries{
        {{"nccl.system", "libnccl.so.2"},
         {"cublaslt.12.system", "libcublasLt.so.12"},
         {"cublaslt.13.system", "libcublasLt.so.13"},
         {"cudnn.system", "libcudnn.so.9"},
         {"cudnn.system", "libcudnn.so.8"},
         {"driver.library", "libcuda.so.1"}}};
    for (const auto& folder : library_folders()) {
        for (const auto& [name, file] : kLibraries) {
            std::error_code error;
            const fs::path real = fs::canonical(fs::path(folder) / file, error);
            if (!error && !found.contains(name)) {
                found[name] = library_version(real.filename().string());
            }
        }
    }
    const auto toolkit = read_json(read_file("/usr/local/cuda/version.json").value_or(std::string()));
    if (toolkit.is_object() && toolkit.contains("cuda") && toolkit["cuda"].is_object() &&
        toolkit["cuda"].contains("version") && toolkit["cuda"]["version"].is_string()) {
        found["cuda.system"] = toolkit["cuda"]["version"].get<std::string>();
    }
    std::string lines;
    for (const auto& [name, version] : found) {
        lines += name + '\t' + version + '\n';
    }
    return lines;
}

void add_packages(const ProgramAnswer& answer, wire::HostInspection& found) {
    const auto packages = read_packages(answer.output);
    // A Python that runs prints its version first, whatever fails later.
    const bool other_program = answer.start_error == 0 && !answer.late && !packages.contains("python");
    for (const std::string_view name : {"python", "torch", "cuda", "hip", "nccl", "cudnn"}) {
        const auto package = packages.find(std::string(name));
        if (package != packages.end()) {
            add_version(found, std::string(name), package->second);
        } else if (other_program) {
            // What is no Python says nothing of packages, not even that there are none.
            if (name == "python") {
                add_version(found, "python", "");
            }
        } else if (!answer.good()) {
            add_unseen(found, "versions." + std::string(name), answer.why());
        } else if (name != "hip") {
            add_version(found, std::string(name), "");
        }
    }
}

}  // namespace

std::string driver_version(std::string_view text) {
    const auto line = text.substr(0, text.find('\n'));
    for (const auto word : split(line, ' ')) {
        if (is_version(word)) {
            return std::string(word);
        }
    }
    return {};
}

std::string library_version(std::string_view file) {
    constexpr std::string_view kSuffix = ".so.";
    const auto at = file.rfind(kSuffix);
    return at == file.npos ? std::string() : std::string(file.substr(at + kSuffix.size()));
}

std::map<std::string, std::string> read_packages(std::string_view text) {
    std::map<std::string, std::string> packages;
    for (const auto line : split(text, '\n')) {
        const auto tab = line.find('\t');
        if (tab != line.npos && tab > 0 && line.size() > tab + 1 && line.size() - tab <= kLongestVersion) {
            packages.emplace(as_utf8(std::string(line.substr(0, tab))),
                             as_utf8(std::string(line.substr(tab + 1))));
        }
    }
    return packages;
}

wire::HostInspection inspect_versions(const InspectionScope& scope, const FoundPrograms& programs) {
    wire::HostInspection found;
    const double patience = scope.patience(kVersionPatience, kQuickVersionPatience);
    IsolatedLook libraries(look_at_libraries, patience);
    std::vector<ProgramQuestion> questions;
    if (const auto getconf = programs.tools.find("getconf"); getconf != programs.tools.end()) {
        questions.push_back({.argv = {getconf->second, "GNU_LIBC_VERSION"},
                             .seconds = patience,
                             .environment = tool_environment()});
    }
    if (!programs.python.empty()) {
        auto environment = programs.environment;
        environment["PYTHONHOME"] = "";  // Python takes an empty one for none
        questions.push_back({.argv = {programs.python, "-c", kQuestion},
                             .seconds = scope.patience(kPythonPatience, kQuickVersionPatience),
                             .environment = std::move(environment)});
    }
    utsname self{};
    ::uname(&self);
    add_version(found, "kernel", self.release);
    add_version(found, "machine", self.machine);
    if (const auto driver = read_file("/proc/driver/nvidia/version")) {
        add_version(found, "driver", driver_version(*driver));
    }
    const auto answers = ask_programs(questions, scope.stop);
    const std::string libc = programs.tools.contains("getconf") ? answers.front().output : "";
    if (libc.starts_with("glibc ")) {
        add_version(found, "libc", libc.substr(0, libc.find('\n')));
    } else {
        add_unseen(found, "versions.libc", "getconf does not report it");
    }
    if (!programs.python.empty()) {
        add_packages(answers.back(), found);
    } else if (!scope.request.python().empty()) {
        add_unseen(found, "versions.python", "the interpreter is not found");
    }
    if (const auto lines = libraries.wait(scope.stop)) {
        for (const auto& [name, version] : read_packages(*lines)) {
            if (version.find('.') == std::string::npos) {
                add_unseen(found, "versions." + name, "the name of the library's file does not hold it");
            } else {
                add_version(found, name, version);
            }
        }
    } else {
        add_unseen(found, "versions.driver.library", late_text(patience));
    }
    return found;
}

}  // namespace rankscope::agent
