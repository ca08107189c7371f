// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/on_thread.h>
#include <gui/prompts/host_key_dialog.h>
#include <gui/prompts/secret_dialog.h>
#include <gui/session/prompter_bridge.h>

#include <QApplication>
#include <QMetaObject>
#include <QWidget>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kGatherMs = 150;

}  // namespace

PrompterBridge::PrompterBridge(QWidget* window) : QObject(window), window_(window) {
    shared_->bridge = this;
    gather_.setSingleShot(true);
    connect(&gather_, &QTimer::timeout, this, &PrompterBridge::show_next);
}

PrompterBridge::~PrompterBridge() {
    shut_down();
}

Prompter PrompterBridge::prompter() const {
    return {
        .accept_host_key =
            [shared = shared_](const HostKeyQuestion& question) { return ask_host_key(shared, question); },
        .secret = [shared =
                       shared_](const SecretQuestion& question) { return ask_secret(shared, question); }};
}

bool PrompterBridge::ask_host_key(const std::shared_ptr<Shared>& shared, const HostKeyQuestion& question) {
    auto pending = std::make_shared<PendingKey>();
    pending->question = question;
    std::future<bool> answer = pending->answer.get_future();
    {
        const std::lock_guard lock(shared->mutex);
        if (!shared->bridge) {
            return false;
        }
        shared->keys.push_back(pending);
        QMetaObject::invokeMethod(shared->bridge, &PrompterBridge::question_arrived, Qt::QueuedConnection);
    }
    return answer.get();
}

std::optional<std::string> PrompterBridge::ask_secret(const std::shared_ptr<Shared>& shared,
                                                      const SecretQuestion& question) {
    auto pending = std::make_shared<PendingSecret>();
    pending->question = question;
    std::future<std::optional<std::string>> answer = pending->answer.get_future();
    {
        const std::lock_guard lock(shared->mutex);
        if (!shared->bridge) {
            return std::nullopt;
        }
        shared->secrets.push_back(pending);
        QMetaObject::invokeMethod(shared->bridge, &PrompterBridge::question_arrived, Qt::QueuedConnection);
    }
    return answer.get();
}

void PrompterBridge::question_arrived() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (key_dialog_) {
        add_host_keys();
    } else if (!secret_dialog_ && !gather_.isActive()) {
        gather_.start(kGatherMs);
    }
}

void PrompterBridge::show_next() {
    if (key_dialog_ || secret_dialog_) {
        return;
    }
    std::shared_ptr<PendingSecret> secret;
    {
        const std::lock_guard lock(shared_->mutex);
        if (shared_->keys.empty()) {
            if (shared_->secrets.empty()) {
                return;
            }
            secret = shared_->secrets.front();
            shared_->secrets.pop_front();
        }
    }
    if (secret) {
        show_secret(std::move(secret));
        return;
    }
    key_dialog_ = new HostKeyDialog(asker());
    connect(key_dialog_, &QDialog::finished, this, &PrompterBridge::host_keys_answered);
    // With the dialog that it is over, without an answer.
    connect(key_dialog_, &QObject::destroyed, this, [this, gone = key_dialog_.data()] {
        if (!shown_keys_.empty() && (!key_dialog_ || key_dialog_ == gone)) {
            key_dialog_ = nullptr;
            host_keys_answered(QDialog::Rejected);
        }
    });
    add_host_keys();
    show_in_front(key_dialog_);
}

QWidget* PrompterBridge::asker() const {
    QWidget* modal = QApplication::activeModalWidget();
    for (const QWidget* at = modal; at; at = at->parentWidget()) {
        if (at == window_) {
            return modal;
        }
    }
    return modal && modal->windowModality() == Qt::ApplicationModal ? modal : window_;
}

void PrompterBridge::show_in_front(QDialog* dialog) {
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
    dialog->raise();
    dialog->activateWindow();
}

void PrompterBridge::add_host_keys() {
    std::deque<std::shared_ptr<PendingKey>> fresh;
    {
        const std::lock_guard lock(shared_->mutex);
        fresh.swap(shared_->keys);
    }
    for (auto& pending : fresh) {
        key_dialog_->add(pending->question);
        shown_keys_.push_back(std::move(pending));
    }
}

void PrompterBridge::host_keys_answered(int result) {
    const auto shown = std::exchange(shown_keys_, {});
    for (std::size_t i = 0; i < shown.size(); ++i) {
        shown[i]->answer.set_value(result == QDialog::Accepted && key_dialog_ &&
                                   key_dialog_->accepted_at(int(i)));
    }
    key_dialog_ = nullptr;
    // The nodes that were just trusted ask for their passwords in a moment, all after one another.
    gather_.start(kGatherMs);
}

void PrompterBridge::show_secret(std::shared_ptr<PendingSecret> secret) {
    shown_secret_ = std::move(secret);
    secret_dialog_ = new SecretDialog(shown_secret_->question, asker());
    connect(secret_dialog_, &QDialog::finished, this, &PrompterBridge::secret_answered);
    connect(secret_dialog_, &QObject::destroyed, this, [this, gone = secret_dialog_.data()] {
        if (shown_secret_ && (!secret_dialog_ || secret_dialog_ == gone)) {
            secret_dialog_ = nullptr;
            secret_answered(QDialog::Rejected);
        }
    });
    show_in_front(secret_dialog_);
}

void PrompterBridge::secret_answered(int result) {
    const auto shown = std::exchange(shown_secret_, nullptr);
    if (shown) {
        std::optional<std::string> answer;
        if (result == QDialog::Accepted && secret_dialog_) {
            answer = secret_dialog_->take_secret();
        }
        shown->answer.set_value(std::move(answer));
    }
    secret_dialog_ = nullptr;
    gather_.start(kGatherMs);
}

void PrompterBridge::shut_down() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    std::deque<std::shared_ptr<PendingKey>> keys;
    std::deque<std::shared_ptr<PendingSecret>> secrets;
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->bridge = nullptr;
        keys.swap(shared_->keys);
        secrets.swap(shared_->secrets);
    }
    gather_.stop();
    for (auto& pending : std::exchange(shown_keys_, {})) {
        keys.push_back(std::move(pending));
    }
    if (shown_secret_) {
        secrets.push_back(std::exchange(shown_secret_, nullptr));
    }
    for (const auto& pending : keys) {
        pending->answer.set_value(false);
    }
    for (const auto& pending : secrets) {
        pending->answer.set_value(std::nullopt);
    }
    for (QDialog* dialog :
         {static_cast<QDialog*>(key_dialog_.data()), static_cast<QDialog*>(secret_dialog_.data())}) {
        if (dialog) {
            dialog->disconnect(this);
            dialog->done(QDialog::Rejected);  // close() would wait for the dialog's delay
        }
    }
}

}  // namespace rankscope::gui
