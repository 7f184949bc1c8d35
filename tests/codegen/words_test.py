"""Tests of ci/words.py: it reads comments, messages and names, and ignores code."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "ci"))
sys.dont_write_bytecode = True

import words  # noqa: E402


def found(name: str, *lines: str) -> list[str]:
    return [word for _, word, _ in words.findings(name, list(lines))]


class WordsTest(unittest.TestCase):
    def test_comments_and_messages_are_read(self):
        self.assertEqual(found("a.cpp", "// Who waits"), ["Who"])
        self.assertEqual(found("a.cpp", 'say("for whom");'), ["whom"])
        self.assertEqual(found("a.hpp", "  int x;  // of somebody"), ["somebody"])

    def test_code_is_not_prose(self):
        self.assertEqual(found("a.cpp", "int who = 0;"), [])

    def test_names_are_read_in_code(self):
        self.assertEqual(found("a.cpp", "int far_end_word = 0;"), ["far_end_"])
        self.assertEqual(found("a.cpp", "std::visit(visitor, frame);"), [])

    def test_documents_are_read_but_for_their_examples(self):
        lines = ["so many ranks", "```", "so many", "```", "`who`"]
        self.assertEqual(found("a.md", *lines), ["so many"])

    def test_each_exception_has_a_file_and_a_reason(self):
        root = Path(__file__).resolve().parents[2]
        for beginning, reason in words.EXCEPTIONS.items():
            self.assertTrue(reason)
            is_there = (root / beginning).is_dir() or any(root.glob(beginning + "*"))
            self.assertTrue(is_there, beginning)


if __name__ == "__main__":
    unittest.main()
