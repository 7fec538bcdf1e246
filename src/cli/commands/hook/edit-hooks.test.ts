import { describe, expect, test } from 'vitest';
import { addHooks, hookedEvents, removeHooks } from './edit-hooks.ts';
import { type HookFile, hookFiles } from './hook-files.ts';

const command = '/usr/bin/node /opt/surety/bin/surety.js hook --harness claude --agent coder';

const edited = Object.entries(hookFiles).filter(([, { entry }]) => entry !== undefined);

describe.each(edited)('the hooks of %s', (_, file: HookFile) => {
  test('are added to an empty file, once', () => {
    const after = addHooks('', file, command);
    expect(hookedEvents(after, file)).toEqual(file.events);
    expect(addHooks(after, file, command)).toBe(after);
  });

  test('are added beside those of others, and removed without them', () => {
    const [event = ''] = file.events;
    const theirs = { hooks: { [event]: [{ command: 'theirs' }] }, mine: 1 };
    const before = `// mine\n${JSON.stringify(theirs, null, 2)}\n`;
    const after = addHooks(before, file, command);
    expect(after).toContain('// mine');
    expect(hookedEvents(after, file)).toEqual(file.events);
    const removed = removeHooks(after, file);
    expect(hookedEvents(removed, file)).toEqual([]);
    expect(removed).toContain('theirs');
  });
});

test.each([
  ['{', /line 1/],
  ['[]', /no object/],
  ['{"hooks": []}', /hooks is no object/],
  ['{"hooks": {"PreToolUse": 1}}', /no list/],
])('a file that cannot be edited is refused: %s', (text, message) => {
  expect(() => addHooks(text, hookFiles.claude as HookFile, command)).toThrow(message);
});

test('the plugin for opencode is a file of our own', () => {
  const file = hookFiles.opencode as HookFile;
  const text = addHooks('', file, command);
  expect(hookedEvents(text, file)).toEqual(file.events);
  expect(hookedEvents('export const x = 1', file)).toEqual([]);
  expect(text).toContain(JSON.stringify(command));
});
