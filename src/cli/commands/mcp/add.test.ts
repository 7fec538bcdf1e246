import { expect, test } from 'vitest';
import { findPlace } from '../../../runtime/place.ts';
import { createOutput } from '../../format/output.ts';
import { run } from './add.ts';

const coder = { agent: 'coder', yes: true };

test.each<[string, string, Record<string, string | boolean>, string]>([
  ['a client that it does not know', 'emacs', coder, 'claude, cursor, vscode, codex'],
  ['a client that every object has', 'constructor', coder, 'claude, cursor'],
  ['no agent', 'claude', { yes: true }, '--agent'],
  ['an agent that is a path', 'claude', { agent: '../x' }, 'names no agent'],
  ['a name that is none', 'claude', { ...coder, name: 'a.b' }, 'no name'],
  ['two places', 'claude', { ...coder, user: true, project: true }, 'either'],
])('surety mcp add refuses %s', async (_, client, options, reason) => {
  const place = findPlace('/nowhere', '.');
  const asked = run({ place, output: createOutput(true), words: [client], options });
  await expect(asked).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(reason),
  });
});
