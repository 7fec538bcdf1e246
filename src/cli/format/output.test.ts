import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fault } from '../../kernel/index.ts';
import { createOutput, type Output } from './output.ts';

const escapeCode = String.fromCharCode(27);
const hostile = `${escapeCode}[2J${escapeCode}]0;title${String.fromCharCode(7)}\u009b31m\u202eevil`;

/** What reaches a terminal that can show colours. */
async function shown(write: (output: Output) => unknown, json = false): Promise<string> {
  const streams = [new PassThrough(), new PassThrough()].map((stream) =>
    Object.assign(stream, { isTTY: true }),
  ) as [PassThrough & { isTTY: true }, PassThrough & { isTTY: true }];
  const [stdout, stderr] = streams;
  vi.stubEnv('FORCE_COLOR', '1');
  vi.stubEnv('NO_COLOR', undefined);
  try {
    await write(createOutput(json, { stdout, stderr }));
  } finally {
    vi.unstubAllEnvs();
  }
  return streams.map((stream) => String(stream.read() ?? '')).join('');
}

const obeyed = /(?![\n\t])[\p{Cc}\u202a-\u202e]/u;

// proves: cli.terminal
test.each<[string, (output: Output) => unknown, boolean?]>([
  ['a line', (output) => output.line(`name ${hostile}`)],
  [
    'a line with a colour of its own',
    (output) => output.line(`${escapeCode}[31mred${escapeCode}[0m`),
  ],
  ['a JSON value', (output) => output.value({ [hostile]: hostile }), true],
  ['a document', (output) => output.raw(`${hostile}\n`)],
  ['a JSON fault', (output) => output.fault(fault('NOT_FOUND', { what: hostile })), true],
])('%s shows escape sequences of others and obeys none', async (_, write, json) => {
  const text = await shown(write, json);
  expect(text).not.toBe('');
  expect(text).not.toMatch(obeyed);
});

test('a fault and progress carry only sequences of our own', async () => {
  const text = await shown((output) => {
    output.progress(hostile);
    output.fault(fault('NOT_FOUND', { what: hostile }));
  });
  const own = [`\r${escapeCode}[K`, `${escapeCode}[31m`, `${escapeCode}[39m`];
  const rest = own.reduce((left, sequence) => left.replaceAll(sequence, ''), text);
  expect(rest).toContain('\\u001b[2J');
  expect(rest).not.toMatch(obeyed);
});

test('a tone colours what it surrounds, also around text of others', async () => {
  const text = await shown((output) => output.line(`${output.tone('good', `ok ${hostile}`)} done`));
  expect(text).toMatch(new RegExp(`^${escapeCode}\\[32mok .*${escapeCode}\\[39m done\n$`));
  expect(text.slice(5, -11)).not.toMatch(obeyed);
});

test('JSON keeps its values', async () => {
  const text = await shown((output) => output.value({ a: hostile }), true);
  expect(JSON.parse(text)).toEqual({ a: hostile });
});

test('writes progress outside a terminal as lines, and not more than one in ten seconds', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const output = createOutput(false, streams);
  output.progress('installing …');
  vi.advanceTimersByTime(9_999);
  output.progress('installing …');
  vi.advanceTimersByTime(1);
  output.progress('building …');
  output.progress('starting …');
  expect(String(streams.stderr.read())).toBe('building …\n');
});
