import { mkdirSync, readFileSync } from 'node:fs';
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { expect, test } from 'vitest';
import { Scratch } from '../../tests/harness/scratch.ts';
import { runAgent } from './agent.ts';

const sentence = 'The wind is from the west.';

/** Does what the remedy in the last answer says. */
function signed(messages: BaseMessage[]): AIMessage {
  const { remedy } = JSON.parse(String(messages.at(-1)?.content)) as { remedy: string };
  const [, signature] = /End the text with "(.*?)"/.exec(remedy) ?? [];
  const args = { name: 'weather', text: `${sentence} ${signature}` };
  return new AIMessage({ content: '', tool_calls: [{ name: 'note_write', args, id: 'call-2' }] });
}

// proves: embedding.frameworks
test('a model of LangChain is refused, reads the remedy, and its second call is executed', async () => {
  using scratch = new Scratch();
  const [notes, guard] = [scratch.file('notes'), scratch.file('guard')];
  mkdirSync(notes);
  const model = fakeModel()
    .respondWithTools([{ name: 'note_write', args: { name: 'weather', text: sentence } }])
    .respond(signed)
    .respond(new AIMessage('The note is written.'));
  const messages = await runAgent({ model, prompt: 'Write down the weather.', notes, guard });
  const answers = messages
    .filter((message) => message.getType() === 'tool')
    .map(({ content }) => JSON.parse(String(content)));
  expect(answers).toEqual([
    expect.objectContaining({
      refused: 'PROPOSAL_DENIED',
      remedy: expect.stringMatching(/-- ada/),
    }),
    { written: 'weather.txt', characters: 33 },
  ]);
  expect(messages.at(-1)?.content).toBe('The note is written.');
  expect(readFileSync(`${notes}/weather.txt`, 'utf8')).toBe(`${sentence} -- ada`);
});
