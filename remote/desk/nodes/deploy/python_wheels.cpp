// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/run_program.h>
#include <base/text.h>
#include <base/utf8.h>
#include <remote/desk/nodes/deploy/python_wheels.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

namespace rankscope::inline nodes {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kContext = "PythonWheels";
constexpr double kDownloadsWithin = 7200;
constexpr double kQuickAnswer = 30;
constexpr std::uint32_t kOldestGlibc = 5;
// Those that uv knows (uv pip compile --help).
constexpr std::array<std::uint32_t, 12> kPlatformsOfUv{40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 28, 17};

std::string major_minor(const std::string& version) {
    const auto parts = split(version, '.');
    return parts.size() < 2 ? version : std::string(parts[0]) + '.' + std::string(parts[1]);
}

// PEP 600, and the older names for some of them.
Words platforms_of(const PythonTarget& target) {
    Words words;
    for (std::uint32_t minor = target.glibc_minor; minor >= kOldestGlibc; --minor) {
        words.push_back("manylinux_2_" + std::to_string(minor) + '_' + target.machine);
    }
    for (const char* older : {"manylinux2014_", "manylinux2010_", "manylinux1_", "linux_"}) {
        words.push_back(older + target.machine);
    }
    return words;
}

std::string reason_of(const ProgramOutput& output) {
    return output.start_error != 0
               ? std::strerror(output.start_error)
               : as_utf8(error_lines(output.errors.empty() ? output.output : output.errors));
}

std::string trusted_hosts(const std::string& requirements) {
    std::string lines;
    for (const auto line : split(requirements, '\n')) {
        if (line.starts_with("--trusted-host")) {
            lines += std::string(line) + '\n';
        }
    }
    return lines;
}

class WheelDownload {
public:
    WheelDownload(const PythonTarget& target, const fs::path& folder, const std::stop_token& stop,
                  const std::function<void(const std::string&)>& progress)
        : target_(target), folder_(folder), stop_(stop), progress_(progress), uv_(find_uv()) {}

    Result<void> run(const PythonRequirements& requirements) {
        const fs::path source = folder_ / "source";
        for (const auto& file : requirements.files) {
            if (const int error = write_file_atomically(source / file.name, file.text); error != 0) {
                return Failure{"cannot-write", (source / file.name).string(),
                               text(kContext, "%1 cannot be written: %2.",
                                    {(source / file.name).string(), std::strerror(error)}),
                               text(kContext, "Check its folder and the free space."), ""};
            }
        }
        fs::path wanted = source / requirements.files.front().name;
        if (!uv_.empty()) {
            const fs::path chosen = source / "chosen.txt";
            if (auto done = carry_out(choose(wanted, chosen)); !done) {
                return done;
            }
            // uv leaves them out; pip asks no other host without TLS.
            const std::string hosts = trusted_hosts(requirements.files.front().text);
            static_cast<void>(write_file_atomically(chosen, hosts + read_file(chosen).value_or("")));
            wanted = chosen;
        }
        return carry_out(download(wanted));
    }

private:
    Words choose(const fs::path& wanted, const fs::path& chosen) const {
        const auto* platform = std::find_if(kPlatformsOfUv.begin(), kPlatformsOfUv.end(),
                                            [this](auto minor) { return minor <= target_.glibc_minor; });
        Words words{uv_.string(),
                    "pip",
                    "compile",
                    wanted.string(),
                    "-o",
                    chosen.string(),
                    "--python-version",
                    target_.version,
                    "--no-header",
                    "--no-annotate",
                    "--emit-index-url",
                    "--emit-find-links",
                    "--index-strategy",
                    "unsafe-best-match",
                    "--only-binary",
                    ":all:"};
        if (platform != kPlatformsOfUv.end()) {
            words.insert(words.end(), {"--python-platform",
                                       target_.machine + "-manylinux_2_" + std::to_string(*platform)});
        }
        return words;
    }

    Words download(const fs::path& wanted) const {
        Words words{"python3", "-m", "pip"};
        if (!run_program({"python3", "-m", "pip", "--version"}, {.seconds = kQuickAnswer, .stop = stop_})
                 .good() &&
            !uv_.empty()) {
            words = {uv_.string(), "run", "--no-project", "--with", "pip", "python", "-m", "pip"};
        }
        const std::string version = major_minor(target_.version);
        std::string abi = "cp" + version;
        abi.erase(std::remove(abi.begin(), abi.end(), '.'), abi.end());
        words.insert(words.end(), {"download",
                                   "--disable-pip-version-check",
                                   "--no-input",
                                   "--progress-bar",
                                   "off",
                                   "--only-binary",
                                   ":all:",
                                   "--implementation",
                                   "cp",
                                   "--python-version",
                                   version,
                                   "--abi",
                                   abi,
                                   "--abi",
                                   "abi3",
                                   "--abi",
                                   "none",
                                   "--dest",
                                   (folder_ / "wheels").string(),
                                   "-r",
                                   wanted.string()});
        if (!uv_.empty()) {
            words.emplace_back("--no-deps");  // uv has listed them all
        }
        for (const auto& platform : platforms_of(target_)) {
            words.insert(words.end(), {"--platform", platform});
        }
        return words;
    }

    Result<void> carry_out(const Words& words) const {
        const auto output = run_program(words, {.seconds = kDownloadsWithin,
                                                .stop = stop_,
                                                .environment = {{"NO_COLOR", "1"}, {"PIP_NO_COLOR", "1"}},
                                                .on_line = [this](std::string_view line) {
                                                    progress_(as_utf8(std::string(trimmed(line))));
                                                }});
        if (output.good()) {
            return {};
        }
        if (stop_.stop_requested()) {
            return Failure{"cancelled", "", text(kContext, "Stopped by the user."), "", ""};
        }
        return Failure{"no-index", "",
                       text(kContext, "The wheels for Python %1 on %2 cannot be downloaded on this computer.",
                            {target_.version, target_.machine}),
                       text(kContext, "The output of the tool shows why."), reason_of(output)};
    }

    const PythonTarget& target_;
    const fs::path& folder_;
    const std::stop_token& stop_;
    const std::function<void(const std::string&)>& progress_;
    const fs::path uv_;
};

}  // namespace

Result<void> download_wheels(const PythonRequirements& requirements, const PythonTarget& target,
                             const fs::path& folder, const std::stop_token& stop,
                             const std::function<void(const std::string&)>& progress) {
    return WheelDownload(target, folder, stop, progress).run(requirements);
}

}  // namespace rankscope::inline nodes
