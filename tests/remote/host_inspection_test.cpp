// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The inspection of a node, with real faults where that needs root.

#include "support/agent_client.h"
#include "support/host_inspection_fixture.h"
#include "support/scoped_environment.h"
#include "support/temporary_folder.h"

#include <base/clock.h>
#include <base/fd.h>
#include <remote/agent/inspection/open_folder.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <map>
#include <thread>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

// A FUSE server that never reads a request.
std::string mount_dead_server(const fs::path& folder) {
    const int server = ::open("/dev/fuse", O_RDWR);
    const std::string options = "fd=" + std::to_string(server) + ",rootmode=40000,user_id=0,group_id=0";
    const bool mounted = server >= 0 && ::mount("dead", folder.c_str(), "fuse", 0, options.c_str()) == 0;
    return mounted ? "" : "FUSE cannot be mounted";
}

TEST(OpenFolder, NamesThePlaceThatOthersCanChange) {
    const test::TemporaryFolder folder;
    const fs::path real = fs::canonical(folder.path());
    const fs::path inner = real / "inner";
    fs::create_directory(inner);
    using fs::perms;
    fs::permissions(real, perms::owner_all);
    fs::permissions(inner, perms::owner_all);
    EXPECT_FALSE(open_folder(inner));
    fs::permissions(inner, perms::owner_all | perms::others_write);
    auto open = open_folder(inner);
    ASSERT_TRUE(open);
    EXPECT_EQ(open->path(), inner.string());
    EXPECT_EQ(open->writers(), "everyone");
    EXPECT_EQ(open->mode(), 0702U);
    fs::permissions(inner, perms::owner_all);
    fs::permissions(real, perms::all);
    open = open_folder(inner);
    ASSERT_TRUE(open) << "a folder above it can be exchanged as a whole";
    EXPECT_EQ(open->path(), real.string());
    fs::permissions(real, perms::all | perms::sticky_bit);
    EXPECT_FALSE(open_folder(inner)) << "as /tmp";
    if (::geteuid() == 0) {
        ASSERT_EQ(::chown(inner.c_str(), 4711, 4711), 0);
        EXPECT_EQ(open_folder(inner).value_or(wire::OpenFolder()).writers(), "owner");
    }
}

TEST(OpenFolder, ReadsAnAccessControlList) {
    const auto entry = [](char tag, char rights, unsigned id) {
        std::string bytes{tag, 0, rights, 0};
        for (unsigned shift = 0; shift < 32; shift += 8) {
            bytes += static_cast<char>((id >> shift) & 0xFFU);
        }
        return bytes;
    };
    const std::string header("\2\0\0\0", 4);
    const std::string own = header + entry(1, 7, ~0U);
    EXPECT_EQ(writers_of_list(own + entry(2, 7, 4711), ::getegid()), "user uid 4711");
    EXPECT_EQ(writers_of_list(own + entry(2, 5, 4711), ::getegid()), "") << "may only look";
    EXPECT_EQ(writers_of_list(own + entry(2, 7, ::geteuid()), ::getegid()), "");
    EXPECT_EQ(writers_of_list(own + entry(8, 7, 47110), ::getegid()), "group gid 47110");
    EXPECT_EQ(writers_of_list(own + entry(4, 7, ~0U), 47110), "group gid 47110");
    EXPECT_EQ(writers_of_list((own + entry(2, 7, 4711)).substr(0, 15), ::getegid()), "") << "cut off";
    EXPECT_EQ(writers_of_list("", ::getegid()), "");
}

TEST_F(HostInspection, OfThisMachine) {
    request_.add_names("localhost");
    request_.add_names("no-such-name.invalid");
    request_.add_peers("127.0.0.1");
    request_.add_peers("nonsense");
    request_.add_programs("sh");
    request_.add_programs("no-such-program");
    const auto found = look();
    utsname self{};
    ::uname(&self);
    EXPECT_EQ(found.hostname(), self.nodename);
    ASSERT_GE(found.names_size(), 3);
    EXPECT_EQ(found.names(0).name(), found.hostname());
    EXPECT_GT(found.names(1).addresses_size(), 0) << found.names(1).error();
    EXPECT_EQ(found.names(2).addresses_size(), 0);
    EXPECT_FALSE(found.names(2).error().empty());
    const auto loopback = std::find_if(found.interfaces().begin(), found.interfaces().end(),
                                       [](const auto& interface) { return interface.name() == "lo"; });
    ASSERT_NE(loopback, found.interfaces().end());
    EXPECT_EQ(loopback->kind(), "loopback");
    EXPECT_EQ(loopback->addresses_size(), loopback->prefix_lengths_size());
    ASSERT_EQ(found.routes_size(), 2);
    EXPECT_EQ(found.routes(0).interface(), "lo");
    EXPECT_EQ(found.routes(0).source(), "127.0.0.1");
    EXPECT_EQ(found.routes(1).error(), EINVAL);
    ASSERT_GE(found.paths_size(), 3);
    EXPECT_EQ(found.paths(0).path(), "/dev/shm");
    EXPECT_FALSE(path(found, folder_ / "cache").exists());
    EXPECT_GT(path(found, folder_ / "cache").free_bytes(), 0U) << "of the nearest folder above it";
    ASSERT_EQ(found.programs_size(), 2);
    EXPECT_TRUE(found.programs(0).executable()) << found.programs(0).error();
    EXPECT_EQ(found.programs(1).error(), "not-found");
    EXPECT_GE(found.limits_size(), 3);
    EXPECT_LT(found.ephemeral_first(), found.ephemeral_last());
    EXPECT_EQ(found.machine_id().size(), 32U);
    EXPECT_FALSE(found.user().empty());
    EXPECT_GT(found.clock_us(), 0);
}

TEST_F(HostInspection, AnswersOverTheWire) {
    test::AgentClient client((folder_ / "cache").string());
    wire::Request request;
    request.mutable_inspect_host()->set_quick(true);
    const auto reply = client.call(std::move(request));
    ASSERT_TRUE(reply.has_host()) << reply.failure().detail();
    EXPECT_FALSE(reply.host().hostname().empty());
    EXPECT_GE(reply.host().paths_size(), 3);
    EXPECT_EQ(client.finish(), 0);
}

TEST_F(HostInspection, TwoNodesOfOneMachineDiffer) {
    const auto first = look();
    EXPECT_EQ(first.machine_id(), look().machine_id());
    const auto second = look_after([] { return enter(CLONE_NEWNET); });
    SKIP_IF_NOT_POSSIBLE();
    EXPECT_NE(first.machine_id(), second.machine_id());
}

TEST_F(HostInspection, AStopRequestEndsIt) {
    test::write_text(folder_ / "getent", "#!/bin/sh\nexec sleep 600\n");
    fs::permissions(folder_ / "getent", fs::perms::owner_all);
    const test::ScopedEnvironment search("PATH", folder_.path().string() + ":/usr/bin:/bin");
    std::jthread stopper([this] { stop_.request_stop(); });
    const double begin = monotonic_s();
    look();
    EXPECT_LT(monotonic_s() - begin, 1.9) << "the name alone would take 2 s";
}

TEST_F(HostInspection, ProgramsThatDoNotAnswerHideNothingElse) {
    for (const char* name : {"getent", "nvidia-smi"}) {
        test::write_text(folder_ / name, "#!/bin/sh\nexec sleep 600\n");
        fs::permissions(folder_ / name, fs::perms::owner_all);
    }
    const test::ScopedEnvironment search("PATH", folder_.path().string() + ":/usr/bin:/bin");
    const auto found = look();
    EXPECT_EQ(found.names(0).error(), "late");
    EXPECT_GE(found.names(0).seconds(), 2);
    EXPECT_EQ(found.gpus_size(), 0);
    EXPECT_TRUE(is_unseen(found, "gpus")) << unseen_text(found);
    EXPECT_GT(found.interfaces_size(), 0);
    EXPECT_GT(found.versions_size(), 0);
}

TEST_F(HostInspection, ProgramsThatCannotRun) {
    const auto write = [this](const std::string& name, const std::string& text, fs::perms permissions) {
        test::write_text(folder_ / name, text);
        fs::permissions(folder_ / name, permissions);
        request_.add_programs(folder_ / name);
    };
    write("fine", "#!/bin/sh\n", fs::perms::owner_all);
    write("plain", "#!/bin/sh\n", fs::perms::owner_read);
    write("moved", "#!/no/such/venv/bin/python\n", fs::perms::owner_all);
    const auto found = look();
    ASSERT_EQ(found.programs_size(), 3);
    EXPECT_TRUE(found.programs(0).executable());
    EXPECT_EQ(found.programs(1).error(), "not-executable");
    EXPECT_EQ(found.programs(2).error(), "no-interpreter");
    EXPECT_FALSE(found.programs(2).executable());
}

TEST_F(HostInspection, AVirtualEnvironmentThatIsNotThere) {
    request_.set_venv(folder_ / "venv");
    request_.set_python("sh");
    request_.add_programs("sh");
    request_.add_programs("/bin/sh");
    const auto found = look();
    ASSERT_EQ(found.programs_size(), 2);
    EXPECT_EQ(found.programs(0).error(), "no-venv") << "the one of the system is another one";
    EXPECT_FALSE(found.programs(0).executable());
    EXPECT_TRUE(found.programs(1).executable());
    EXPECT_TRUE(is_unseen(found, "versions.python"));
}

TEST_F(HostInspection, PackagesOfAnInterpreterWithoutImportingThem) {
    if (test::find_on_path("python3").empty()) {
        GTEST_SKIP() << "no python3";
    }
    const fs::path packages = folder_ / "packages";
    fs::create_directories(packages / "torch");
    test::write_text(packages / "torch/__init__.py", "raise SystemExit('imported')\n");
    test::write_text(packages / "torch/version.py",
                     "from typing import Optional\n__version__ = '2.9.9+cu121'\ncuda: Optional[str] = "
                     "'12.1'\nhip: Optional[str] = None\n");
    fs::create_directories(packages / "nvidia_nccl_cu12-2.18.1.dist-info");
    const test::ScopedEnvironment path("PYTHONPATH", packages.string());
    request_.set_python("python3");
    const auto found = look();
    std::map<std::string, std::string> versions;
    for (const auto& version : found.versions()) {
        versions.emplace(version.name(), version.value());
    }
    if (is_unseen(found, "versions.torch")) {
        GTEST_SKIP() << "python3 does not work here: " << unseen_text(found);
    }
    EXPECT_EQ(versions["torch"], "2.9.9+cu121");
    EXPECT_EQ(versions["cuda"], "12.1");
    EXPECT_EQ(versions["nccl"], "2.18.1");
    EXPECT_FALSE(versions["python"].empty());
    EXPECT_FALSE(versions["kernel"].empty());
}

// What is not installed and what nobody can tell are two things: the first is a difference between nodes.
TEST_F(HostInspection, AnotherProgramByTheNameOfPythonSaysNothingOfPackages) {
    test::write_text(folder_ / "python3", "#!/bin/sh\nexit 0\n");
    fs::permissions(folder_ / "python3", fs::perms::owner_all);
    request_.set_python(folder_ / "python3");
    const auto found = look();
    std::map<std::string, std::string> versions;
    for (const auto& version : found.versions()) {
        versions.emplace(version.name(), version.value());
    }
    ASSERT_TRUE(versions.contains("python")) << unseen_text(found);
    EXPECT_EQ(versions["python"], "");
    for (const char* package : {"torch", "cuda", "hip", "nccl", "cudnn"}) {
        EXPECT_FALSE(versions.contains(package)) << package;
        EXPECT_FALSE(is_unseen(found, std::string("versions.") + package)) << "Python's own finding says it";
    }
}

// A program by that name: no GPU is needed to see how it is asked.
TEST_F(HostInspection, GpusOfADriverThatKnowsFewerFields) {
    test::write_text(folder_ / "nvidia-smi",
                     "#!/bin/sh\ncase $1 in\n*fabric.state*) echo 'Field \"fabric.state\" is not a valid "
                     "field to query.'; exit 2;;\n"
                     "--query-compute-apps*) echo \"GPU-a, $$, 7\";;\n"
                     "*) echo '0, GPU-a, 00000000:18:00.0, 1000, 8, Default, Enabled, Disabled, 8, 16, 4, 4, "
                     "0, 0, 0x0, Old GPU';;\nesac\n");
    fs::permissions(folder_ / "nvidia-smi", fs::perms::owner_all);
    const test::ScopedEnvironment search("PATH", folder_.path().string() + ":/usr/bin:/bin");
    const auto found = look();
    ASSERT_EQ(found.gpus_size(), 1) << unseen_text(found);
    EXPECT_EQ(found.gpus(0).name(), "Old GPU");
    EXPECT_EQ(found.gpus(0).pcie_width(), 8U);
    ASSERT_EQ(found.gpus(0).processes_size(), 1);
    EXPECT_EQ(found.gpus(0).processes(0).memory_bytes(), 7ULL << 20U);
    EXPECT_TRUE(is_unseen(found, "gpus.fabric.state"));
}

TEST_F(HostInspection, MountsThatForbid) {
    for (const char* name : {"noexec", "read-only", "full", "few"}) {
        fs::create_directories(folder_ / name);
        request_.add_paths(folder_ / name);
    }
    const auto found = look_after([this] {
        std::string problem = enter(CLONE_NEWNS);
        const auto mount = [&](const char* name, unsigned long flags, const char* options) {
            if (problem.empty() && ::mount("tmpfs", (folder_ / name).c_str(), "tmpfs", flags, options) != 0) {
                problem = "tmpfs cannot be mounted";
            }
        };
        mount("noexec", MS_NOEXEC, "size=1m");
        mount("read-only", MS_RDONLY, "size=1m");
        mount("full", 0, "size=64k");
        mount("few", 0, "nr_inodes=2,size=1m");
        test::write_text(folder_ / "full/filler", std::string(65536, 'x'));
        test::write_text(folder_ / "few/last", "");
        return problem;
    });
    SKIP_IF_NOT_POSSIBLE();
    const auto& noexec = path(found, folder_ / "noexec");
    EXPECT_TRUE(noexec.exists() && noexec.folder() && noexec.writable());
    EXPECT_FALSE(noexec.executable());
    EXPECT_EQ(noexec.file_system(), "tmpfs");
    EXPECT_EQ(noexec.total_bytes(), 1U << 20U);
    EXPECT_EQ(noexec.write_error(), 0);
    const auto& read_only = path(found, folder_ / "read-only");
    EXPECT_TRUE(read_only.read_only());
    EXPECT_FALSE(read_only.writable());
    const auto& full = path(found, folder_ / "full");
    EXPECT_EQ(full.free_bytes(), 0U);
    EXPECT_EQ(full.write_error(), ENOSPC);
    EXPECT_EQ(path(found, folder_ / "few").free_inodes(), 0U);
    EXPECT_EQ(path(found, folder_ / "few").write_error(), ENOSPC);
}

TEST_F(HostInspection, AFileServerThatDoesNotAnswerIsLate) {
    fs::create_directories(folder_ / "dead");
    request_.add_paths((folder_ / "dead/data").string());
    request_.add_paths(folder_.path());
    const auto found = look_after([this] {
        const std::string problem = enter(CLONE_NEWNS);
        return problem.empty() ? mount_dead_server(folder_ / "dead") : problem;
    });
    SKIP_IF_NOT_POSSIBLE();
    const auto& dead = path(found, folder_ / "dead/data");
    EXPECT_TRUE(dead.late());
    EXPECT_EQ(dead.file_system(), "fuse");
    EXPECT_FALSE(path(found, folder_.path()).late()) << "the others are seen";
    EXPECT_TRUE(is_unseen(found, "paths." + (folder_ / "dead/data").string()));
}

TEST_F(HostInspection, AHomeOnADeadServerHidesNothingElse) {
    const fs::path dead = folder_ / "dead";
    fs::create_directories(dead);
    request_.add_names("localhost");
    request_.set_venv("~/venv");
    request_.add_programs("python3");
    const auto found = look_after([&dead] {
        std::string problem = enter(CLONE_NEWNS);
        problem = problem.empty() ? mount_dead_server(dead) : problem;
        for (const auto& [name, folder] :
             {std::pair{"HOME", ""}, std::pair{"PATH", "/bin:/usr/sbin:/usr/bin"},
              std::pair{"LD_LIBRARY_PATH", "/lib"}}) {
            ::setenv(name, (dead.string() + folder).c_str(), 1);
        }
        return problem;
    });
    SKIP_IF_NOT_POSSIBLE();
    EXPECT_TRUE(path(found, dead.string()).late());
    ASSERT_EQ(found.programs_size(), 1);
    EXPECT_EQ(found.programs(0).error(), "late");
    ASSERT_EQ(found.names_size(), 2);
    EXPECT_GT(found.names(1).addresses_size(), 0) << found.names(1).error();
    EXPECT_GT(found.interfaces_size(), 0);
    EXPECT_FALSE(path(found, "/dev/shm").late());
}

TEST_F(HostInspection, LowLimits) {
    const auto found = look_after([] {
        for (const auto& [resource, value] :
             {std::pair{RLIMIT_NOFILE, 256UL}, std::pair{RLIMIT_MEMLOCK, 65536UL}}) {
            const rlimit limit{value, value * 2};
            if (::setrlimit(resource, &limit) != 0) {
                return std::string("the hard limits are lower");
            }
        }
        return std::string();
    });
    SKIP_IF_NOT_POSSIBLE();
    std::map<std::string, wire::Limit> limits;
    for (const auto& limit : found.limits()) {
        limits[limit.name()] = limit;
    }
    EXPECT_EQ(limits["nofile"].soft(), 256);
    EXPECT_EQ(limits["nofile"].hard(), 512);
    EXPECT_EQ(limits["memlock"].soft(), 65536);
    EXPECT_GE(limits["nproc"].used(), 1);
}

TEST_F(HostInspection, ALimitOfTheControlGroup) {
    std::string group;
    for (const char* top : {"/sys/fs/cgroup/pids", "/sys/fs/cgroup"}) {
        std::error_code error;
        const std::string own = std::string(top) + "/rankscope-test-" + std::to_string(::getpid());
        if (group.empty() && fs::create_directory(own, error)) {
            if (fs::exists(own + "/pids.max")) {
                group = own;
            } else {
                fs::remove(own, error);
            }
        }
    }
    if (group.empty()) {
        GTEST_SKIP() << "no control group can be made here";
    }
    const auto found = look_after([&group] {
        test::write_text(group + "/pids.max", "77");
        test::write_text(group + "/cgroup.procs", std::to_string(::getpid()));
        return std::string();
    });
    EXPECT_TRUE(test::wait_until([&group] { return ::rmdir(group.c_str()) == 0; }));
    const auto limit = std::find_if(found.limits().begin(), found.limits().end(),
                                    [](const auto& entry) { return entry.name() == "pids.max"; });
    ASSERT_NE(limit, found.limits().end());
    EXPECT_EQ(limit->soft(), 77);
    EXPECT_GE(limit->used(), 1);
    EXPECT_EQ(limit->source(), group);
}

TEST_F(HostInspection, NamesFromTheHostsFileOfTheNode) {
    test::write_text(folder_ / "hosts",
                     "127.0.0.1 localhost\n127.0.1.1 trap\n10.3.2.1 peer\n10.3.2.2 peer\n");
    request_.add_names("trap");
    request_.add_names("peer");
    for (const bool with_getent : {true, false}) {
        const auto found = look_after([&] {
            std::string problem = enter(CLONE_NEWNS);
            if (problem.empty() &&
                ::mount((folder_ / "hosts").c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr) != 0) {
                problem = "/etc/hosts cannot be covered";
            }
            const std::string getent = test::find_on_path("getent");
            if (problem.empty() && !with_getent && !getent.empty() &&
                ::mount("/dev/null", getent.c_str(), nullptr, MS_BIND, nullptr) != 0) {
                problem = "getent cannot be hidden";
            }
            return problem;
        });
        SKIP_IF_NOT_POSSIBLE();
        ASSERT_EQ(found.names_size(), 3);
        ASSERT_GT(found.names(1).addresses_size(), 0) << found.names(1).error();
        EXPECT_EQ(found.names(1).addresses(0), "127.0.1.1");
        ASSERT_EQ(found.names(2).addresses_size(), 2);
        EXPECT_EQ(found.names(2).addresses(0), "10.3.2.1");
        EXPECT_EQ(is_unseen(found, "names"), !with_getent);
    }
}

TEST_F(HostInspection, InterfacesAndRoutesOfANamespace) {
    if (test::find_on_path("ip").empty()) {
        GTEST_SKIP() << "no ip program to make interfaces with";
    }
    request_.add_peers("10.77.0.9");
    request_.add_peers("10.88.0.9");
    request_.add_peers("192.0.2.1");
    request_.add_peers("10.99.0.1");
    const auto found = look_after([] {
        std::string problem = enter(CLONE_NEWNET);
        for (const char* line :
             {"link set lo up", "link add left type veth peer name right", "link set left mtu 1400",
              "link set left address 02:00:00:00:00:07", "addr add 10.77.0.1/24 dev left", "link set left up",
              "link set right up", "link add docker0 type bridge",
              "route add 10.88.0.0/16 via 10.77.0.254 mtu 1300", "route add unreachable 10.99.0.0/16"}) {
            std::vector<std::string> argv{"sh", "-c", std::string("ip ") + line};
            problem = problem.empty() ? run(argv) : problem;
        }
        return problem;
    });
    SKIP_IF_NOT_POSSIBLE();
    std::map<std::string, wire::Interface> interfaces;
    for (const auto& interface : found.interfaces()) {
        interfaces[interface.name()] = interface;
    }
    EXPECT_EQ(interfaces["left"].kind(), "veth");
    EXPECT_EQ(interfaces["left"].mtu(), 1400U);
    EXPECT_EQ(interfaces["left"].mac(), "02:00:00:00:00:07");
    EXPECT_TRUE(interfaces["left"].up() && interfaces["left"].carrier());
    ASSERT_GT(interfaces["left"].addresses_size(), 0);
    EXPECT_EQ(interfaces["left"].addresses(0), "10.77.0.1");
    EXPECT_EQ(interfaces["left"].prefix_lengths(0), 24U);
    EXPECT_EQ(interfaces["docker0"].kind(), "bridge");
    EXPECT_FALSE(interfaces["docker0"].up() || interfaces["docker0"].carrier());
    ASSERT_EQ(found.routes_size(), 4);
    EXPECT_EQ(found.routes(0).interface(), "left");
    EXPECT_EQ(found.routes(0).source(), "10.77.0.1");
    EXPECT_EQ(found.routes(0).gateway(), "");
    EXPECT_EQ(found.routes(1).gateway(), "10.77.0.254");
    EXPECT_EQ(found.routes(1).mtu(), 1300U);
    EXPECT_EQ(found.routes(2).error(), ENETUNREACH);
    EXPECT_EQ(found.routes(3).error(), EHOSTUNREACH);
}

class Listener {
public:
    Listener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        if (::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
            ::listen(fd_.get(), 1) == 0 &&
            ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &length) == 0) {
            port_ = ntohs(address.sin_port);
        }
    }
    std::uint16_t port() const { return port_; }

private:
    UniqueFd fd_;
    std::uint16_t port_ = 0;
};

TEST_F(HostInspection, WhoHoldsAPort) {
    std::uint16_t port = 0;
    {
        const Listener listener;
        port = listener.port();
        request_.add_ports(port);
        const auto found = look();
        ASSERT_EQ(found.ports_size(), 1);
        EXPECT_TRUE(found.ports(0).held());
        EXPECT_EQ(found.ports(0).pid(), ::getpid());
        EXPECT_TRUE(found.ports(0).own());
        EXPECT_FALSE(found.ports(0).live());
        EXPECT_FALSE(found.ports(0).command().empty());
        const auto by_another = look_after(
            [] { return std::string(::getuid() == 0 && ::setuid(65534) == 0 ? "" : "needs root"); });
        if (skipped_.empty()) {
            ASSERT_EQ(by_another.ports_size(), 1);
            EXPECT_TRUE(by_another.ports(0).held());
            EXPECT_EQ(by_another.ports(0).pid(), 0) << "another user's descriptors are not readable";
            EXPECT_EQ(by_another.ports(0).user(), "root");
            EXPECT_FALSE(by_another.ports(0).own());
        }
    }
    EXPECT_FALSE(look().ports(0).held());
}

}  // namespace
}  // namespace rankscope::agent
