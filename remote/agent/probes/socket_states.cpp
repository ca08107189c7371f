// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/fd.h>
#include <remote/agent/probes/proc_text.h>
#include <remote/agent/probes/socket_states.h>

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>

namespace rankscope::agent {
namespace {

constexpr std::size_t kMostDescriptors = 4096;
constexpr int kMostMessages = 4096;     // of an answer: it must end
constexpr std::uint64_t kTimeWait = 6;  // of the kernel's tcp_states.h: no process owns these two
constexpr std::uint64_t kNewSynRecv = 12;
constexpr std::uint64_t kListen = 10;
constexpr std::uint32_t kEveryOwnedState = 0x0fff & ~(1U << kTimeWait) & ~(1U << kNewSynRecv) & ~1U;
constexpr std::uint64_t kZeroWindowTimer = 4;

std::string name_of_state(std::uint64_t state) {
    static constexpr std::array kNames{"",           "ESTABLISHED", "SYN_SENT",  "SYN_RECV",
                                       "FIN_WAIT1",  "FIN_WAIT2",   "TIME_WAIT", "CLOSE",
                                       "CLOSE_WAIT", "LAST_ACK",    "LISTEN",    "CLOSING"};
    return state < kNames.size() ? kNames[state] : std::to_string(state);
}

bool can_carry_data(const std::string& state) {
    return state == "ESTABLISHED" || state == "CLOSE_WAIT" || state == "FIN_WAIT1" || state == "CLOSING" ||
           state == "LAST_ACK";
}

std::string address_text(int family, const std::uint32_t* address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    return ::inet_ntop(family, address, text.data(), text.size()) == nullptr ? std::string() : text.data();
}

// An older kernel knows fewer fields than the headers: those beyond `size` are not there.
template <typename Field>
std::optional<Field> field_at(const char* info, std::size_t size, std::size_t offset) {
    Field field{};
    if (offset + sizeof field > size) {
        return std::nullopt;
    }
    std::memcpy(&field, info + offset, sizeof field);
    return field;
}

#define RANKSCOPE_TCP_INFO(name) \
    field_at<decltype(tcp_info::tcpi_##name)>(info, size, offsetof(tcp_info, tcpi_##name))

void add_tcp_info(wire::SocketState& socket, const char* info, std::size_t size) {
    socket.set_retransmits(RANKSCOPE_TCP_INFO(retransmits).value_or(0));
    socket.set_retransmitted(RANKSCOPE_TCP_INFO(total_retrans).value_or(0));
    socket.set_rtt_s(RANKSCOPE_TCP_INFO(rtt).value_or(0) * 1e-6);
    if (socket.state() == "SYN_SENT" || socket.state() == "LISTEN") {
        return;  // nothing was received: the clocks below stand at the start of the machine
    }
    socket.set_idle_s(RANKSCOPE_TCP_INFO(last_data_recv).value_or(0) * 1e-3);
    socket.set_sent_idle_s(RANKSCOPE_TCP_INFO(last_data_sent).value_or(0) * 1e-3);
    socket.set_answer_idle_s(RANKSCOPE_TCP_INFO(last_ack_recv).value_or(0) * 1e-3);
    const auto busy_us = RANKSCOPE_TCP_INFO(busy_time).value_or(0);
    socket.set_busy_s(
        static_cast<double>(busy_us - std::min(busy_us, RANKSCOPE_TCP_INFO(rwnd_limited).value_or(0))) *
        1e-6);
    socket.set_acked_bytes(RANKSCOPE_TCP_INFO(bytes_acked).value_or(0));
    if (RANKSCOPE_TCP_INFO(snd_wnd) == 0U && socket.unsent() > 0 && can_carry_data(socket.state())) {
        socket.set_zero_window(true);
    }
}

#undef RANKSCOPE_TCP_INFO

wire::SocketState socket_of(const inet_diag_msg& message, std::size_t size) {
    wire::SocketState socket;
    const int family = message.idiag_family;
    socket.set_state(name_of_state(message.idiag_state));
    socket.set_local_address(address_text(family, message.id.idiag_src));
    socket.set_local_port(ntohs(message.id.idiag_sport));
    socket.set_inode(message.idiag_inode);
    if (message.idiag_state != kListen) {  // there the queues count connections
        socket.set_peer_address(address_text(family, message.id.idiag_dst));
        socket.set_peer_port(ntohs(message.id.idiag_dport));
        socket.set_unsent(message.idiag_wqueue);
        socket.set_unread(message.idiag_rqueue);
        socket.set_zero_window(message.idiag_timer == kZeroWindowTimer);
    }
    const char* attribute = reinterpret_cast<const char*>(&message) + NLMSG_ALIGN(sizeof message);
    const char* end = reinterpret_cast<const char*>(&message) + size;
    while (end - attribute >= static_cast<std::ptrdiff_t>(sizeof(rtattr))) {
        rtattr header{};
        std::memcpy(&header, attribute, sizeof header);
        if (header.rta_len < sizeof header || header.rta_len > end - attribute) {
            break;
        }
        if (header.rta_type == INET_DIAG_INFO) {
            add_tcp_info(socket, attribute + RTA_LENGTH(0), header.rta_len - RTA_LENGTH(0));
        }
        attribute += std::min<std::ptrdiff_t>(end - attribute, RTA_ALIGN(header.rta_len));
    }
    return socket;
}

bool ask(int fd, int family) {
    struct {
        nlmsghdr header;
        inet_diag_req_v2 request;
    } message{};
    message.header.nlmsg_len = sizeof message;
    message.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    message.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    message.request.sdiag_family = static_cast<std::uint8_t>(family);
    message.request.sdiag_protocol = IPPROTO_TCP;
    message.request.idiag_ext = 1U << (INET_DIAG_INFO - 1U);
    message.request.idiag_states = kEveryOwnedState;
    sockaddr_nl kernel{};
    kernel.nl_family = AF_NETLINK;
    return ::sendto(fd, &message, sizeof message, 0, reinterpret_cast<const sockaddr*>(&kernel),
                    sizeof kernel) == static_cast<ssize_t>(sizeof message);
}

enum class Part { More, Last, Failed };

Part take(const char* bytes, std::size_t size, const std::unordered_set<std::uint64_t>& inodes,
          SocketsByInode& found) {
    while (size >= sizeof(nlmsghdr)) {
        nlmsghdr header{};
        std::memcpy(&header, bytes, sizeof header);
        if (header.nlmsg_len < sizeof header || header.nlmsg_len > size) {
            return Part::Failed;
        }
        if (header.nlmsg_type == NLMSG_DONE) {
            return Part::Last;
        }
        if (header.nlmsg_type == NLMSG_ERROR) {
            nlmsgerr error{};
            if (header.nlmsg_len >= NLMSG_LENGTH(sizeof error)) {
                std::memcpy(&error, bytes + NLMSG_LENGTH(0), sizeof error);
            }
            errno = error.error != 0 ? -error.error : EPROTO;
            return Part::Failed;
        }
        const std::size_t body = header.nlmsg_len - NLMSG_LENGTH(0);
        if (body >= sizeof(inet_diag_msg)) {
            const auto* message = reinterpret_cast<const inet_diag_msg*>(bytes + NLMSG_LENGTH(0));
            if (inodes.contains(message->idiag_inode)) {
                found.insert_or_assign(message->idiag_inode, socket_of(*message, body));
            }
        }
        const std::size_t step = std::min<std::size_t>(size, NLMSG_ALIGN(header.nlmsg_len));
        bytes += step;
        size -= step;
    }
    return Part::More;
}

bool dump(int fd, int family, const std::unordered_set<std::uint64_t>& inodes, SocketsByInode& found) {
    if (!ask(fd, family)) {
        return false;
    }
    alignas(nlmsghdr) std::array<char, 32768> bytes;
    for (int round = 0; round < kMostMessages; ++round) {
        const auto got = ::recv(fd, bytes.data(), bytes.size(), 0);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        const Part part = take(bytes.data(), static_cast<std::size_t>(got), inodes, found);
        if (part != Part::More) {
            return part == Part::Last;
        }
    }
    return false;
}

// "/dev/nvidia0"; "/dev/nvidiactl" is open in a program that has merely counted them.
bool is_gpu(const std::string& link) {
    constexpr std::string_view kNvidia = "/dev/nvidia";
    return link == "/dev/kfd" ||
           (link.starts_with(kNvidia) && number_of(std::string_view(link).substr(kNvidia.size())));
}

bool is_idle(const wire::SocketState& socket) {
    return socket.unsent() == 0 && socket.unread() == 0 && socket.state() != "SYN_SENT";
}

}  // namespace

SocketTable read_sockets(const ProcFolder& net, const std::unordered_set<std::uint64_t>& inodes) {
    const UniqueFd fd(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    const timeval patience{0, 200'000};  // the kernel answers at once, or not at all
    SocketTable table;
    if (fd && ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0 &&
        dump(fd.get(), AF_INET, inodes, table.sockets)) {
        dump(fd.get(), AF_INET6, inodes, table.sockets);  // fails where the kernel has no IPv6
        return table;
    }
    const std::string why = std::strerror(errno);
    table = read_listed_sockets(net, inodes);
    table.unseen = "sock_diag: " + why;
    return table;
}

SocketTable read_listed_sockets(const ProcFolder& net, const std::unordered_set<std::uint64_t>& inodes) {
    SocketTable table;
    table.unseen = "another network namespace";
    for (const char* name : {"tcp", "tcp6"}) {
        for (const auto& line : parse_net_tcp(net.read(name))) {
            if (line.state == kTimeWait || !inodes.contains(line.inode)) {
                continue;
            }
            wire::SocketState socket;
            socket.set_state(name_of_state(line.state));
            socket.set_local_address(line.local_address);
            socket.set_local_port(line.local_port);
            socket.set_inode(static_cast<std::int64_t>(line.inode));
            if (line.state != kListen) {
                socket.set_peer_address(line.peer_address);
                socket.set_peer_port(line.peer_port);
                socket.set_unsent(line.unsent);
                socket.set_unread(line.unread);
                socket.set_retransmits(static_cast<std::uint32_t>(line.retransmits));
                socket.set_zero_window(line.timer == kZeroWindowTimer);
            }
            table.sockets.insert_or_assign(line.inode, std::move(socket));
        }
    }
    return table;
}

std::uint64_t socket_inode(const std::string& link) {
    constexpr std::string_view kBegin = "socket:[";
    if (!link.starts_with(kBegin) || link.back() != ']') {
        return 0;
    }
    return number_of(std::string_view(link).substr(kBegin.size(), link.size() - kBegin.size() - 1))
        .value_or(0);
}

OpenFiles open_files(const ProcFolder& process) {
    OpenFiles files;
    const ProcFolder folder(process, "fd");
    if (!folder) {
        return files;
    }
    for (const int fd : folder.numbers(kMostDescriptors)) {
        const auto link = folder.link(std::to_string(fd));
        if (const auto inode = socket_inode(link); inode != 0) {
            files.sockets.push_back(inode);
        }
        files.gpu = files.gpu || is_gpu(link);
    }
    return files;
}

bool is_connection(const wire::SocketState& socket) {
    return socket.state() != "LISTEN" && socket.state() != "CLOSE";
}

void keep_most_telling(std::vector<wire::SocketState>& sockets) {
    const auto weight = [](const wire::SocketState& socket) {
        return socket.state() == "SYN_SENT" ? 3 : socket.unsent() > 0 ? 2 : !is_idle(socket) ? 1 : 0;
    };
    std::stable_sort(sockets.begin(), sockets.end(),
                     [&](const auto& left, const auto& right) { return weight(left) > weight(right); });
    sockets.resize(std::min(sockets.size(), kMostSockets));
}

}  // namespace rankscope::agent
