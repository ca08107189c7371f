#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Host keys and passwords that the user is asked for: many at once, answered late, or without a terminal."""
import tempfile
from pathlib import Path

import support
from support import wait_until
from test_ssh import Ssh


class Questions(Ssh):
    """Host keys and passwords: asked once, in time or late, or not at all without a terminal."""

    NODES = 4

    def fresh_home(self) -> dict:
        """The environment of a user who has never used ssh: no ~/.ssh, no keys."""
        home = Path(tempfile.mkdtemp(prefix="fresh-", dir=self.cluster.dir))
        return {"HOME": str(home), "SSH_AUTH_SOCK": ""}

    def with_password(self, number: int, **values) -> dict:
        return {"name": f"n{number}", "host": self.cluster.node(number).address, "user": "trainer", **values}

    def once_the_server_has_hung_up(self, answer: str):
        def wait() -> str:
            wait_until(lambda: self.cluster.run(["ss", "-Htn", "state", "close-wait"]).stdout.strip(), 60, "sshd closes the connection")
            return answer
        return wait

    def test_a_fresh_user_trusts_four_hosts_at_once(self):
        inventory = self.inventory(*[self.direct(number) for number in range(1, 5)])
        for _ in range(5):
            folder = Path(self.fresh_home()["HOME"]) / ".ssh"  # the folder that ssh and Rankscope would create
            self.add_config(f"Host *\n  UserKnownHostsFile {folder}/known_hosts\n")
            # A machine that answers after the others, on a busy computer, has a question of its own.
            code, said = self.at_terminal(["--cluster", inventory, "probe"], {"those to trust": "yes", "Trust it from now on": "yes"})
            self.assertEqual(code, 0, said)
            known = folder / "known_hosts"
            self.assertEqual(len(known.read_text(encoding="utf-8").splitlines()), 4, said)
            self.assertEqual((known.stat().st_mode & 0o777, folder.stat().st_mode & 0o777), (0o600, 0o700))

    def test_a_host_key_answered_late(self):
        self.sshd(1, "LoginGraceTime 1")
        for transport in ("libssh", "openssh"):
            with self.subTest(transport=transport):
                self.cluster.known_hosts.write_text("", encoding="utf-8")
                inventory = self.inventory(self.direct(transport=transport))
                code, said = self.at_terminal(["--cluster", inventory, "probe"],
                                              {"[yes/no]": self.once_the_server_has_hung_up("yes")})
                self.assertEqual(code, 0, said)
                self.assertEqual(said.count("[yes/no]"), 1, said)

    def test_a_password_typed_late(self):
        self.sshd(1, "LoginGraceTime 1")
        self.authorize(1, "")
        for transport in ("libssh", "openssh"):
            with self.subTest(transport=transport):
                inventory = self.inventory(self.with_password(1, transport=transport))
                code, said = self.at_terminal(["--cluster", inventory, "probe"],
                                              {"password of": self.once_the_server_has_hung_up(self.cluster.password)})
                self.assertEqual(code, 0, said)
                self.assertEqual(said.count("password of"), 1, said)

    def test_without_a_terminal_a_password_fails_at_once(self):
        self.authorize(1, "")
        # In the background of a terminal a question would stop the program.
        background = Path(self.cluster.dir) / "background"
        background.write_text('#!/bin/sh\ntimeout 60 "$@"\nexit $?\n', encoding="utf-8")
        background.chmod(0o755)
        for transport in ("libssh", "openssh"):
            with self.subTest(transport=transport):
                node = self.with_password(1, transport=transport)
                entry = self.refused(node, timeout=30 * support.SLOW)
                self.assertIn("keys install n1", entry["remedy"])
                code, said = self.at_terminal(["--cluster", self.inventory(node), "probe"], {}, under=str(background))
                self.assertEqual(code, 4, said)
                self.assertNotIn("password of", said)

    def test_without_a_key_and_a_terminal_the_password_is_named(self):
        environment = self.fresh_home()
        entry = self.refused(self.with_password(1, transport="libssh"), flags=("--accept-new-host-keys",), env=environment)
        self.assertEqual(entry["id"], "ssh-password-needed", entry)
        self.assertIn("no terminal", entry["what"])
        self.assertIn("keys install n1", entry["remedy"])
        self.sshd(1, "PasswordAuthentication no", "KbdInteractiveAuthentication no")
        entry = self.refused(self.with_password(1, transport="libssh"), env=environment)
        self.assertIn("no key to offer", entry["what"])
        self.assertNotIn("allows: .", entry["what"])

    def test_a_server_that_closes_during_the_login(self):
        self.sshd(1, "MaxAuthTries 1")
        for name in ("id_rsa", "id_ecdsa", "id_ed25519"):
            self.keygen(name)
        self.authorize(1, "")
        for transport in ("libssh", "openssh"):
            with self.subTest(transport=transport):
                entry = self.refused(self.with_password(1, transport=transport))
                self.assertNotIn("allows: .", entry["what"])


if __name__ == "__main__":
    support.main()
