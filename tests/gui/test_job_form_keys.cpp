// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Every key of a job file can be edited in the form.

#include <gui/launch/job_form.h>
#include <gui/launch/key_rows.h>
#include <remote/desk/jobs/config/job_launcher.h>

#include <tests/gui/gui_test.h>

#include <QComboBox>
#include <QCoreApplication>
#include <QLineEdit>
#include <QRegularExpression>
#include <QToolButton>
#include <map>

namespace rankscope::gui::testing {
namespace {

/// Keys whose field has another name.
const std::map<std::string, std::string> kFields{
    {"train", "kind"},          {"train.model.name", "model"},        {"conda", "venv"},
    {"environment.uv", "venv"}, {"environment.requirements", "venv"}, {"train.bucket_mb", "ddp.bucket_mb"},
    {"slurm.login", "nodes"}};

/// A job for which the key means something.
Job job_for(const config::KeyInfo& info) {
    Job job;
    job.name = "x";
    if ((info.applies & config::kNamedNodes) == 0 || *info.launcher != '\0') {
        for (const JobLauncher& launcher : job_launchers()) {
            if (is_for_launcher(info, launcher)) {
                choose_launcher(job, launcher.name);
            }
        }
    }
    job.checkpoint_signal = "USR1";  // checkpoint.wait_s is about it
    if ((info.applies & config::kNative) == 0) {
        job.command = {"true"};
        return job;
    }
    job.train = nlohmann::json{{"model", "convnet"}, {"dataset", "mnist"}};
    if (*info.when_key != '\0') {
        const std::string path = form_key(info.when_key);
        (*job.train)[path.substr(0, path.find('.'))] = nlohmann::json{{"name", info.when.front()}};
    }
    return job;
}

TEST(JobFormKeys, EveryKeyOfTheTableHasAFieldThatCanBeReached) {
    JobForm form;
    form.show();
    form.findChild<QToolButton*>(u"launchMore"_s)->setChecked(true);
    for (const config::KeyInfo& info : all_job_keys()) {
        const auto other = kFields.find(info.path);
        const std::string field = other == kFields.end() ? form_key(info.path) : other->second;
        EXPECT_TRUE(form.has_field(field)) << info.path;
        form.set_job(job_for(info));
        if (const auto* editor = form.findChild<QWidget*>(u"launch."_s + qs(info.path))) {
            EXPECT_TRUE(editor->isVisibleTo(&form)) << info.path;
            EXPECT_FALSE(editor->accessibleName().isEmpty()) << info.path;
            EXPECT_NE(editor->focusPolicy(), Qt::NoFocus) << info.path;
        }
    }
}

TEST(JobFormKeys, WrongValuesNameTheirField) {
    JobForm form;
    Job job;
    job.name = "own";
    job.nodes = {"local"};
    job.command = {"python3", "train.py"};
    job.checkpoint_signal = "USR1";
    form.set_job(job);
    const std::map<std::string, QString> wrong{{"push", u"'train.py"_s},
                                               {"telemetry.every_s", u"often"_s},
                                               {"on_failure.peer_timeout_s", u"-1"_s},
                                               {"on_failure.max_restarts", u"2.5"_s},
                                               {"checkpoint.wait_s", u"x"_s}};
    for (const auto& [key, text] : wrong) {
        child<QLineEdit>(&form, ss(u"launch."_s + qs(key)).c_str())->setText(text);
    }
    const auto errors = form.checked().errors;
    for (const auto& [key, text] : wrong) {
        ASSERT_TRUE(errors.contains(key)) << key;
        EXPECT_FALSE(errors.at(key).isEmpty()) << key;
    }
    EXPECT_EQ(errors.size(), wrong.size());
}

TEST(JobFormKeys, AValueThatTheLauncherRefusesCanBeRemoved) {
    JobForm form;
    form.show();
    Job job;
    job.name = "own";
    job.command = {"true"};
    choose_launcher(job, "slurm");
    form.set_job(job);
    auto* restarts = child<QLineEdit>(&form, "launch.on_failure.max_restarts");
    EXPECT_FALSE(restarts->isVisibleTo(&form));
    job.max_restarts = 2;
    form.set_job(job);
    EXPECT_TRUE(restarts->isVisibleTo(&form));
    EXPECT_TRUE(form.checked().errors.contains("on_failure.max_restarts"));
    restarts->clear();
    EXPECT_FALSE(form.checked().errors.contains("on_failure.max_restarts"));
    EXPECT_EQ(form.checked().job.max_restarts, 0);
}

TEST(JobFormKeys, FieldsHaveTheirHeightAfterAJobOfAnotherKind) {
    JobForm form;
    form.resize(460, 900);
    form.show();
    Job own;
    own.name = "own";
    own.command = {"true"};
    Job engine;
    engine.name = "engine";
    engine.train =
        nlohmann::json{{"model", "resnet18"},
                       {"dataset", "cifar10"},
                       {"optimizer", {{"name", "sgd"}, {"lr", 0.1}, {"momentum", 0.9}}},
                       {"schedule", {{"name", "cos"}, {"warmup", {{"epochs", 5}, {"factor", 0.1}}}}}};
    for (const Job& job : {own, engine, own, engine}) {
        form.set_job(job);
        form.show_advice(job.train ? 4 : 0);
        QCoreApplication::processEvents();
        for (const QWidget* field : form.findChildren<QWidget*>(QRegularExpression(u"^launch[.]"_s))) {
            const bool editor =
                qobject_cast<const QLineEdit*>(field) || qobject_cast<const QComboBox*>(field);
            if (editor && field->isVisible()) {
                EXPECT_GE(field->height(), field->minimumSizeHint().height())
                    << ss(field->objectName()) << ", " << job.name;
            }
        }
    }
}

}  // namespace
}  // namespace rankscope::gui::testing
