"""A real agent framework with a scripted model: refused, told why, executed."""

import json
import os
import re
import tempfile
import unittest

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from surety import Surety

SENTENCE = "The wind is from the west."


def scripted(messages, _info):
    """Writes a note, and when that is refused does what the remedy says."""
    last = messages[-1].parts[-1]
    if not isinstance(last, ToolReturnPart):
        return call(SENTENCE)
    signature = re.search(r'End the text with \\*"(.*?)\\*"', json.dumps(last.content))
    if signature:
        return call(SENTENCE + " " + signature.group(1))
    return ModelResponse(parts=[TextPart("The note is written.")])


def call(text):
    arguments = {"name": "agent-weather", "text": text}
    return ModelResponse(parts=[ToolCallPart("write_note", arguments)])


class PydanticAi(unittest.TestCase):
    def test_refused_then_told_then_executed(self):
        gate = Surety(directory=os.environ["SURETY_TEST_DIRECTORY"], agent="ada")
        with tempfile.TemporaryDirectory() as notes:

            @gate.guard("note.write", on_fault=lambda refused: refused.report())
            def write_note(name: str, text: str) -> dict:
                """Writes a note. Sign it."""
                with open(os.path.join(notes, name), "w", encoding="utf-8") as file:
                    file.write(text)
                return {"written": name}

            agent = Agent(FunctionModel(scripted), tools=[write_note])
            result = agent.run_sync("Write down the weather.")
            with open(os.path.join(notes, "agent-weather"), encoding="utf-8") as file:
                self.assertEqual(file.read(), SENTENCE + " -- ada")
        self.assertEqual(result.output, "The note is written.")
        answers = [
            part.content
            for message in result.all_messages()
            for part in message.parts
            if isinstance(part, ToolReturnPart)
        ]
        self.assertEqual(answers[0]["code"], "PROPOSAL_DENIED")
        self.assertEqual(answers[1], {"written": "agent-weather"})


if __name__ == "__main__":
    unittest.main()
