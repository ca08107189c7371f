// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/node/nvidia_packages.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

namespace rankscope {
namespace {

struct Distribution {
    std::initializer_list<std::string_view> names;  ///< begin of PRETTY_NAME
    const char* driver;
    const char* cudnn;
    const char* nccl;
};

// Names of packages: NVIDIA's driver, cuDNN and NCCL installation guides.
const std::array<Distribution, 4>& distributions() {
    static const std::array<Distribution, 4> all{
        {{{"Ubuntu"},
          "sudo ubuntu-drivers install --gpgpu",
          "sudo apt-get install -y cudnn9-cuda-12",
          "sudo apt-get install -y libnccl2"},
         {{"Debian"},
          "sudo apt-get install -y nvidia-driver",
          "sudo apt-get install -y cudnn9-cuda-12",
          "sudo apt-get install -y libnccl2"},
         {{"Red Hat", "Rocky", "AlmaLinux", "CentOS", "Oracle", "Fedora", "Amazon"},
          "sudo dnf install -y nvidia-open",
          "sudo dnf install -y cudnn9-cuda-12",
          "sudo dnf install -y libnccl"},
         {{"SUSE", "openSUSE"},
          "sudo zypper install -y nvidia-open",
          "sudo zypper install -y cudnn9-cuda-12",
          "sudo zypper install -y libnccl"}}};
    return all;
}

}  // namespace

std::string nvidia_install_command(NvidiaPart part, const std::string& os) {
    for (const auto& entry : distributions()) {
        if (std::any_of(entry.names.begin(), entry.names.end(),
                        [&os](std::string_view name) { return os.starts_with(name); })) {
            return part == NvidiaPart::Driver  ? entry.driver
                   : part == NvidiaPart::Cudnn ? entry.cudnn
                                               : entry.nccl;
        }
    }
    return {};
}

}  // namespace rankscope
