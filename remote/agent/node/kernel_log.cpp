// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <base/utf8.h>
#include <remote/agent/node/kernel_log.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>

namespace rankscope::agent {
namespace {

constexpr std::size_t kLongestRecord = 8192;  // the kernel gives no longer one
constexpr std::string_view kDriver = "NVRM: ";

bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// The text of a record: after the head, to the end of its first line.
std::string_view text_of(std::string_view record) {
    const auto head = record.find(';');
    const auto text = head == record.npos ? std::string_view() : record.substr(head + 1);
    return text.substr(0, text.find('\n'));
}

std::int64_t time_of(std::string_view record) {
    const auto parts = split(record.substr(0, record.find(';')), ',');
    const auto time = parts.size() > 2 ? parse_number<std::int64_t>(parts[2]) : std::nullopt;
    constexpr std::int64_t kMostTime = 1LL << 52U;
    return std::clamp<std::int64_t>(time.value_or(0), 0, kMostTime);
}

// "0000:83:00.0" somewhere in the text; without the function, which a GPU has one of.
std::string_view pci_address_in(std::string_view text) {
    for (auto colon = text.find(':'); colon != text.npos; colon = text.find(':', colon + 1)) {
        std::size_t begin = colon;
        while (begin > 0 && is_hex(text[begin - 1])) {
            --begin;
        }
        const auto rest = text.substr(colon);
        if (colon - begin >= 4 && rest.size() >= 6 && is_hex(rest[1]) && is_hex(rest[2]) && rest[3] == ':' &&
            is_hex(rest[4]) && is_hex(rest[5])) {
            return text.substr(begin, colon - begin + 6);
        }
    }
    return {};
}

bool is_interface_name(std::string_view name) {
    constexpr std::size_t kLongestName = 15;  // IFNAMSIZ - 1
    return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
               c == '-' || c == '.';
    });
}

std::string_view last_word(std::string_view text) {
    const auto end = text.find_last_not_of(" :");
    text = end == text.npos ? std::string_view() : text.substr(0, end + 1);
    const auto space = text.rfind(' ');
    return space == text.npos ? text : text.substr(space + 1);
}

std::string_view first_word(std::string_view text) {
    return text.substr(0, text.find_first_of(" ,)!:"));
}

}  // namespace

KernelLogTail::KernelLogTail(const std::filesystem::path& file)
    : log_(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    if (log_) {
        ::lseek(log_.get(), 0, SEEK_END);
        struct stat info {};
        grows_ = ::fstat(log_.get(), &info) == 0 && S_ISREG(info.st_mode);
    }
}

void KernelLogTail::read(const std::function<void(std::string_view record)>& call) {
    std::array<char, kLongestRecord> bytes;
    while (log_) {
        const auto got = ::read(log_.get(), bytes.data(), bytes.size());
        if (got < 0 && (errno == EPIPE || errno == EINTR)) {
            continue;  // it was overwritten meanwhile
        }
        if (got <= 0) {
            if ((got == 0 && !grows_) || (got < 0 && errno != EAGAIN)) {
                log_.reset();
            }
            return;
        }
        // The kernel gives one record a read; its further lines begin with a space.
        partial_.append(bytes.data(), static_cast<std::size_t>(got));
        std::size_t begin = 0;
        for (auto end = partial_.find('\n'); end != std::string::npos; end = partial_.find('\n', begin)) {
            if (partial_[begin] != ' ') {
                call(std::string_view(partial_).substr(begin, end - begin));
            }
            begin = end + 1;
        }
        partial_.erase(0, begin);
        if (partial_.size() > kLongestRecord) {
            partial_.clear();
        }
    }
}

bool read_xid(std::string_view record, wire::GpuError& error) {
    // "4,1234,5678901,-;NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus."
    constexpr std::string_view kBegin = "NVRM: Xid (";
    const auto head = record.find(';');
    const auto begin = record.find(kBegin, head == record.npos ? record.size() : head);
    const auto end = record.find("): ", begin == record.npos ? record.size() : begin);
    if (end == record.npos) {
        return false;
    }
    auto device = record.substr(begin + kBegin.size(), end - begin - kBegin.size());
    auto text = record.substr(end + 3);
    text = text.substr(0, text.find('\n'));
    const auto code = parse_number<std::uint32_t>(text.substr(0, text.find(',')));
    if (!code) {
        return false;
    }
    device.remove_prefix(device.starts_with("PCI:") ? 4 : 0);
    error.set_t_us(time_of(record));
    error.set_pci(as_utf8(std::string(device)));
    error.set_xid(*code);
    error.set_text(as_utf8(std::string(text)));
    return true;
}

bool read_lost_gpu(std::string_view record, wire::GpuError& error) {
    auto text = text_of(record);
    if (!text.starts_with(kDriver) || text.starts_with("NVRM: Xid") ||
        text.find("fallen off the bus") == text.npos) {
        return false;
    }
    text.remove_prefix(kDriver.size());
    const auto device = pci_address_in(text);
    if (device.empty()) {
        return false;
    }
    error.set_t_us(time_of(record));
    error.set_pci(as_utf8(std::string(device)));
    error.set_xid(79);
    error.set_text(as_utf8(std::string(text)));
    return true;
}

std::string read_lost_link(std::string_view record) {
    const auto text = text_of(record);
    // "bond0: (slave ens1f0): link status definitely down, disabling slave"; before 5.5 "bond0: link status definitely
    // down for interface ens1f0, disabling it".
    std::string_view name;
    if (const auto definite = text.find("link status definitely down"); definite != text.npos) {
        constexpr std::string_view kSlave = "(slave ";
        constexpr std::string_view kFor = " for interface ";
        const auto slave = text.find(kSlave);
        const auto named = text.find(kFor, definite);
        name = slave != text.npos   ? first_word(text.substr(slave + kSlave.size()))
               : named != text.npos ? first_word(text.substr(named + kFor.size()))
                                    : std::string_view();
    } else if (const auto bond = text.find(": now running without any active interface"); bond != text.npos) {
        name = last_word(text.substr(0, bond));
    } else {
        // "mlx5_core 0000:3b:00.0 ens1f0np0: Link down", "igb 0000:01:00.0 eno1: igb: eno1 NIC Link is Down".
        auto end = text.find_last_not_of(" .");
        const auto said = lower_case(end == text.npos ? std::string_view() : text.substr(0, end + 1));
        for (const std::string_view shape :
             {" nic link is down", ": nic link is down", ": link is down", ": link down"}) {
            if (said.ends_with(shape)) {
                name = last_word(text.substr(0, said.size() - shape.size()));
                break;
            }
        }
    }
    return is_interface_name(name) ? std::string(name) : std::string();
}

std::optional<pid_t> read_oom_kill(std::string_view record) {
    const auto text = text_of(record);
    // "Out of memory: Killed process 4711 (python3)"; before 4.20 "Out of memory: Kill process 4711 (python3) score …",
    // then "Killed process 4711 (python3) total-vm:…".
    if (text.find("ut of memory") == text.npos && text.find("total-vm:") == text.npos) {
        return std::nullopt;
    }
    for (const std::string_view words : {"Killed process ", "Kill process "}) {
        if (const auto begin = text.find(words); begin != text.npos) {
            const auto number = text.substr(begin + words.size());
            const auto end = number.find_first_not_of("0123456789");
            return end != number.npos ? parse_number<pid_t>(number.substr(0, end)) : std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace rankscope::agent
