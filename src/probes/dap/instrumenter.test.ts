import { describe, expect, test } from 'vitest';
import { createClock, isFault } from '../../kernel/index.ts';
import { checkRequest } from '../request.ts';
import { readGoValue } from './go/go-values.ts';
import { createDapInstrumenter } from './instrumenter.ts';
import { listenAddressOf } from './python/debugpy.ts';

const codeOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return isFault(error) ? error.code : error;
  }
};

describe('requests for probes in other languages', () => {
  const request = { pids: [1], line: 1 };

  test('are checked in the language of the file', () => {
    const condition = 'a is not None and not b';
    const { instrument } = checkRequest({ ...request, file: 'a.py', template: '{a}', condition });
    expect(instrument).toMatchObject({ condition: { text: condition }, template: [0] });
    const asNode = { ...request, file: 'a.js', template: '{a}', condition };
    expect(codeOf(() => checkRequest(asNode))).toBe('PROBE_EXPRESSION_INVALID');
  });

  test('may not call, contain braces, be too long, or make a condition of a secret', () => {
    const log = (template: string, condition?: string): unknown =>
      codeOf(() =>
        checkRequest({ ...request, file: 'a.go', template, ...(condition ? { condition } : {}) }),
      );
    expect(log('{f()}')).toBe('PROBE_NOT_READ_ONLY');
    expect(log('{a["{}"]}')).toBe('PROBE_EXPRESSION_INVALID');
    expect(log(`{${'a'.repeat(257)}}`)).toBe('PROBE_EXPRESSION_INVALID');
    expect(log('{a}', 'user.password == "x"')).toBe('PROBE_EXPRESSION_INVALID');
  });
});

describe('values that delve prints', () => {
  test.each([
    ['42', { type: 'number', value: 42 }],
    ['-1.5e+10', { type: 'number', value: -1.5e10 }],
    ['9223372036854775807', { type: 'number', value: '9223372036854775807' }],
    ['true', { type: 'bool', value: true }],
    ['"a "quoted" text"', { type: 'string', value: 'a "quoted" text' }],
    ['"xx"...+98 more', { type: 'string', value: 'xx' }],
    ['main.Order {Amount: 1}', { type: 'text', value: 'main.Order {Amount: 1}' }],
    ['{eval err: &{%!e(string=no symbol a)}}', { error: 'no symbol a' }],
  ])('are read: %s', (text, expected) => {
    expect(readGoValue(text)).toEqual(expected);
  });
});

describe('the address of a process that was started with debugpy', () => {
  test.each([
    [['python', '-m', 'debugpy', '--listen', '5678', 'a.py'], { host: '127.0.0.1', port: 5678 }],
    [['python', '-m', 'debugpy', '--listen', '0.0.0.0:1'], { host: '127.0.0.1', port: 1 }],
    [['python', '/lib/debugpy', '--listen', 'localhost:2'], { host: 'localhost', port: 2 }],
    [['python', 'a.py', '--listen', '5678'], undefined],
    [['python', '-m', 'debugpy', '--connect', '5678'], undefined],
  ])('is read from its command: %j', (command, expected) => {
    expect(listenAddressOf(command)).toEqual(expected);
  });
});

test('a process that is gone, and one without a debugger for it, are refused', async () => {
  const { attach, find, tier } = createDapInstrumenter(createClock());
  expect(tier).toBe('development');
  await expect(attach(2 ** 22 - 1)).rejects.toMatchObject({ code: 'PROBE_PROCESS_MISSING' });
  await expect(attach(process.pid)).rejects.toMatchObject({ code: 'PROBE_NOT_PERMITTED' });
  await expect(attach(process.ppid)).rejects.toMatchObject({ code: 'PROBE_TARGET_REFUSED' });
  expect(await find(process.pid)).toEqual([]);
});
