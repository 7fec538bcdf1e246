import { describe, expect, test } from 'vitest';
import { runs } from '../../../tests/harness/deep.ts';
import {
  distributionAt,
  drawKind,
  mix,
  randomDistribution,
  seededFractions,
  TracedAgent,
} from '../traces.fixture.ts';
import type { BehaviourPastRow, BehaviourRow } from './behaviour-row.ts';

const kinds = 20;

interface Trace {
  readonly agent: TracedAgent;
  readonly usual: readonly number[];
  readonly draw: () => number;
}

function settledAgent(seed: number, actions = 800): Trace {
  const draw = seededFractions(seed);
  const usual = randomDistribution(kinds, draw);
  const agent = new TracedAgent();
  for (let count = 0; count < actions; count++) agent.act(drawKind(usual, draw));
  return { agent, usual, draw };
}

/** The number of the action at which the level rose; undefined if it did not. */
function firstAlarm({ agent, draw }: Trace, distributions: Iterable<readonly number[]>) {
  let count = 0;
  for (const distribution of distributions) {
    count++;
    agent.act(drawKind(distribution, draw));
    if (agent.level !== 'normal') return count;
  }
  return undefined;
}

function* times<Value>(count: number, value: (index: number) => Value): Iterable<Value> {
  for (let index = 0; index < count; index++) yield value(index);
}

const seeds = Array.from({ length: runs(3, 60) }, (_, index) => 500 + index);

describe('shifts of the distribution over actions', () => {
  // proves: drift.detected
  test.each([
    [0.1, 300],
    [0.3, 100],
  ])('a divergence of %d is noticed within %d actions', (divergence, within) => {
    const found = seeds.filter((seed) => {
      const trace = settledAgent(seed);
      const shifted = distributionAt(trace.usual, divergence, trace.draw);
      return (
        firstAlarm(
          trace,
          times(within, () => shifted),
        ) !== undefined
      );
    });
    expect(found.length).toBeGreaterThanOrEqual(Math.floor(0.95 * seeds.length));
  });

  test('a slow ramp is noticed before it is complete', () => {
    const found = seeds.filter((seed) => {
      const trace = settledAgent(seed);
      const end = distributionAt(trace.usual, 0.3, trace.draw);
      const ramp = times(2_000, (index) => mix(trace.usual, end, index / 2_000));
      return firstAlarm(trace, ramp) !== undefined;
    });
    expect(found.length).toBeGreaterThanOrEqual(Math.floor(0.9 * seeds.length));
  });

  // proves: drift.quiet
  test('an agent that behaves as usual raises no alarm', () => {
    const alarms = seeds.filter((seed) => {
      const trace = settledAgent(seed, 0);
      return (
        firstAlarm(
          trace,
          times(3_000, () => trace.usual),
        ) !== undefined
      );
    });
    expect(alarms).toEqual([]);
  });

  test('the level falls when behaviour is usual again', () => {
    const trace = settledAgent(7);
    const shifted = distributionAt(trace.usual, 0.3, trace.draw);
    expect(
      firstAlarm(
        trace,
        times(100, () => shifted),
      ),
    ).toBeDefined();
    for (let count = 0; count < 600; count++) trace.agent.act(drawKind(trace.usual, trace.draw));
    expect(trace.agent.level).toBe('normal');
  });

  test('drift does not become its own reference', () => {
    const trace = settledAgent(8, 300);
    const shifted = distributionAt(trace.usual, 0.3, trace.draw);
    for (let count = 0; count < 2_000; count++) trace.agent.act(drawKind(shifted, trace.draw));
    expect(trace.agent.level).not.toBe('normal');
  });

  test('a person who accepts it makes recent behaviour the reference', () => {
    const trace = settledAgent(9);
    const shifted = distributionAt(trace.usual, 0.3, trace.draw);
    for (let count = 0; count < 400; count++) trace.agent.act(drawKind(shifted, trace.draw));
    expect(trace.agent.level).not.toBe('normal');
    trace.agent.add('drift-accepted', { agent: 'agent:tested' }, 'person:root');
    expect(trace.agent.level).toBe('normal');
    expect(
      firstAlarm(
        trace,
        times(500, () => shifted),
      ),
    ).toBeUndefined();
  });
});

describe('profiles', () => {
  const declare = (agent: TracedAgent, profile: string, replaces: string): void =>
    agent.add('agent-declared', { profile, hash: profile, replaces });

  test('another model is compared with its predecessor', () => {
    const trace = settledAgent(10);
    declare(trace.agent, 'model-2', 'none');
    const shifted = distributionAt(trace.usual, 0.3, trace.draw);
    expect(
      firstAlarm(
        trace,
        times(100, () => shifted),
      ),
    ).toBeDefined();
    const past = trace.agent.rows.get<BehaviourPastRow>('behaviour-past/agent:tested');
    expect(past).toMatchObject({ profile: 'model-2', comparedWith: '' });
  });

  test('a declaration ends no level, neither under a new name nor under a known one', () => {
    const trace = settledAgent(16);
    declare(trace.agent, 'model-2', 'none');
    const shifted = distributionAt(trace.usual, 0.3, trace.draw);
    for (let count = 0; count < 400; count++) trace.agent.act(drawKind(shifted, trace.draw));
    const { level } = trace.agent;
    expect(level).not.toBe('normal');
    declare(trace.agent, 'model-3', 'model-2');
    expect(trace.agent.level).toBe(level);
    declare(trace.agent, 'none', 'model-3');
    expect(trace.agent.level).toBe(level);
  });

  test('a new version every few calls hides no shift', () => {
    const trace = settledAgent(17);
    const shifted = distributionAt(trace.usual, 0.3, trace.draw);
    for (let count = 0; count < 400 && trace.agent.level === 'normal'; count++) {
      if (count % 20 === 0) declare(trace.agent, `version ${count}`, `version ${count - 20}`);
      trace.agent.act(drawKind(shifted, trace.draw));
    }
    expect(trace.agent.level).not.toBe('normal');
  });

  test('a profile that returns is compared with what it did itself', () => {
    const trace = settledAgent(11);
    const shifted = distributionAt(trace.usual, 0.3, trace.draw);
    declare(trace.agent, 'model-2', 'none');
    for (let count = 0; count < 400; count++) trace.agent.act(drawKind(shifted, trace.draw));
    trace.agent.add('drift-accepted', { agent: 'agent:tested' }, 'person:root');
    declare(trace.agent, 'none', 'model-2');
    expect(
      firstAlarm(
        trace,
        times(300, () => trace.usual),
      ),
    ).toBeUndefined();
  });
});

describe('scalar signals', () => {
  test('a tool that begins to fail is noticed, although its use is the same', () => {
    const trace = settledAgent(12);
    for (let count = 0; count < 150 && trace.agent.level === 'normal'; count++) {
      const mark = { behaviour: '00', argumentsHash: String(count) };
      trace.agent.add('proposal-granted', { tool: 'tool.1', ...mark });
      trace.agent.add('proposal-failed', { tool: 'tool.1', code: 'TOOL_FAILED' });
    }
    expect(trace.agent.reasons.join()).toMatch(/failures rose|outcomes shifted/);
  });

  test('asking the same again and again is noticed, also if it only reads', () => {
    const trace = settledAgent(13);
    for (let count = 0; count < 60; count++) {
      trace.agent.act(drawKind(trace.usual, trace.draw), { argumentsHash: 'same', tool: 'ask' });
    }
    expect(trace.agent.reasons.join()).toContain('repeats rose');
  });

  test('costs ten times as high are noticed', () => {
    const trace = settledAgent(14, 0);
    const pay = (actual: number): void => {
      trace.agent.add('proposal-granted', {
        tool: 'm',
        behaviour: '00',
        argumentsHash: `${actual}`,
      });
      const settled = [{ account: 'a', budget: 'tokens/day', reserved: 1, actual }];
      trace.agent.add('proposal-committed', { tool: 'm', settled });
    };
    for (let count = 0; count < 400; count++) pay(800 + Math.floor(400 * trace.draw()));
    expect(trace.agent.level).toBe('normal');
    for (let count = 0; count < 100; count++) pay(8_000 + Math.floor(4_000 * trace.draw()));
    expect(trace.agent.reasons.join()).toMatch(/cost/);
  });
});

describe('compliance', () => {
  const row = (agent: TracedAgent): BehaviourRow =>
    agent.rows.get<BehaviourRow>('behaviour/agent:tested') as BehaviourRow;

  const step = (agent: TracedAgent, kind: string, more: Record<string, unknown> = {}): void =>
    agent.add(`proposal-${kind}`, {
      tool: 'pay',
      behaviour: '00',
      argumentsHash: 'a',
      ...more,
    } as never);

  test('denied calls are prevented violations, granted ones with warnings soft ones', () => {
    const agent = new TracedAgent();
    step(agent, 'denied', { rules: ['pay/limit'] });
    step(agent, 'granted', { rules: ['pay/tone'] });
    step(agent, 'granted', { rules: ['pay/limit'], wouldBe: 'deny' });
    step(agent, 'denied', { rules: ['budget/money'] });
    step(agent, 'held', { rules: ['approval'] });
    expect(row(agent).totals).toMatchObject({ steps: 5, prevented: 1, soft: 1, hard: 1 });
    expect(row(agent)).toMatchObject({ sessions: 1, brokenSessions: 1 });
    const past = agent.rows.get<BehaviourPastRow>('behaviour-past/agent:tested');
    expect(past?.contracts).toEqual({ pay: [1, 1, 1] });
  });

  test.each([
    [3, 0],
    [4, 1],
  ])('%i soft violations in a row leave %i episodes unrecovered', (count, unrecovered) => {
    const agent = new TracedAgent();
    for (let index = 0; index < count; index++) step(agent, 'granted', { rules: ['pay/tone'] });
    step(agent, 'granted');
    expect(row(agent).totals).toMatchObject({
      soft: count,
      episodes: 1,
      unrecovered,
      softInRow: 0,
    });
  });

  test('a rule about the result that fails is a hard violation of its session', () => {
    const agent = new TracedAgent();
    step(agent, 'granted', { about: 'task_1' });
    agent.add('proposal-committed', { tool: 'pay', about: 'task_1', violations: ['pay/sum: no'] });
    step(agent, 'granted', { about: 'task_2' });
    expect(row(agent)).toMatchObject({ sessions: 2, brokenSessions: 1 });
    expect(agent.rows.get('compliance/task_1')).toMatchObject({ steps: 1, hard: 1 });
    expect(agent.rows.get('compliance/task_2')).toMatchObject({ steps: 1, hard: 0 });
  });

  test.each([
    [24, 'normal'],
    [25, 'warn'],
    [49, 'warn'],
    [50, 'critical'],
  ] as const)('%i violations in the last 50 steps are level %s', (count, level) => {
    const agent = new TracedAgent();
    for (let index = 0; index < count; index++) step(agent, 'denied', { rules: ['pay/limit'] });
    expect(agent.level).toBe(level);
  });

  test('what drift itself refused neither adds to the level nor lowers it', () => {
    const agent = new TracedAgent();
    for (let index = 0; index < 50; index++) step(agent, 'denied', { rules: ['pay/limit'] });
    for (let index = 0; index < 20; index++) step(agent, 'denied', { rules: ['drift.pause'] });
    expect(agent.level).toBe('critical');
    expect(row(agent).totals.prevented).toBe(50);
  });

  test('entries of an earlier version, without a mark, are left alone', () => {
    const agent = new TracedAgent();
    agent.add('proposal-granted', { tool: 'pay' });
    agent.add('proposal-committed', { tool: 'pay' });
    expect(agent.rows.get('behaviour/agent:tested')).toBeUndefined();
  });

  test('rows stay small, however long the history', () => {
    const { agent } = settledAgent(15, 3_000);
    expect(JSON.stringify(row(agent)).length).toBeLessThan(1_200);
    const past = agent.rows.get('behaviour-past/agent:tested');
    expect(JSON.stringify(past).length).toBeLessThan(6_000);
  });
});
