// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Device, backend and precision in Launch: what the chosen nodes offer, and why not the rest.

#include <gui/launch/job_form.h>
#include <gui/models/fleet_model.h>
#include <gui/strings.h>

#include <gtest/gtest.h>

#include <QComboBox>
#include <QListWidget>
#include <QTest>

namespace rankscope::gui::testing {
namespace {

NodeSpec spec(const std::string& name) {
    NodeSpec node;
    node.name = name;
    node.host = name;
    return node;
}

NodeFacts facts(int gpus, int compute) {
    NodeFacts facts;
    for (int i = 0; i < gpus; ++i) {
        facts.gpus.push_back({i, "GPU", 16ULL << 30U});
        facts.sample["gpu." + std::to_string(i) + ".compute"] = compute;
    }
    return facts;
}

class LaunchOffers : public ::testing::Test {
protected:
    void SetUp() override {
        fleet_.set_nodes({spec("new"), spec("old"), spec("plain")});
        fleet_.set_ready("new", facts(2, 90));
        fleet_.set_ready("old", facts(1, 70));
        fleet_.set_ready("plain", facts(0, 0));
        Job job;
        job.nodes = {"new"};
        job.train = nlohmann::json{{"model", "convnet"}, {"dataset", "mnist"}};
        form_.set_job(job);
        form_.set_fleet(fleet_);
        form_.show();
    }
    QComboBox* box(const char* name) { return form_.findChild<QComboBox*>(QString::fromLatin1(name)); }
    QComboBox* device() { return box("launch.train.device"); }
    QComboBox* precision() { return box("launch.train.precision"); }
    QComboBox* backend() { return box("launch.backend"); }
    static bool offered(const QComboBox* box, const char* value) {
        const int row = box->findData(QString::fromLatin1(value));
        return row >= 0 && (box->model()->flags(box->model()->index(row, 0)) & Qt::ItemIsEnabled) != 0;
    }
    static QString shown(const QComboBox* box, const char* value) {
        return box->itemText(box->findData(QString::fromLatin1(value)));
    }
    void tick(const QString& node, bool on) {
        auto* list = form_.findChild<QListWidget*>(u"launchNodes"_s);
        for (int row = 0; row < list->count(); ++row) {
            if (list->item(row)->data(Qt::UserRole).toString() == node) {
                list->item(row)->setCheckState(on ? Qt::Checked : Qt::Unchecked);
            }
        }
    }

    FleetModel fleet_;
    JobForm form_{nullptr, EngineParts{.cuda = true}};
};

TEST_F(LaunchOffers, TheGpusOfTheChosenNodesAreTheDefault) {
    ASSERT_NE(device(), nullptr);
    EXPECT_TRUE(device()->isVisibleTo(&form_)) << "not folded away";
    EXPECT_TRUE(precision()->isVisibleTo(&form_));
    EXPECT_TRUE(backend()->isVisibleTo(&form_));
    EXPECT_TRUE(device()->currentText().contains(u"(GPU)"_s)) << qPrintable(device()->currentText());
    EXPECT_TRUE(backend()->currentText().contains(u"nccl"_s)) << qPrintable(backend()->currentText());
    for (const char* value : {"fp32", "tf32", "bf16", "fp16"}) {
        EXPECT_TRUE(offered(precision(), value)) << value;
    }

    tick(u"plain"_s, true);
    EXPECT_TRUE(device()->currentText().contains(u"(CPU)"_s)) << qPrintable(device()->currentText());
    EXPECT_FALSE(offered(device(), "cuda"));
    EXPECT_EQ(shown(device(), "cuda"), u"GPU: plain has no GPU"_s);
    EXPECT_FALSE(offered(backend(), "nccl"));
    EXPECT_FALSE(offered(precision(), "fp16")) << "of GPUs alone";
    tick(u"plain"_s, false);
    EXPECT_TRUE(offered(device(), "cuda"));
    EXPECT_EQ(shown(device(), "cuda"), u"GPU"_s);
}

TEST_F(LaunchOffers, PrecisionsThatAGpuLacksNameIt) {
    tick(u"old"_s, true);
    EXPECT_FALSE(offered(precision(), "bf16"));
    EXPECT_TRUE(shown(precision(), "bf16").contains(u"GPU 0 of old has compute capability 7.0"_s));
    EXPECT_TRUE(offered(precision(), "fp16"));
    EXPECT_TRUE(offered(precision(), "fp32"));
    // The keys pass over what cannot be chosen.
    precision()->setCurrentIndex(precision()->findData(u"fp32"_s));
    precision()->setFocus();
    QTest::keyClick(precision(), Qt::Key_Down);
    EXPECT_EQ(precision()->currentData().toString(), u"fp16"_s);
    EXPECT_EQ((*form_.checked().job.train)["precision"], "fp16");
}

TEST_F(LaunchOffers, TheDeviceDecidesWhatElseFits) {
    device()->setCurrentIndex(device()->findData(u"cpu"_s));
    EXPECT_EQ((*form_.checked().job.train)["device"], "cpu");
    EXPECT_FALSE(offered(backend(), "nccl"));
    EXPECT_FALSE(offered(precision(), "fp16"));
    device()->setCurrentIndex(device()->findData(u"cuda"_s));
    EXPECT_FALSE(offered(backend(), "gloo"));
    EXPECT_TRUE(offered(precision(), "fp16"));
}

TEST_F(LaunchOffers, AnEngineWithoutCudaOffersNoGpu) {
    JobForm form(nullptr, EngineParts{.cuda = false});
    Job job;
    job.nodes = {"new"};
    job.train = nlohmann::json{{"model", "convnet"}, {"dataset", "mnist"}};
    form.set_job(job);
    form.set_fleet(fleet_);
    const auto* box = form.findChild<QComboBox*>(u"launch.train.device"_s);
    EXPECT_FALSE(offered(box, "cuda"));
    EXPECT_TRUE(shown(box, "cuda").contains(u"no CUDA engine"_s));
}

}  // namespace
}  // namespace rankscope::gui::testing
