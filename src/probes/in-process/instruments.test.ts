import { describe, expect, test } from 'vitest';
import { probeLimits } from '../limits.ts';
import { agentSettings } from '../node/agent-settings.ts';
import { AgentBench } from './agent.fixture.ts';

const second = 1_000_000;

const capturesOf = (bench: AgentBench): number =>
  bench.reported.filter(({ event }) => event === 'capture').length;

/** Reaches a line at this rate for some seconds, with a tick every 100 ms. */
function run(bench: AgentBench, perSecond: number, seconds: number): void {
  for (let at = 0; at < seconds * perSecond; at++) {
    bench.nowUs += second / perSecond;
    bench.hit();
    if (at % Math.ceil(perSecond / 10) === 0) bench.instruments.tick?.();
  }
}

// proves: probes.budget
describe('the budget of a process', () => {
  test('reads every hit of a line that is reached seldom', () => {
    const bench = new AgentBench();
    bench.place();
    run(bench, 100, 5);
    expect(capturesOf(bench)).toBe(500);
  });

  test('arms a hot line now and then, and says how much it saw', () => {
    const bench = new AgentBench();
    bench.place();
    run(bench, 20_000, 5);
    const captures = capturesOf(bench);
    const budgetUs = agentSettings.bucketUs + 5 * second * probeLimits.probeCpuShareMax;
    expect(captures).toBeGreaterThan(20);
    expect(captures * agentSettings.evaluationUs).toBeLessThan(1.2 * budgetUs);
    const summary = bench.remove();
    expect(summary.evaluated).toBeGreaterThanOrEqual(captures);
    expect(summary.estimatedHits).toBeGreaterThan(50_000);
    expect(bench.armed.size).toBe(0);
  });

  test('is charged for a condition that throws, and for the end of a span without beginning', () => {
    const broken = (): never => {
      throw new Error('no');
    };
    for (const kind of ['counter', 'duration']) {
      const bench = new AgentBench();
      bench.place({ kind, hasCondition: kind === 'counter' });
      let evaluated = 0;
      for (; bench.armed.size > 0 && evaluated < 10_000; evaluated++) {
        if (kind === 'counter') bench.instruments.when?.(1, broken);
        else bench.instruments.finish?.(1, (list: (...keys: unknown[]) => unknown) => list(1));
      }
      const budgetUs = agentSettings.bucketUs / agentSettings.evaluationUs;
      expect([kind, evaluated]).toEqual([kind, Math.ceil(budgetUs)]);
    }
  });

  test('is suspended for a while by the breaker, and each probe says why', () => {
    const bench = new AgentBench();
    bench.place();
    bench.instruments.suspend?.('it is slow');
    bench.nowUs += agentSettings.suspendUs - 1;
    bench.instruments.tick?.();
    expect(bench.armed.size).toBe(0);
    expect(bench.reported).toMatchObject([{ summary: { error: expect.stringContaining('slow') } }]);
    bench.nowUs += 1;
    bench.instruments.tick?.();
    expect(bench.armed.size).toBe(1);
  });

  test('goes back to every hit when a line is not hot any more', () => {
    const bench = new AgentBench();
    bench.place();
    run(bench, 20_000, 1);
    run(bench, 2, 30);
    const before = capturesOf(bench);
    run(bench, 20, 5);
    expect(capturesOf(bench) - before).toBe(100);
  });

  test('ends a probe whose hits take too long', () => {
    for (const [stepUs, isEnded] of [
      [probeLimits.probeHitUsMax / 4, false],
      [probeLimits.probeHitUsMax * 2, true],
    ] as const) {
      const bench = new AgentBench();
      bench.place();
      bench.stepUs = stepUs;
      for (let hit = 0; hit < 3; hit++) {
        bench.nowUs += 10 * second;
        bench.instruments.tick?.();
        bench.hit();
      }
      const ends = bench.reported.filter(({ event }) => event === 'ended');
      expect(ends.map(({ reason }) => reason)).toEqual(isEnded ? ['breaker'] : []);
    }
  });

  test('drops captures over the limits of a second, by number and by size', () => {
    const many = new AgentBench();
    many.place();
    for (let hit = 0; hit <= probeLimits.probeCapturesPerSecondMax; hit++) many.hit();
    expect(capturesOf(many)).toBe(probeLimits.probeCapturesPerSecondMax);
    const large = new AgentBench();
    large.place();
    const list = Array.from({ length: 14 }, () => 'x'.repeat(2_000));
    for (let hit = 0; hit < 20; hit++) large.hit(() => list);
    expect(capturesOf(large)).toBe(Math.floor(probeLimits.probeBytesPerSecondMax / 28_150));
  });
});

describe('the probes of a process', () => {
  test('share one breakpoint in one place, and the last one removes it', () => {
    const bench = new AgentBench();
    bench.place({ id: 1 });
    bench.place({ id: 2 });
    expect(bench.armed.size).toBe(1);
    expect([...bench.armed.values()][0]).toMatch(/try.*try/);
    bench.instruments.remove?.(1);
    expect([...bench.armed.values()]).toEqual(['agent.hit(1,[])']);
    bench.instruments.remove?.(2);
    expect(bench.armed.size).toBe(0);
  });

  test('read a share of the hits', () => {
    const bench = new AgentBench();
    bench.place({ sampleRate: 0.1 });
    run(bench, 100, 1);
    expect(capturesOf(bench)).toBe(10);
  });

  test('count names up to a limit', () => {
    const bench = new AgentBench();
    bench.place({ kind: 'branch' });
    const name = (index: number) => bench.instruments.hit?.(1, `way ${index}`);
    for (let index = 0; index <= probeLimits.probeNamesMax; index++) {
      bench.nowUs += second;
      name(index);
    }
    const summary = bench.remove();
    expect(Object.keys(summary.tally)).toHaveLength(probeLimits.probeNamesMax + 1);
    expect(summary.tally['[others]']).toBe(1);
  });

  test('never throw into the application', () => {
    const bench = new AgentBench();
    bench.place();
    const broken = (): never => {
      throw new Error('no');
    };
    expect(bench.instruments.hit?.(1, '', broken)).toBe(false);
    expect(bench.instruments.hit?.(1, '', null)).toBe(false);
    expect(bench.instruments.hit?.(99, '')).toBe(false);
    expect(bench.instruments.when?.(99, () => true)).toBe(false);
    expect(bench.instruments.when?.(1, broken)).toBe(false);
  });
});
