// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/session/nvidia_packages.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

namespace rankscope::inline nodes {
namespace {

struct Distribution {
    std::initializer_list<std::string_view> names;  ///< begin of PRETTY_NAME
    const char* driver;
    const char* install;  ///< before the name of a package
    const char* nccl;     ///< package
};

// Names of packages: NVIDIA's driver, CUDA, cuDNN and NCCL installation guides. (Debian 12's own driver is too old for
// CUDA 13.)
const std::array<Distribution, 4>& distributions() {
    static const std::array<Distribution, 4> all{
        {{{"Ubuntu"}, "sudo ubuntu-drivers install --gpgpu", "sudo apt-get install -y ", "libnccl2"},
         {{"Debian"}, "sudo apt-get install -y nvidia-open", "sudo apt-get install -y ", "libnccl2"},
         {{"Red Hat", "Rocky", "AlmaLinux", "CentOS", "Oracle", "Fedora", "Amazon"},
          "sudo dnf install -y nvidia-open",
          "sudo dnf install -y ",
          "libnccl"},
         {{"SUSE", "openSUSE"}, "sudo zypper install -y nvidia-open", "sudo zypper install -y ", "libnccl"}}};
    return all;
}

std::string package_of(NvidiaPart part, const Distribution& distribution, std::string cuda) {
    if (part == NvidiaPart::Nccl) {
        return distribution.nccl;
    }
    if (part == NvidiaPart::Cudnn) {
        return "cudnn9-cuda-" + cuda.substr(0, cuda.find('.'));
    }
    std::replace(cuda.begin(), cuda.end(), '.', '-');
    return "libcublas-" + cuda;
}

}  // namespace

std::string nvidia_install_command(NvidiaPart part, const std::string& os, const std::string& cuda) {
    if (cuda.find_first_not_of("0123456789.") != std::string::npos) {
        return {};
    }
    for (const auto& entry : distributions()) {
        if (std::any_of(entry.names.begin(), entry.names.end(),
                        [&os](std::string_view name) { return os.starts_with(name); })) {
            return part == NvidiaPart::Driver ? entry.driver : entry.install + package_of(part, entry, cuda);
        }
    }
    return {};
}

}  // namespace rankscope::inline nodes
