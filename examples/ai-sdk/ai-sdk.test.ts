import { mkdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Scratch } from '../../tests/harness/scratch.ts';
import { runAgent } from './agent.ts';
import { scriptedModel } from './scripted-model.ts';

// proves: embedding.frameworks
test('a model of the AI SDK is refused, reads the remedy, and its second call is executed', async () => {
  using scratch = new Scratch();
  const [notes, guard] = [scratch.file('notes'), scratch.file('guard')];
  mkdirSync(notes);
  const prompt = 'Write down the weather.';
  const run = () => runAgent({ model: scriptedModel(), prompt, notes, guard });
  const { text, steps } = await run();
  expect(text).toBe('The note is written.');
  const answers = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output));
  expect(answers).toEqual([
    {
      refused: 'PROPOSAL_DENIED',
      because: expect.stringContaining('the note is not signed'),
      remedy: 'End the text with "-- ada" and call it again.',
    },
    { written: 'weather.txt', characters: 33 },
  ]);
  const note = readFileSync(`${notes}/weather.txt`, 'utf8');
  expect(note).toBe('The wind is from the west. -- ada');

  // Another run of the same program: the ledger knows that this name is written.
  const again = await run();
  const [answer] = again.steps.flatMap(({ toolResults }) => toolResults);
  expect(answer?.output).toMatchObject({ refused: 'PROPOSAL_KEY_REUSED' });
  expect(readFileSync(`${notes}/weather.txt`, 'utf8')).toBe(note);
});
