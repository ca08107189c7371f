// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A rank that does one thing, for the tests of what a look at it finds:
//
//   stuck_program sleep | spin | deadlock | stop
//   stuck_program read FILE | lock FILE | threads COUNT
//   stuck_program receive PORT | send PORT | connect PORT      (of 127.0.0.1)
//   stuck_program fuse FOLDER                                  (root: a file system there that never answers a read)
//   stuck_program loader COMMAND…                              (a process below it does COMMAND)

#include <base/fd.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace rankscope {
namespace {

int failed(const std::string& what) {
    std::fprintf(stderr, "%s: %s\n", what.c_str(), std::strerror(errno));
    return 2;
}

int wait_forever() {
    for (;;) {
        ::sleep(1000);
    }
}

int spin() {
    for (volatile unsigned counter = 0;;) {
        counter = counter + 1;
    }
}

int deadlock() {
    std::mutex mutex;
    mutex.lock();
    std::thread other([&] { mutex.lock(); });
    other.join();
    return 0;
}

int read_from(const std::string& path) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    char byte = 0;
    return fd && ::read(fd.get(), &byte, 1) >= 0 ? 0 : failed(path);
}

int lock(const std::string& path) {
    const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    return fd && ::flock(fd.get(), LOCK_EX) == 0 ? 0 : failed(path);
}

// With a socket, so that a look asks for those of the whole node.
int start_threads(int count) {
    const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd || ::listen(fd.get(), 1) != 0) {
        return failed("listen");
    }
    std::mutex mutex;
    mutex.lock();
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([&] { mutex.lock(); });
    }
    return wait_forever();
}

int connect_to(const std::string& port, const std::string& then) {
    const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port.c_str())));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return failed("connect");
    }
    std::array<char, 65536> bytes{};
    for (;;) {
        const auto moved = then == "send" ? ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL)
                                          : ::recv(fd.get(), bytes.data(), bytes.size(), 0);
        if (moved <= 0) {
            return failed(then);
        }
    }
}

template <typename Body>
void reply(int fd, const fuse_in_header& asked, const Body& body) {
    struct {
        fuse_out_header header;
        Body body;
    } message{};
    message.header.len = sizeof message;
    message.header.unique = asked.unique;
    message.body = body;
    [[maybe_unused]] const auto put = ::write(fd, &message, sizeof message);
}

// One file, "data", that can be opened; a read of it waits for ever.
void serve(int fd) {
    std::vector<char> bytes(1 << 20);
    fuse_attr attributes{};
    attributes.ino = 2;
    attributes.size = 1 << 20;
    attributes.mode = S_IFREG | 0644;
    attributes.nlink = 1;
    for (;;) {
        if (::read(fd, bytes.data(), bytes.size()) < static_cast<ssize_t>(sizeof(fuse_in_header))) {
            return;
        }
        fuse_in_header asked{};
        std::memcpy(&asked, bytes.data(), sizeof asked);
        if (asked.opcode == FUSE_INIT) {
            fuse_init_out init{};
            init.major = FUSE_KERNEL_VERSION;
            init.minor = FUSE_KERNEL_MINOR_VERSION;
            init.max_write = 65536;
            reply(fd, asked, init);
        } else if (asked.opcode == FUSE_LOOKUP) {
            fuse_entry_out entry{};
            entry.nodeid = 2;
            entry.attr = attributes;
            entry.entry_valid = 1000;
            entry.attr_valid = 1000;
            reply(fd, asked, entry);
        } else if (asked.opcode == FUSE_GETATTR) {
            fuse_attr_out attr{};
            attr.attr = attributes;
            attr.attr_valid = 1000;
            if (asked.nodeid == FUSE_ROOT_ID) {
                attr.attr.mode = S_IFDIR | 0755;
                attr.attr.ino = FUSE_ROOT_ID;
            }
            reply(fd, asked, attr);
        } else if (asked.opcode == FUSE_OPEN) {
            reply(fd, asked, fuse_open_out{});
        }
    }
}

// In its own mount namespace: no other process can open the folder and hang there. Another process serves it: at its
// death the kernel releases the reader, which no signal can end before.
int read_unanswered(const std::string& folder) {
    UniqueFd fd(::open("/dev/fuse", O_RDWR | O_CLOEXEC));
    const std::string options = "fd=" + std::to_string(fd.get()) + ",rootmode=40000,user_id=0,group_id=0";
    if (!fd || ::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("10.0.0.9:/export", folder.c_str(), "fuse.test", 0, options.c_str()) != 0) {
        return failed("fuse");
    }
    if (::fork() == 0) {
        serve(fd.get());
        ::_exit(0);
    }
    fd.reset();
    return read_from(folder + "/data");
}

int run(const std::vector<std::string>& words);

int run_below(const std::vector<std::string>& words) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(run(words));
    }
    char byte = 0;
    const Pipe pipe = make_pipe();
    return ::read(pipe.read_end.get(), &byte, 1) >= 0 ? 0 : failed("read");  // as a loop over batches waits
}

int run(const std::vector<std::string>& words) {
    const std::string what = words.empty() ? "" : words[0];
    const std::string argument = words.size() > 1 ? words[1] : "";
    return what == "sleep"      ? wait_forever()
           : what == "spin"     ? spin()
           : what == "deadlock" ? deadlock()
           : what == "stop"     ? (::raise(SIGSTOP), wait_forever())
           : what == "read"     ? read_from(argument)
           : what == "lock"     ? lock(argument)
           : what == "threads"  ? start_threads(std::atoi(argument.c_str()))
           : what == "fuse"     ? read_unanswered(argument)
           : what == "loader"   ? run_below({words.begin() + 1, words.end()})
           : what == "receive" || what == "send" || what == "connect" ? connect_to(argument, what)
                                                                      : 2;
}

}  // namespace
}  // namespace rankscope

int main(int argc, char** argv) {
    return rankscope::run({argv + 1, argv + argc});
}
