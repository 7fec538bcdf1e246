"""Against a real daemon: its workspace is SURETY_TEST_DIRECTORY."""

import asyncio
import json
import os
import tempfile
import threading
import unittest

from surety import Denied, Failed, Fault, Held, InDoubt, InFlight, Surety, Unknown, Unreachable

DIRECTORY = os.environ["SURETY_TEST_DIRECTORY"]
SIGNED = "The wind is from the west. -- ada"


class Guarded(unittest.TestCase):
    def setUp(self):
        self.gate = Surety(directory=DIRECTORY, agent="ada")
        self.addCleanup(self.gate.close)
        self.runs = []

    def name(self):
        """Names are idempotency keys, so each test has its own."""
        return self.id().rsplit(".", 1)[-1].replace("_", "-")

    def writer(self, wait=None):
        @self.gate.guard("note.write", wait=wait)
        def write_note(name, text):
            self.runs.append(name)
            return {"written": name, "characters": len(text)}

        return write_note

    def test_runs_once_and_gives_the_recorded_value_again(self):
        write = self.writer()
        first = write(self.name(), text=SIGNED)
        self.assertEqual(first, {"written": self.name(), "characters": len(SIGNED)})
        self.assertEqual(write(name=self.name(), text=SIGNED), first)
        self.assertEqual(len(self.runs), 1)

    def test_fifty_at_once_run_once(self):
        write = self.writer(wait=30)
        values = []
        work = lambda: values.append(write(self.name(), SIGNED))  # noqa: E731
        threads = [threading.Thread(target=work) for _ in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(values), 50)
        self.assertEqual(len(self.runs), 1)

    def test_denied_with_a_remedy(self):
        with self.assertRaises(Denied) as caught:
            self.writer()(self.name(), "unsigned")
        refused = caught.exception
        self.assertEqual(refused.code, "PROPOSAL_DENIED")
        self.assertEqual(refused.remedy, 'End the text with "-- ada" and call it again.')
        self.assertEqual(refused.details["rule"], "note.write/signed")
        self.assertEqual(self.gate.explain(refused.details["proposal"])["decision"], "deny")
        with self.assertRaises(Denied):
            self.writer()(self.name(), float("nan"))
        self.assertEqual(self.runs, [])

    def test_other_arguments_under_the_same_key_are_denied(self):
        self.writer()(self.name(), SIGNED)
        with self.assertRaises(Denied) as caught:
            self.writer()(self.name(), "More. -- ada")
        self.assertEqual(caught.exception.code, "PROPOSAL_KEY_REUSED")

    def test_held_until_a_person_approves(self):
        write = self.writer()
        with self.assertRaises(Held) as caught:
            write("big-" + self.name(), SIGNED)
        details = caught.exception.details
        owner = Surety(directory=DIRECTORY)
        path = "/v1/approvals/%s/approve" % details["approval"]
        owner._call("POST", path, {"argumentsHash": details["argumentsHash"], "reason": "seen"})
        self.assertEqual(write("big-" + self.name(), SIGNED)["characters"], len(SIGNED))

    def test_failures_and_doubts_are_told_apart(self):
        errors = {"fails": ValueError("no paper"), "doubts": InDoubt("no answer"), "late": TimeoutError()}

        @self.gate.guard("note.write")
        def write_note(name, text):
            raise errors[name]

        with self.assertRaises(Failed) as caught:
            write_note("fails", SIGNED)
        self.assertEqual(caught.exception.details["code"], "ValueError")
        self.assertIs(caught.exception.__cause__, errors["fails"])
        for name in ("doubts", "late"):
            with self.assertRaises(Unknown):
                write_note(name, SIGNED)
            # Never again by itself.
            with self.assertRaises(Unknown):
                self.writer()(name, SIGNED)
        self.assertEqual(self.runs, [])

    def test_async_functions(self):
        @self.gate.guard("note.write")
        async def write_note(name, text):
            await asyncio.sleep(0)
            self.runs.append(name)
            return (name, None)

        async def twice():
            return [await write_note(self.name(), SIGNED), await write_note(self.name(), SIGNED)]

        self.assertEqual(asyncio.run(twice()), [[self.name(), None]] * 2)
        self.assertEqual(len(self.runs), 1)

    def test_whoever_leaves_in_the_middle_leaves_a_doubt(self):
        @self.gate.guard("note.write")
        def write_note(name, text):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            write_note(self.name(), SIGNED)
        with self.assertRaises(Unknown):
            self.writer()(self.name(), SIGNED)
        self.assertEqual(self.runs, [])

    def test_a_cancelled_task_leaves_a_doubt(self):
        @self.gate.guard("note.write")
        async def write_note(name, text):
            await asyncio.sleep(60)

        async def give_up():
            task = asyncio.ensure_future(write_note(self.name(), SIGNED))
            await asyncio.sleep(0.5)
            task.cancel()
            await task

        with self.assertRaises(asyncio.CancelledError):
            asyncio.run(give_up())
        self.gate.close()
        with self.assertRaises(Unknown):
            self.writer()(self.name(), SIGNED)

    def test_a_value_that_cannot_be_recorded_is_in_doubt(self):
        @self.gate.guard("note.write")
        def write_note(name, text):
            return object()

        with self.assertRaises(Unknown):
            write_note(self.name(), SIGNED)

    def test_propose_has_the_daemon_execute_it(self):
        value = self.gate.propose("text.length", {"text": "abc"}, key=self.name(), wait=5)
        self.assertEqual(value, {"length": 3})

    def test_on_fault_answers_in_its_place(self):
        @self.gate.guard("note.write", on_fault=lambda refused: refused.report())
        def write_note(name, text):
            return "written"

        self.assertEqual(write_note(self.name(), "unsigned")["code"], "PROPOSAL_DENIED")

    def test_only_grants_of_the_agent_that_it_was_told(self):
        with open(os.path.join(self.gate._state, "daemon.json"), encoding="utf-8") as file:
            address = "http://127.0.0.1:%d" % json.load(file)["port"]
        with open(os.path.join(self.gate._state, "agents/ada.token"), encoding="utf-8") as file:
            token = file.read().strip()
        other = Surety(url=address, token=token, agent="bob")
        with self.assertRaises(Fault) as caught:
            other.run("note.write", {"name": self.name(), "text": SIGNED}, lambda: self.runs.append(1))
        self.assertEqual(caught.exception.code, "GRANT_REFUSED")
        self.assertEqual(self.runs, [])
        stranger = Surety(url=address, token="x")
        with self.assertRaises(Fault) as caught:
            stranger.propose("text.length", {"text": "a"})
        self.assertEqual(caught.exception.code, "UNAUTHORIZED")

    def test_without_a_daemon_nothing_runs(self):
        with tempfile.TemporaryDirectory() as empty:
            away = Surety(directory=empty)
            with self.assertRaises(Unreachable):
                away.run("note.write", {"name": "a", "text": SIGNED}, lambda: self.runs.append(1))
        self.assertEqual(self.runs, [])

    def test_a_daemon_that_dies_before_the_settlement_is_told_later(self):
        gate = self.gate
        heard = []

        class Away(Surety):
            away = True

            def settle(self, token, report):
                if self.away:
                    raise Unreachable("DAEMON_NOT_RUNNING", "away", "", True)
                heard.append(report["status"])
                return gate.settle(token, report)

        client = Away(directory=DIRECTORY, agent="ada")
        arguments = {"name": self.name(), "text": SIGNED}
        work = lambda: self.runs.append(1) or "written"  # noqa: E731
        with self.assertRaises(InFlight) as caught:
            client.run("note.write", arguments, work)
        self.assertEqual(caught.exception.details["reported"], "committed")
        client.away = False
        client.close(seconds=20)
        self.assertEqual(heard, ["committed"])
        self.assertEqual(client.run("note.write", arguments, work), "written")
        self.assertEqual(self.runs, [1])


if __name__ == "__main__":
    unittest.main()
