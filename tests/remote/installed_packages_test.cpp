// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/temporary_folder.h"

#include <remote/agent/environment/installed_packages.h>

#include <gtest/gtest.h>

#include <string>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using test::write_text;

void install(const fs::path& environment, const std::string& name, const std::string& record) {
    const fs::path info = environment / "lib/python3.11/site-packages" / (name + ".dist-info");
    fs::create_directories(info);
    write_text(info / "RECORD", record);
}

TEST(InstalledPackages, AreEqualWhateverToolInstalledThem) {
    const TemporaryFolder by_pip;
    const TemporaryFolder by_uv;
    install(by_pip.path(), "alpha-1.0",
            "../../../bin/alpha,sha256=aaaa,10\nalpha.py,sha256=bbbb,5\nalpha-1.0.dist-info/"
            "INSTALLER,sha256=cc,4\n"
            "__pycache__/alpha.cpython-311.pyc,,\n");
    install(by_pip.path(), "pip-23.0", "pip/x.py,sha256=dddd,5\n");
    install(by_uv.path(), "alpha-1.0",
            "alpha.py,sha256=bbbb,5\r\nalpha-1.0.dist-info/INSTALLER,sha256=ee,2\r\n");
    const auto pip = installed_packages(by_pip.path(), "alpha==1.0");
    const auto uv = installed_packages(by_uv.path(), "alpha==1.0");
    EXPECT_EQ(pip.count, 1U);
    EXPECT_EQ(pip.content, uv.content);
    EXPECT_EQ(installed_packages(by_pip.path(), "alpha==1.0\npip==23.0").count, 2U);
}

TEST(InstalledPackages, DifferWhereAFileOrAVersionDiffers) {
    const TemporaryFolder one;
    const TemporaryFolder other;
    const TemporaryFolder newer;
    install(one.path(), "alpha-1.0", "alpha.py,sha256=bbbb,5\n");
    install(other.path(), "alpha-1.0", "alpha.py,sha256=cccc,5\n");
    install(newer.path(), "alpha-1.1", "alpha.py,sha256=bbbb,5\n");
    const auto content = installed_packages(one.path(), "").content;
    EXPECT_NE(content, installed_packages(other.path(), "").content);
    EXPECT_NE(content, installed_packages(newer.path(), "").content);
    EXPECT_EQ(installed_packages("/no/such/folder", "").count, 0U);
}

}  // namespace
}  // namespace rankscope::agent
