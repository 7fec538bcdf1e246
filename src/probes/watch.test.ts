import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Clock, JsonObject } from '../kernel/index.ts';
import { probeLimits } from './limits.ts';
import { checkRequest } from './request.ts';
import type { InspectorSession } from './session.ts';
import { PauseRate, ProbeWatch } from './watch.ts';

/** A process that is paused when the test says so, and answers after `answerMs` of its clock. */
class PausedProcess {
  now = 0;
  answerMs = 1;
  isPaused = false;
  isActive = true;
  isCut = false;
  isDumb = false;
  readonly ends: string[] = [];
  readonly clock: Clock = { now: () => this.now, keepAfter: () => {}, aheadMs: () => 0 };
  readonly watch: ProbeWatch;
  #listener: (params: JsonObject) => void = () => {};

  constructor(hitsMax = 1_000) {
    const plan = checkRequest({ pid: 1, file: 'a', line: 1, expressions: ['a'], hitsMax });
    const end = (reason: string): void => void this.ends.push(reason);
    const { clock } = this;
    const session = this.#session();
    this.watch = new ProbeWatch({ session, plan, scripts: new Map(), breakpoint: 'b', clock, end });
  }

  async hit(hitBreakpoints: string[] = ['b']): Promise<void> {
    this.isPaused = true;
    this.#listener({ hitBreakpoints, callFrames: [{ callFrameId: 'f', location: {} }] });
    await vi.advanceTimersByTimeAsync(0);
  }

  #session(): InspectorSession {
    return {
      pid: 1,
      localPort: 1,
      lost: new Promise(() => {}),
      isLost: () => false,
      on: (_, listener) => {
        this.#listener = listener;
      },
      cut: () => {
        this.isCut = true;
      },
      call: (method, params = {}) =>
        this.isDumb ? new Promise(() => {}) : this.#do(method, params),
    };
  }

  async #do(method: string, { active, expression }: JsonObject): Promise<JsonObject> {
    if (method === 'Debugger.setBreakpointsActive') this.isActive = active === true;
    if (method === 'Debugger.resume') {
      this.now += this.answerMs;
      this.isPaused = false;
    }
    const value = String(expression).startsWith('!!') ? true : '["number",1]';
    return { result: { value } };
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a pause', () => {
  test('ends before the next one starts', async () => {
    const process = new PausedProcess();
    await process.hit();
    expect(process).toMatchObject({ isPaused: false, isActive: true });
    expect(process.watch).toMatchObject({ hits: 1, pauses: 1, stallMs: 1 });
  });

  test('that the probe did not cause is resumed and does not count as a hit', async () => {
    const process = new PausedProcess();
    await process.hit([]);
    expect(process).toMatchObject({ isPaused: false, isActive: true });
    expect(process.watch).toMatchObject({ hits: 0, pauses: 1 });
  });

  test('that does not end in time closes the connection so that the process goes on', async () => {
    const process = new PausedProcess();
    process.isDumb = true;
    await process.hit();
    await vi.advanceTimersByTimeAsync(probeLimits.probePauseMsMax - 1);
    expect(process.isCut).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(process.isCut).toBe(true);
  });
});

describe('a budget', () => {
  test('of hits ends the probe and turns its breakpoints off', async () => {
    const process = new PausedProcess(2);
    await process.hit();
    expect(process.ends).toEqual([]);
    await process.hit();
    expect(process).toMatchObject({ ends: ['hits'], isActive: false });
  });

  test('of paused time ends the probe', async () => {
    const process = new PausedProcess();
    process.answerMs = probeLimits.probeStallMsMax - 1;
    await process.hit();
    expect(process.ends).toEqual([]);
    process.answerMs = 1;
    await process.hit();
    expect(process).toMatchObject({ ends: ['stall'], isActive: false });
  });

  test('of pauses per second turns breakpoints off for the rest of the second', async () => {
    const process = new PausedProcess();
    process.answerMs = 0;
    for (let count = 1; count < probeLimits.probePausesPerSecondMax; count++) await process.hit();
    expect(process.isActive).toBe(true);
    await process.hit();
    expect(process.isActive).toBe(false);
    await vi.advanceTimersByTimeAsync(999);
    expect(process.isActive).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(process.isActive).toBe(true);
  });
});

test('the pause rate keeps its limit in every interval of one second', () => {
  const rate = new PauseRate();
  const at: number[] = [];
  for (let now = 0; now < 5_000; now += 7) {
    if (rate.waitMs(now) > 0) continue;
    rate.paused(now);
    at.push(now);
  }
  for (const start of at) {
    const within = at.filter((time) => time >= start && time < start + 1_000);
    expect(within.length).toBeLessThanOrEqual(probeLimits.probePausesPerSecondMax);
  }
  expect(at.length).toBeGreaterThan(4 * probeLimits.probePausesPerSecondMax);
});

test('a stopped probe keeps its breakpoints off', async () => {
  const process = new PausedProcess();
  process.isActive = false;
  await process.watch.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(process.isActive).toBe(false);
  const seen: unknown[] = [];
  for await (const capture of process.watch.captures) seen.push(capture);
  expect(seen).toEqual([]);
});
