// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/paths.h>
#include <base/run_program.h>
#include <base/text.h>
#include <base/utf8.h>
#include <remote/desk/nodes/deploy/python_requirements.h>
#include <remote/desk/shared/text.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace rankscope::inline nodes {
namespace {

namespace fs = std::filesystem;

constexpr const char* kContext = "PythonRequirements";
constexpr double kExportWithin = 60;
constexpr std::size_t kMostText = std::size_t{16} << 20U;
constexpr std::size_t kMostFiles = 32;

Failure bad_file(const fs::path& file, std::string what, std::string remedy, std::string detail = {}) {
    return {"bad-file", file.string(), std::move(what), std::move(remedy), std::move(detail)};
}

Failure unreadable(const fs::path& file) {
    return bad_file(file, text(kContext, "%1 cannot be read: %2.", {file.string(), std::strerror(errno)}),
                    text(kContext, "Paths of environment: count from the folder of the job file."));
}

// The value of an option of a line: "-r FILE", "--requirement=FILE". Nothing: another line.
std::optional<std::string_view> option_value(std::string_view line, std::string_view option) {
    if (!line.starts_with(option) || line.size() == option.size()) {
        return std::nullopt;
    }
    const char next = line[option.size()];
    const bool short_option = option.size() == 2;
    if (next != ' ' && next != '\t' && next != '=' && !short_option) {
        return std::nullopt;
    }
    return trimmed(line.substr(option.size() + (next == '=' ? 1 : 0)));
}

bool is_of_this_computer(std::string_view line) {
    return line.starts_with('.') || line.starts_with('/') || line.starts_with('~') ||
           line.starts_with("file:") || line.starts_with("-e") || line.starts_with("--editable") ||
           line.find("@ file:") != std::string_view::npos || line.find("@ ./") != std::string_view::npos;
}

/// A requirements file and those that it names, each under a plain name.
class RequirementsReader {
public:
    Result<PythonRequirements> read(const fs::path& file) {
        requirements_.name = file.filename().string();
        if (auto added = add(file); !added) {
            return added.failure();
        }
        return std::move(requirements_);
    }

private:
    Result<std::string> add(const fs::path& file) {
        const auto [known, is_new] = names_.emplace(file.lexically_normal().string(), "");
        if (!is_new) {
            return known->second;
        }
        if (names_.size() > kMostFiles) {
            return bad_file(file,
                            text(kContext, "It names more than %1 files.", {std::to_string(kMostFiles)}),
                            text(kContext, "Join them."));
        }
        const std::string name = names_.size() == 1
                                     ? "requirements.txt"
                                     : "requirements-" + std::to_string(names_.size()) + ".txt";
        known->second = name;
        const std::size_t place = requirements_.files.size();
        requirements_.files.push_back({name, ""});
        const auto content = read_file(file);
        if (!content) {
            return unreadable(file);
        }
        std::string result;
        int number = 0;
        bool continued = false;
        for (const auto line : split(*content, '\n')) {
            ++number;
            auto kept = continued ? Result<std::string>(std::string(line)) : take(file, line, number);
            if (!kept) {
                return kept.failure();
            }
            continued = trimmed(line).ends_with('\\');
            result += *kept + '\n';
        }
        requirements_.files[place].text = std::move(result);
        return name;
    }

    // A line as it goes to the nodes.
    Result<std::string> take(const fs::path& file, std::string_view whole, int number) {
        const auto line = trimmed(whole);
        for (const auto& [option, written] :
             {std::pair{"--requirement", "-r"}, {"-r", "-r"}, {"--constraint", "-c"}, {"-c", "-c"}}) {
            if (const auto value = option_value(line, option)) {
                const auto other = std::string(trimmed(value->substr(0, value->find(" #"))));
                const auto name = add(file.parent_path() / expand_home(other));
                return name ? Result<std::string>(std::string(written) + ' ' + *name) : name;
            }
        }
        if (is_of_this_computer(line)) {
            return bad_file(
                file,
                text(kContext, "Line %1 names a folder of this computer: %2",
                     {std::to_string(number), as_utf8(std::string(line))}),
                text(kContext,
                     "Name it in push: and set PYTHONPATH in env:, or put a wheel of it on an index."));
        }
        const bool option = line.starts_with('-') || line.starts_with('#') || line.empty();
        if (!option && line.find("==") == std::string_view::npos &&
            line.find('@') == std::string_view::npos) {
            requirements_.unpinned.push_back(as_utf8(std::string(line)));
        }
        return std::string(whole);
    }

    std::map<std::string, std::string> names_;  ///< by path
    PythonRequirements requirements_;
};

// uv accepts an index without TLS; pip needs --trusted-host for it.
std::string trusted_hosts_of(const std::string& exported) {
    std::string lines;
    for (const auto line : split(exported, '\n')) {
        constexpr std::string_view kPlain = " http://";
        const auto at = line.starts_with("--") ? line.find(kPlain) : line.npos;
        if (at != line.npos) {
            const auto rest = line.substr(at + kPlain.size());
            const auto host = rest.substr(0, rest.find('/'));
            lines += "--trusted-host " + std::string(host.substr(host.rfind('@') + 1)) + '\n';
        }
    }
    return lines;
}

Result<PythonRequirements> export_lock(const RequirementsSource& source, const std::stop_token& stop) {
    const fs::path& lock = source.uv_lock;
    if (!read_file(lock)) {
        return unreadable(lock);
    }
    const auto uv = find_uv();
    if (uv.empty()) {
        return Failure{"no-uv", lock.string(),
                       text("FailureCatalogue", "uv is not installed on this computer: it reads uv.lock."),
                       text("FailureCatalogue",
                            "Install it (`pipx install uv`), or write `uv export --frozen > "
                            "requirements.txt` elsewhere and name that file with environment.requirements."),
                       ""};
    }
    if (lock.filename() != "uv.lock") {
        return bad_file(lock, text(kContext, "uv reads only files with the name uv.lock."),
                        text(kContext, "Name the uv.lock next to pyproject.toml."));
    }
    std::vector<std::string> command{uv.string(),
                                     "export",
                                     "--frozen",
                                     "--format",
                                     "requirements.txt",
                                     "--no-emit-workspace",
                                     "--emit-index-url",
                                     "--no-header",
                                     "--no-annotate",
                                     "--project",
                                     lock.parent_path().string()};
    for (const auto& extra : source.extras) {
        command.insert(command.end(), {"--extra", extra});
    }
    const auto exported = run_program(command, {.seconds = kExportWithin,
                                                .output = kMostText,
                                                .stop = stop,
                                                .environment = {{"UV_NO_PROGRESS", "1"}, {"NO_COLOR", "1"}}});
    if (!exported.good() || exported.cut) {
        return bad_file(lock, text(kContext, "uv cannot export %1.", {lock.string()}),
                        text(kContext, "Its output shows why. `uv lock` next to it makes it again."),
                        as_utf8(std::string(trimmed(exported.errors))));
    }
    PythonRequirements requirements{
        lock.filename().string(),
        {{"requirements.txt", trusted_hosts_of(exported.output) + exported.output}},
        {}};
    int number = 0;
    for (const auto line : split(exported.output, '\n')) {
        ++number;
        if (is_of_this_computer(line)) {
            return bad_file(
                lock,
                text(kContext, "It needs a package of this computer: %1",
                     {as_utf8(std::string(line.substr(0, line.find(' ', line.starts_with('-') ? 3 : 0))))}),
                text(kContext,
                     "Name it in push: and set PYTHONPATH in env:, or put a wheel of it on an index."));
        }
    }
    return requirements;
}

}  // namespace

fs::path find_uv() {
    const char* search = std::getenv("PATH");
    for (const auto folder : split(search != nullptr ? search : "", ':')) {
        fs::path place = fs::path(folder) / "uv";
        if (!folder.empty() && ::access(place.c_str(), X_OK) == 0) {
            return place;
        }
    }
    for (const char* place : {"~/.local/bin/uv", "~/.cargo/bin/uv"}) {
        if (::access(expand_home(place).c_str(), X_OK) == 0) {
            return expand_home(place);
        }
    }
    return {};
}

Result<PythonRequirements> read_requirements(const RequirementsSource& source, const std::stop_token& stop) {
    return source.uv_lock.empty() ? RequirementsReader().read(source.requirements)
                                  : export_lock(source, stop);
}

}  // namespace rankscope::inline nodes
