import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../kernel/index.ts';
import { harnesses } from './harness/index.ts';
import { readPayload } from './harness/payload.ts';
import { hookLimits } from './limits.ts';
import { proposalWithFiles } from './look-at-files.ts';
import { proposalOf } from './proposals.ts';
import { FileFacts } from './shell/file-facts.ts';

const place = { directory: '/home/dev/shop', home: '/home/dev', project: '/home/dev/shop' };

/** Commands are only analysed here. Nothing in this file runs one. */
function judge(command: string): JsonObject {
  return proposalOf({ kind: 'shell', command }, place, new FileFacts())?.arguments ?? {};
}

const reasons = (command: string): string => String(judge(command).unresolved);

const call = (command: string) =>
  harnesses.claude?.read({
    session_id: 's',
    cwd: '/p',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command },
  });

// proves: hooks.bad-input
describe('the input of a hook', () => {
  test('is taken up to its limit', () => {
    const payloadBytesMax = hookLimits.payloadBytesMax;
    const text = (bytes: number): Uint8Array => Buffer.from('{}'.padEnd(bytes));
    expect(readPayload(text(payloadBytesMax))).toEqual({});
    expect(() => readPayload(text(payloadBytesMax + 1))).toThrow(/more than/);
  });

  test.each([
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8/],
    ['no JSON', Buffer.from('{'), /not JSON/],
    ['no object', Buffer.from('[]'), /no object/],
  ])('is refused if it is %s', (_, bytes, message) => {
    expect(() => readPayload(bytes)).toThrow(message);
  });

  test('has a command of at most 1 MB', () => {
    const commandBytesMax = hookLimits.commandBytesMax;
    expect(call('a'.repeat(commandBytesMax))?.action.kind).toBe('shell');
    expect(() => call('a'.repeat(commandBytesMax + 1))).toThrow(/at most/);
  });

  test('has a command without NUL and without half characters', () => {
    expect(() => call('ls \0')).toThrow(/NUL/);
    expect(() => call('ls \ud800')).toThrow(/Unicode/);
  });
});

describe('a command is followed', () => {
  test('up to a length', () => {
    const echo = (chars: number): string => `echo ${'a'.repeat(chars - 5)}`;
    const commandCharsMax = hookLimits.commandCharsMax;
    expect(reasons(echo(commandCharsMax))).toBe('');
    expect(reasons(echo(commandCharsMax + 1))).toContain('too long');
  });

  test('up to a number of parts', () => {
    const parts = (count: number): string => Array(count).fill(':').join(';');
    const simpleCommandsMax = hookLimits.simpleCommandsMax;
    expect(reasons(parts(simpleCommandsMax))).toBe('');
    expect(reasons(parts(simpleCommandsMax + 1))).toContain('too many parts');
  });

  test('with code in it up to a length', () => {
    const inlineCodeCharsMax = hookLimits.inlineCodeCharsMax;
    const python = (chars: number): string => `python3 -c '${'x = 1'.padEnd(chars)}'`;
    expect(JSON.stringify(judge(python(inlineCodeCharsMax)))).not.toContain('code.inline');
    expect(JSON.stringify(judge(python(inlineCodeCharsMax + 1)))).toContain('code.inline');
  });

  test('up to a depth', () => {
    const nested = (depth: number): string => `${'echo $('.repeat(depth)}pwd${')'.repeat(depth)}`;
    const nestingMax = hookLimits.nestingMax;
    expect(reasons(nested(nestingMax - 1))).toBe('');
    expect(reasons(nested(nestingMax))).toContain('nested too deeply');
  });

  test('through a number of alternatives', () => {
    const alternativesMax = hookLimits.alternativesMax;
    const loop = (count: number): string =>
      `for x in ${Array.from({ length: count }, (_, at) => `f${at}`).join(' ')}; do rm $x; done`;
    expect(reasons(loop(alternativesMax))).toBe('');
    expect(reasons(loop(alternativesMax + 1))).toContain('not known');
  });
});

describe('a proposal', () => {
  test.each([
    ['surety exec -- npm test', true],
    ["surety exec -- 'npm ci && npm test'", true],
    ['surety exec -- npm test > out.txt', false],
    ['surety exec -- npm test; ls', false],
    ['surety exec -- npm test &', false],
    ['surety exec -- npm $(ls)', false],
    ['surety exec -- npm "$x"', false],
    ['A=1 surety exec -- npm test', false],
    ['surety exec npm test', false],
    ['npm test', false],
  ])('says of `%s` whether it is confined: %s', (command, isConfined) => {
    expect(JSON.stringify(judge(command).effects).includes('shell.unconfined')).toBe(!isConfined);
  });

  test('has a number of values of a length, and is held beyond', () => {
    const effectValuesMax = hookLimits.effectValuesMax;
    const effectValueCharsMax = hookLimits.effectValueCharsMax;
    const files = (count: number): string =>
      `touch ${Array.from({ length: count }, (_, at) => `f${at}`).join(' ')}`;
    expect(reasons(files(effectValuesMax))).toBe('');
    expect(reasons(files(effectValuesMax + 1))).toContain('more or longer');
    const long = effectValueCharsMax - '/home/dev/shop/'.length;
    expect(reasons(`touch ${'a'.repeat(long)}`)).toBe('');
    expect(reasons(`touch ${'a'.repeat(long + 1)}`)).toContain('more or longer');
  });

  test('shows the start of a long command, and its hash', () => {
    const shownCommandCharsMax = hookLimits.shownCommandCharsMax;
    const command = `echo ${'a'.repeat(shownCommandCharsMax - 5)}`;
    expect(judge(command).command).toBe(command);
    expect(judge(`${command}a`).command).toMatch(/… \(sha256 [0-9a-f]{64}\)$/);
  });
});

describe('files on the disk', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'surety-hook-'));
  });
  afterAll(() => rmSync(root, { recursive: true }));

  const look = (command: string) => {
    const here = { directory: root, home: '/home/dev', project: root };
    return proposalWithFiles({ kind: 'shell', command }, here)?.arguments;
  };
  const effects = (command: string): string => JSON.stringify(look(command)?.effects);
  const unresolved = (command: string): string => String(look(command)?.unresolved);

  test('are read up to a size to see what a script does', () => {
    const script = (bytes: number): string => 'touch /srv/made\n'.padEnd(bytes, '#');
    const scriptBytesMax = hookLimits.scriptBytesMax;
    writeFileSync(join(root, 'small.sh'), script(scriptBytesMax));
    writeFileSync(join(root, 'large.sh'), script(scriptBytesMax + 1));
    expect(effects('sh small.sh')).toContain('/srv/made');
    expect(effects('sh large.sh')).not.toContain('/srv/made');
  });

  test('are followed from script to script for some rounds', () => {
    const fileRoundsMax = hookLimits.fileRoundsMax;
    for (let at = 0; at <= fileRoundsMax; at++)
      writeFileSync(join(root, `${at}.sh`), `touch /srv/made${at}\nsh ${at + 1}.sh\n`);
    const found = effects('sh 0.sh');
    expect(found).toContain(`/srv/made${fileRoundsMax - 2}"`);
    expect(found).not.toContain(`/srv/made${fileRoundsMax}"`);
    expect(unresolved('sh 0.sh')).toContain('more files');
    expect(unresolved(`sh ${fileRoundsMax + 1}.sh`)).toBe('');
  });

  test('are looked at up to a number', () => {
    const files = new FileFacts();
    const filesMax = hookLimits.filesMax;
    for (let at = 0; at <= filesMax; at++) {
      expect(files.isFull).toBe(false);
      files.at(`/f${at}`);
    }
    expect(files.isFull).toBe(true);
    expect(files.wanted.size).toBe(filesMax);
  });

  test('are judged where a link leads', () => {
    symlinkSync('/srv', join(root, 'link'));
    expect(effects('touch link/x')).toContain('/srv/x');
    const here = { directory: root, home: '/home/dev', project: root };
    const edit = { kind: 'edit', paths: ['link/x'], content: '' } as const;
    expect(JSON.stringify(proposalWithFiles(edit, here))).toContain('/srv/x');
  });
});

// proves: hooks.protected
describe('the hooks of a harness and the policy are protected', () => {
  test.each([
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.codex/hooks.json',
    '.cursor/hooks.json',
    '.gemini/settings.json',
    '.surety/token',
    'policy.yaml',
  ])('%s', (path) => {
    const edit = { kind: 'edit', paths: [path], content: '' } as const;
    const edited = JSON.stringify(proposalOf(edit, place, new FileFacts())?.arguments.effects);
    expect(edited).toContain('surety.control');
    expect(JSON.stringify(judge(`echo x > ${path}`).effects)).toContain('surety.control');
    expect(JSON.stringify(judge(`cd ..; rm shop/${path}`).effects)).toContain('surety.control');
  });
});
