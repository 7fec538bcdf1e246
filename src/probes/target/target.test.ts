import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { placeProbe } from '../probe.ts';
import { App, appFile, deps, lineOf } from '../scene.fixture.ts';
import { isEnding, isStill, ownOptions, parseStat, readIdentity } from './process-facts.ts';
import { parseSocket } from './sockets.ts';
import { checkPlatform, checkTarget, readInspectorOptions, recheckTarget } from './target.ts';

describe.runIf(process.platform === 'linux')('a process is refused', () => {
  test('that is not Node, without harming it', async () => {
    const child = spawn('sleep', ['100']);
    const pid = child.pid as number;
    await until('it runs its program', async () => (await readIdentity(pid)) && child.pid);
    await expect(checkTarget(pid)).rejects.toMatchObject({
      code: 'PROBE_NOT_NODE',
      values: { pid, reason: 'it is not Node.js' },
    });
    child.kill('SIGTERM');
    await once(child, 'exit');
    // SIGUSR1 would have ended it first.
    expect(child.signalCode).toBe('SIGTERM');
  });

  test('that disables SIGUSR1', async () => {
    await using app = await App.start('--disable-sigusr1');
    await expect(checkTarget(app.pid)).rejects.toMatchObject({
      code: 'PROBE_NOT_NODE',
      message: expect.stringContaining('--disable-sigusr1'),
    });
  });

  test('that does not exist', async () => {
    const child = spawn('true');
    await once(child, 'exit');
    await expect(checkTarget(child.pid as number)).rejects.toMatchObject({
      code: 'PROBE_PROCESS_MISSING',
    });
  });

  test('that is a thread', async () => {
    await using app = await App.start();
    const threads = await threadsOf(app.pid);
    const thread = threads.find((id) => id !== app.pid) as number;
    await expect(checkTarget(thread)).rejects.toMatchObject({ code: 'PROBE_PROCESS_MISSING' });
  });

  test('that belongs to another user', async () => {
    await using app = await App.start();
    // Root may do everything, so it looks from the place of somebody who may not.
    const isRoot = process.geteuid?.() === 0;
    const pid = isRoot ? app.pid : 1;
    if (isRoot) process.seteuid?.(65_534);
    try {
      await expect(checkTarget(pid)).rejects.toMatchObject({
        code: 'PROBE_NOT_PERMITTED',
        message: expect.stringContaining('it belongs to user 0'),
      });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  test('that is the prober itself', async () => {
    await expect(checkTarget(process.pid)).rejects.toMatchObject({ code: 'PROBE_NOT_PERMITTED' });
  });

  test('that is stopped, so that its inspector does not open when it goes on', async () => {
    await using app = await App.start();
    const target = await checkTarget(app.pid);
    app.process.kill('SIGSTOP');
    await until('it is stopped', async () => (await readIdentity(app.pid))?.isStopped);
    const refusal = { code: 'PROBE_NOT_PERMITTED', message: expect.stringContaining('stopped') };
    await expect(checkTarget(app.pid)).rejects.toMatchObject(refusal);
    await expect(recheckTarget(target)).rejects.toMatchObject(refusal);
    app.process.kill('SIGCONT');
    await until('it goes on', async () => !(await readIdentity(app.pid))?.isStopped);
    await recheckTarget(target);
    const other = { ...target, startTicks: target.startTicks - 1 };
    const missing = { code: 'PROBE_PROCESS_MISSING' };
    await expect(recheckTarget(other)).rejects.toMatchObject(missing);
  });

  test('whose pid now belongs to another process', async () => {
    await using app = await App.start();
    const identity = await checkTarget(app.pid);
    expect(await isStill(identity)).toBe(true);
    expect(await isStill({ ...identity, startTicks: identity.startTicks - 1 })).toBe(false);
    expect(await isEnding(identity)).toBe(false);
    expect(await isEnding({ ...identity, startTicks: identity.startTicks - 1 })).toBe(true);
  });
});

describe('the kernel says of a process', () => {
  const stat = (state: string, flags: number): string =>
    `7 (a) R 4 (b) ${state} 1 7 7 0 -1 ${flags} 129 0 1 0 0 0 0 0 20 0 1 0 3337803 3932160 562`;
  const alive = 0x40_0000;

  test.each([
    ['that it runs', 'R', alive, { isDead: false, isEnding: false }],
    ['that its sockets may be closed, and it is not dead', 'R', alive + 4, { isEnding: true }],
    ['that nobody has buried it', 'Z', alive + 4, { isDead: true, isEnding: true }],
    ['that it is dead', 'X', alive, { isDead: true, isEnding: true }],
  ])('%s', (_, state, flags, said) => {
    expect(parseStat(stat(state, flags))).toMatchObject({ startTicks: 3_337_803, ...said });
  });
});

describe.runIf(process.platform === 'linux')('a probe location is refused without residue', () => {
  test.each([
    [
      'a line without code',
      { line: lineOf('no code') },
      'PROBE_LINE_REFUSED',
      /begins on line \d+/,
    ],
    ['a line after the last', { line: 100_000 }, 'PROBE_LINE_REFUSED', /it has \d+ lines/],
    [
      'a file that is not loaded',
      { file: '/nowhere/app.ts' },
      'PROBE_SCRIPT_NOT_FOUND',
      /^0 loaded files/,
    ],
    ['half a name', { file: 'app.fixture.ts' }, 'PROBE_SCRIPT_NOT_FOUND', /^0 loaded files/],
  ])('for %s', async (_, place, code, message) => {
    await using app = await App.start();
    await expect(app.place(place)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(await app.hasOpenInspector()).toBe(false);
    expect(await app.trade({ amount: 20_000 })).toBe('review');
  });
});

test('a system other than Linux gets the fault NEEDS_LINUX', () => {
  expect(() => checkPlatform('darwin')).toThrow(expect.objectContaining({ code: 'NEEDS_LINUX' }));
  expect(() => checkPlatform('linux')).not.toThrow();
});

test('an invalid request touches no process', async () => {
  const request = { pids: [-1], file: appFile, line: 1, expressions: ['a'] };
  await expect(placeProbe(request, deps)).rejects.toMatchObject({ code: 'PROBE_REQUEST_INVALID' });
});

describe('the Node options', () => {
  test.each([
    [[], 9229, false],
    [['--import=x', '--inspect-port=0'], 0, false],
    [['--inspect-port=127.0.0.1:9300'], 9300, false],
    [['--debug-port=9301'], 9301, false],
    [['--inspect'], 9229, true],
    [['--inspect=0.0.0.0:9302'], 9302, true],
    [['--inspect-brk=9303'], 9303, true],
    [['--inspect-publish-uid=http'], 9229, false],
  ])('%j open the inspector on %i', (options, expectedPort, wantsInspector) => {
    expect(readInspectorOptions(options)).toEqual({ expectedPort, wantsInspector });
  });
});

test('the arguments of the application are no options of Node', () => {
  const words = ['-r', 'a.js', '--inspect-port', '9300', '--title=x', 'app.js', '--inspect'];
  expect(ownOptions(words)).toEqual(['-r=a.js', '--inspect-port=9300', '--title=x']);
  expect(ownOptions(['--', 'app.js', '--inspect'])).toEqual([]);
});

describe('parses the line of /proc/net/tcp', () => {
  test.each([
    [
      '   1: 0100007F:240D 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 4711 1 0',
      { port: 9229, remotePort: 0, state: 'listening', inode: '4711' },
    ],
    [
      '  12: 0100007F:240D 0100007F:C350 01 00000000:00000000 00:00000000 00000000 0 0 4712 1 0',
      { port: 9229, remotePort: 50_000, state: 'connected', inode: '4712' },
    ],
    [
      '   3: 00000000000000000000000001000000:0050 00000000000000000000000001000000:C351 06 0:0 0:0 0 0 0 0 3 0',
      { port: 80, remotePort: 50_001, state: 'other', inode: '0' },
    ],
  ])('%s', (line, socket) => {
    expect(parseSocket(line)).toEqual(socket);
  });
});

async function threadsOf(pid: number): Promise<number[]> {
  const { readdir } = await import('node:fs/promises');
  return (await readdir(`/proc/${pid}/task`)).map(Number);
}
