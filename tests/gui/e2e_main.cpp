// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// main() of the tests that drive the window at the desk of a virtual cluster (tests/cluster/vcluster.py).

#include <gui/app/resources.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <gtest/gtest.h>

#include <QApplication>
#include <cstdio>

namespace {

constexpr int kSkip = 77;

}  // namespace

int main(int argc, char** argv) {
    using namespace rankscope::gui;
    if (qEnvironmentVariableIsEmpty("RANKSCOPE_TEST_CLUSTER")) {
        std::printf("skipped: RANKSCOPE_TEST_CLUSTER is not set; run this with tests/cluster/vcluster.py\n");
        return kSkip;
    }
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    testing::InitGoogleTest(&argc, argv);
    QApplication app(argc, argv);
    QApplication::setOrganizationName(u"rankscope-test"_s);
    load_resources();
    apply_theme(app, ThemeChoice::Light, false);
    return RUN_ALL_TESTS();
}
