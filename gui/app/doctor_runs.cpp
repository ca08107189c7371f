// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/doctor_runs.h>
#include <gui/app/main_window.h>
#include <gui/doctor/doctor_page.h>
#include <gui/launch/launch_page.h>
#include <gui/live/live_page.h>
#include <gui/strings.h>

#include <algorithm>
#include <utility>

namespace rankscope::gui {

DoctorRun doctor_run(const LiveModel& run, const RunSessions& sessions) {
    const auto live = sessions.live();
    const bool in_progress = std::any_of(live.begin(), live.end(),
                                         [&run](const RunSession* each) { return each->model() == &run; });
    std::vector<Verdict> verdicts(run.data().diagnoses.begin(), run.data().diagnoses.end());
    if (!run.state().end) {
        for (const Verdict* verdict : run.data().verdicts.holding()) {
            verdicts.push_back(*verdict);
        }
    }
    return {.run_id = run.state().run_id,
            .name = qs(run.state().name),
            .job_yaml = run.data().job_yaml,
            .plan = run.state().plan,
            .in_progress = in_progress,
            .verdicts = std::move(verdicts)};
}

std::vector<DoctorRun> doctor_runs(const RunSessions& sessions, const LiveModel* on_view) {
    std::vector<DoctorRun> runs;
    const auto add = [&](const LiveModel* model) {
        const bool known = model == nullptr || model->empty() ||
                           std::any_of(runs.begin(), runs.end(), [model](const DoctorRun& run) {
                               return run.run_id == model->state().run_id;
                           });
        if (!known) {
            runs.push_back(doctor_run(*model, sessions));
        }
    };
    for (const auto& session : sessions.all()) {
        add(session->model());
    }
    add(on_view);
    return runs;
}

void connect_doctor(MainWindow* window) {
    DoctorPage* doctor = window->doctor_page();
    LivePage* live = window->live_page();
    LaunchPage* launch = window->launch_page();
    doctor->set_job_source([launch]() -> JobInHand {
        return {launch->job(), launch->job_title(), launch->chosen_nodes(), launch->state().check_reason()};
    });
    QObject::connect(launch, &LaunchPage::jobChanged, doctor, &DoctorPage::job_changed);
    doctor->set_job_editor(
        [launch](const std::map<std::string, std::string>& keys) { return launch->set_job_keys(keys); });
    QObject::connect(doctor, &DoctorPage::startRequested, launch, &LaunchPage::start_or_show_why);
    QObject::connect(doctor, &DoctorPage::jobFileChosen, launch, &LaunchPage::open_job);
    // What is wrong with a value is shown at its field.
    const auto again = [window, launch](const DoctorRun& run, const std::map<std::string, std::string>& keys,
                                        bool start) {
        launch->set_job_again(run.name, run.job_yaml, run.run_id);
        window->show_page(MainWindow::Page::Launch);
        (void)launch->set_job_keys(keys);
        if (start) {
            launch->start_when_ready();
        }
    };
    const auto shown = [window, live] { return doctor_run(*live->shown(), *window->workspace()->runs()); };
    doctor->set_runs([window, live] { return doctor_runs(*window->workspace()->runs(), live->shown()); });
    QObject::connect(live, &LivePage::doctorRequested, window, [window, doctor, shown] {
        doctor->show_run(shown());
        window->show_page(MainWindow::Page::Doctor);
    });
    QObject::connect(doctor, &DoctorPage::runJobRequested, window, again);
    QObject::connect(
        live, &LivePage::startRequested, window,
        [again, shown](const std::map<std::string, std::string>& keys) { again(shown(), keys, true); });
}

}  // namespace rankscope::gui
