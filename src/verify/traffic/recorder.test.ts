import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { RawRequest } from '../../lanes/index.ts';
import { systemLimits } from '../../system/limits.ts';
import type { RecordingRules } from './api-schema.ts';
import { RecordedStore } from './recorded-store.ts';
import { Recorder } from './recorder.ts';

const dayMs = 86_400_000;
const rules: RecordingRules = {
  perMille: 1_000,
  perRoute: 2,
  headers: [],
  replace: {},
  keepDays: 7,
};
const raw = (path: string, at: number): RawRequest => ({
  at,
  client: 'c1',
  method: 'GET',
  path,
  headers: [],
  body: null,
  status: 200,
  answer: null,
});

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

/** A recorder whose router and disk can be taken away. */
function scene() {
  const directory = mkdtempSync(join(tmpdir(), 'recorder-'));
  directories.push(directory);
  const file = join(directory, 'traffic', 'recorded.jsonl');
  const state = { now: 10_000, isGone: false, asked: [] as number[], coming: [] as RawRequest[] };
  const fetch = async (perMille: number): Promise<readonly RawRequest[]> => {
    state.asked.push(perMille);
    if (state.isGone) throw new Error('the router is gone');
    return state.coming.splice(0);
  };
  let made = 0;
  const deps = {
    fetch,
    store: new RecordedStore(file),
    clock: { now: () => state.now, keepAfter: () => undefined, aheadMs: () => 0 },
    makeIdentifier: (prefix: string) => `${prefix}_${made++}` as never,
  };
  const recorder = new Recorder({ ...deps, rules });
  return { state, file, directory, deps, recorder };
}

describe('a recording can be stopped', () => {
  test('and keeps what came until then', async () => {
    const { state, recorder } = scene();
    state.coming = [raw('/last', state.now)];
    await recorder.turn(false);
    expect(await recorder.list()).toHaveLength(1);
    expect([recorder.isOn, state.asked.at(-1)]).toEqual([false, 0]);
  });

  test('while the router is away', async () => {
    const { state, recorder } = scene();
    state.isGone = true;
    await recorder.turn(false);
    expect(recorder.isOn).toBe(false);
    state.isGone = false;
    state.coming = [raw('/later', state.now)];
    state.now += 60_000;
    await recorder.look();
    expect(await recorder.list()).toEqual([]);
  });

  test('while the store can not be written', async () => {
    const { state, recorder, directory } = scene();
    writeFileSync(join(directory, 'traffic'), 'no directory');
    state.coming = [raw('/a', state.now)];
    await recorder.turn(false);
    expect(recorder.isOn).toBe(false);
  });

  test('and only starts if the router knows', async () => {
    const { state, recorder } = scene();
    await recorder.turn(false);
    state.isGone = true;
    await expect(recorder.turn(true)).rejects.toThrow('the router is gone');
    expect(recorder.isOn).toBe(false);
  });
});

test('redaction lets other work run between two clients', async () => {
  const { state, deps } = scene();
  state.coming = ['c1', 'c2', 'c3'].map((client) => ({ ...raw('/a', state.now), client }));
  const seen: string[] = [];
  const fetch = async (perMille: number) => {
    setImmediate(() => seen.push('other'));
    return deps.fetch(perMille);
  };
  const makeIdentifier = (prefix: string) => {
    seen.push('client');
    return deps.makeIdentifier(prefix);
  };
  await new Recorder({ ...deps, rules, fetch, makeIdentifier }).list();
  expect(seen).toEqual(['client', 'other', 'client', 'client']);
});

describe('recorded traffic can be cleared', () => {
  test('while the router is away', async () => {
    const { state, recorder, file } = scene();
    state.coming = [raw('/a', state.now)];
    expect(await recorder.list()).toHaveLength(1);
    state.isGone = true;
    expect(await recorder.clear()).toBe(1);
    expect(existsSync(file)).toBe(false);
  });

  test('including requests that arrive meanwhile', async () => {
    const { state, recorder, file } = scene();
    state.coming = [raw('/a', state.now)];
    const [, cleared] = await Promise.all([recorder.list(), recorder.clear()]);
    expect(cleared).toBe(1);
    expect(existsSync(file)).toBe(false);
  });

  test('including what is not written yet', async () => {
    const { state, recorder } = scene();
    state.coming = [raw('/a', state.now)];
    await recorder.look();
    state.isGone = true;
    await recorder.clear();
    state.isGone = false;
    expect(await recorder.list()).toEqual([]);
  });
});

describe('recorded traffic expires', () => {
  const recordOne = async () => {
    const made = scene();
    made.state.coming = [raw('/a', made.state.now)];
    expect(await made.recorder.list()).toHaveLength(1);
    return made;
  };
  const aged = 10_000 + rules.keepDays * dayMs;

  test('in lists', async () => {
    const { state, recorder } = await recordOne();
    state.now = aged;
    expect(await recorder.list()).toHaveLength(1);
    state.now = aged + 1;
    expect(await recorder.list()).toEqual([]);
  });

  test('on the disk, even if recording is stopped', async () => {
    const { state, recorder, file } = await recordOne();
    await recorder.turn(false);
    state.now = aged;
    await recorder.look();
    expect(readFileSync(file, 'utf8')).toContain('"/a"');
    state.now = aged + 1;
    await recorder.look();
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  test('while the router is away', async () => {
    const { state, recorder, file } = await recordOne();
    Object.assign(state, { now: aged + 1, isGone: true });
    await expect(recorder.look()).rejects.toThrow('the router is gone');
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  test('after the maximum time if recording is no longer allowed', async () => {
    const { state, deps, file } = await recordOne();
    const forbidden = new Recorder({ ...deps, rules: undefined });
    state.now = 10_000 + systemLimits.recordedDaysMax * dayMs;
    await forbidden.look();
    expect(readFileSync(file, 'utf8')).toContain('"/a"');
    state.now += 1;
    await forbidden.look();
    expect(readFileSync(file, 'utf8')).toBe('');
  });
});
