"""The same text for the same value as the runtime writes, and the same refusals."""

import json
import os
import unittest

from surety import arguments_hash, canonical_json


class CanonicalJson(unittest.TestCase):
    def test_is_what_the_runtime_writes(self):
        with open(os.environ["SURETY_TEST_VECTORS"], encoding="utf-8") as file:
            vectors = [json.loads(line) for line in file]
        self.assertGreater(len(vectors), 10000)
        for text, hashed in vectors:
            # A JSON parser of Python keeps integers that the runtime has as doubles.
            value = json.loads(text, parse_int=float)
            self.assertEqual(canonical_json(value), text)
            self.assertEqual(arguments_hash(value), hashed)

    def test_integers_are_exact_or_refused(self):
        self.assertEqual(canonical_json(2**53), "9007199254740992")
        self.assertEqual(canonical_json(10**21), "1e+21")
        for number in (2**53 + 1, 10**400, -(2**63) + 1):
            with self.assertRaises(ValueError):
                canonical_json(number)

    def test_what_is_no_json_is_refused(self):
        deep = []
        for _ in range(64):
            deep = [deep]
        for value in (float("nan"), float("inf"), "\ud800", {1: 2}, {"a": b"b"}, {1, 2}, deep):
            with self.assertRaises(ValueError):
                canonical_json(value)
        self.assertEqual(canonical_json(deep[0]), "[" * 64 + "]" * 64)


if __name__ == "__main__":
    unittest.main()
