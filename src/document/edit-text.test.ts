import { describe, expect, test } from 'vitest';
import { editText } from './edit-text.ts';
import { writeText } from './write-text.ts';

const text = `# Ours.
version: 1
mode: observe # for now
tools:
  # Pays.
  refund.issue:
    effect: mutating   # twice is twice
    mode: observe
  order.get: {effect: read}
`;

describe('an edit', () => {
  test('changes a value and nothing else', () => {
    const edited = editText(text, [{ path: ['mode'], value: 'enforce' }]);
    expect(edited.text).toBe(text.replace('mode: observe # for', 'mode: enforce # for'));
    expect(edited.lines).toEqual([{ line: 3, key: 'mode', before: 'observe', after: 'enforce' }]);
  });

  test('changes several values and adds missing keys', () => {
    const edited = editText(text, [
      { path: ['mode'], value: 'enforce' },
      { path: ['tools', 'order.get', 'mode'], value: 'observe' },
      { path: ['tools', 'refund.issue', 'mode'], value: 'enforce' },
    ]);
    expect(edited.text).toBe(
      text
        .replaceAll('mode: observe', 'mode: enforce')
        .replace('{effect: read}', '{mode: observe, effect: read}'),
    );
    expect(edited.lines.map(({ line }) => line)).toEqual([3, 9, 8]);
  });

  test.each([
    ['version: 1\ntools: {}\n', ['mode'], 'version: 1\nmode: x\ntools: {}\n'],
    ['version: 1 # one', ['mode'], 'version: 1 # one\nmode: x'],
    ['tools: {a: {}}\n', ['tools', 'a', 'mode'], 'tools: {a: {mode: x}}\n'],
    ['tools:\n  a:\n    b: c\n', ['tools', 'a', 'mode'], 'tools:\n  a:\n    mode: x\n    b: c\n'],
    ['{version: 1}\n', ['mode'], '{mode: x, version: 1}\n'],
  ])('puts a new key into %j', (before, path, after) => {
    expect(editText(before, [{ path, value: 'x' }]).text).toBe(after);
  });

  test('replaces values of different lengths in any order', () => {
    const paths = [['mode'], ['tools', 'refund.issue', 'mode'], ['version']];
    const edited = editText(
      text,
      paths.map((path) => ({ path, value: 'off-for-now' })),
    );
    expect(edited.text).toBe(
      text.replaceAll('observe', 'off-for-now').replace('version: 1', 'version: off-for-now'),
    );
  });

  test('without a change keeps every byte', () => {
    expect(editText(text, [{ path: ['mode'], value: 'observe' }])).toEqual({ text, lines: [] });
  });

  test('of a missing value is refused', () => {
    expect(() => editText(text, [{ path: ['tools', 'x', 'mode'], value: 'observe' }])).toThrow(
      'there is nothing at tools.x',
    );
  });
});

test('writes a value with its comments', () => {
  const remarks = [
    { path: ['tools', 'a'], text: 'seen twice' },
    { path: ['list', 0], text: 'first' },
  ];
  const value = { tools: { a: { effect: 'read' } }, list: [{ rule: 'x' }] };
  expect(writeText(value, { heading: 'A draft.', remarks })).toBe(
    '# A draft.\n\ntools:\n  # seen twice\n  a:\n    effect: read\nlist:\n  # first\n  - rule: x\n',
  );
});
