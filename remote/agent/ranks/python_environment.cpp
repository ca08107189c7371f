// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/json_text.h>
#include <base/paths.h>
#include <remote/agent/ranks/python_environment.h>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <vector>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

AgentFailure failure(const char* code, const std::string& what, const std::string& detail) {
    return {.code = code, .detail = detail, .args = {what}};
}

AgentResult<PythonEnvironment> find_venv(const std::string& name) {
    const fs::path folder = expand_home(name);
    if (!is_there(folder / "pyvenv.cfg") && !is_there(folder / "bin/activate")) {
        return failure(
            "no-venv", folder.string(),
            is_there(folder) ? "the folder is there, but holds no pyvenv.cfg" : "there is no such folder");
    }
    if (::access((folder / "bin/python").c_str(), X_OK) != 0) {
        std::error_code ignored;
        const auto target = fs::read_symlink(folder / "bin/python", ignored);
        return failure(
            "broken-venv", folder.string(),
            target.empty() ? "bin/python cannot be executed" : "bin/python leads to " + target.string());
    }
    PythonEnvironment found;
    found.path_prefix = (folder / "bin").string();
    found.set["VIRTUAL_ENV"] = folder.string();
    return found;
}

std::vector<fs::path> conda_roots() {
    std::vector<fs::path> roots;
    for (const char* variable : {"CONDA_ROOT", "MAMBA_ROOT_PREFIX"}) {
        if (const char* value = std::getenv(variable); value != nullptr && value[0] == '/') {
            roots.emplace_back(value);
        }
    }
    if (const char* program = std::getenv("CONDA_EXE"); program != nullptr && program[0] == '/') {
        roots.push_back(fs::path(program).parent_path().parent_path());
    }
    for (const char* name :
         {"miniconda3", "miniforge3", "mambaforge", "anaconda3", "micromamba", "conda", ".conda"}) {
        roots.push_back(home_dir() / name);
    }
    for (const char* name : {"/opt/conda", "/opt/miniconda3", "/opt/miniforge3", "/opt/anaconda3"}) {
        roots.emplace_back(name);
    }
    return roots;
}

// By its folder, by the list that conda keeps of all environments it has made, or below a usual root.
fs::path find_conda_folder(const std::string& name, std::string& searched) {
    if (name.find('/') != std::string::npos) {
        searched = expand_home(name).string();
        return searched;
    }
    std::istringstream known(read_file(home_dir() / ".conda/environments.txt").value_or(""));
    for (std::string line; std::getline(known, line);) {
        fs::path folder = line;
        if (folder.filename() == name && folder.parent_path().filename() == "envs" &&
            is_there(folder / "conda-meta")) {
            return folder;
        }
    }
    searched = "~/.conda/environments.txt";
    for (const auto& root : conda_roots()) {
        fs::path folder = name == "base" ? root : root / "envs" / name;
        if (is_there(folder / "conda-meta")) {
            return folder;
        }
        searched += ", " + folder.string();
    }
    return {};
}

// `conda env config vars set` keeps its variables there.
void add_state_variables(const fs::path& folder, PythonEnvironment& found) {
    const auto state = read_json(read_file(folder / "conda-meta/state").value_or(""));
    if (!state.is_object() || !state.contains("env_vars") || !state["env_vars"].is_object()) {
        return;
    }
    for (const auto& [key, value] : state["env_vars"].items()) {
        if (value.is_string() && key.find('=') == std::string::npos && value != "***unset***") {
            found.set[key] = value.get<std::string>();
        }
    }
}

AgentResult<PythonEnvironment> find_conda(const std::string& name) {
    std::string searched;
    const fs::path folder = find_conda_folder(name, searched);
    if (folder.empty() || !is_there(folder / "conda-meta")) {
        return failure("no-conda", name, "looked in " + searched);
    }
    PythonEnvironment found;
    add_state_variables(folder, found);
    found.path_prefix = (folder / "bin").string();
    found.set["CONDA_PREFIX"] = folder.string();
    found.set["CONDA_DEFAULT_ENV"] = folder.parent_path().filename() == "envs" ? folder.filename().string()
                                     : is_there(folder / "condabin")           ? "base"
                                                                               : folder.string();
    found.set["CONDA_SHLVL"] = "1";
    std::error_code error;
    std::string scripts;
    for (const auto& entry : fs::directory_iterator(folder / "etc/conda/activate.d", error)) {
        if (entry.path().extension() == ".sh") {
            scripts += (scripts.empty() ? "" : ", ") + entry.path().filename().string();
        }
    }
    if (!scripts.empty()) {
        found.note = "scripts of " + (folder / "etc/conda/activate.d").string() + " are not run: " + scripts +
                     "; what they set goes into env:";
    }
    return found;
}

}  // namespace

void PythonEnvironment::apply(std::map<std::string, std::string>& variables) const {
    if (path_prefix.empty()) {
        return;
    }
    // What another environment has left, from the login shell of this node, would win over ours.
    for (const char* leftover :
         {"PYTHONHOME", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "CONDA_SHLVL"}) {
        variables.erase(leftover);
    }
    for (const auto& [key, value] : set) {
        variables[key] = value;
    }
    const auto path = variables.find("PATH");
    variables["PATH"] = path_prefix + ':' + (path == variables.end() ? kDefaultPath : path->second);
}

AgentResult<PythonEnvironment> find_python_environment(const wire::OwnProgram& own) {
    if (!own.venv().empty()) {
        return find_venv(own.venv());
    }
    if (!own.conda().empty()) {
        return find_conda(own.conda());
    }
    return PythonEnvironment();
}

}  // namespace rankscope::agent
