import {
  type Distribution,
  distributionAt,
  drawKind,
  mix,
  randomDistribution,
  seededFractions,
  TracedAgent,
} from '../../src/drift/traces.fixture.ts';
import { atLeast, atMost, type Benchmark, type BenchResult, quantile, type Say } from '../bench.ts';

const kinds = 20;
const traces = 200;

export const benchmark: Benchmark = {
  title: `drift of agents, on generated traces over ${kinds} kinds of action`,
  parts: { shifts: measureShifts, ramps: measureRamps, quiet: measureQuiet, cost: measureCost },
};

interface Trace {
  readonly agent: TracedAgent;
  readonly usual: Distribution;
  readonly draw: () => number;
}

/** An agent whose reference is learned; how long it worked before differs from trace to trace. */
function settledTrace(seed: number): Trace {
  const draw = seededFractions(seed);
  const usual = randomDistribution(kinds, draw);
  const agent = new TracedAgent();
  const actions = 400 + Math.floor(800 * draw());
  for (let count = 0; count < actions; count++) agent.act(drawKind(usual, draw));
  if (agent.level !== 'normal') throw new Error(`trace ${seed} raised an alarm before its shift`);
  return { agent, usual, draw };
}

/** After how many actions the level rose; infinite if it did not. */
function alarmAfter(
  { agent, draw }: Trace,
  actions: number,
  at: (index: number) => Distribution,
): number {
  for (let index = 0; index < actions; index++) {
    agent.act(drawKind(at(index), draw));
    if (agent.level !== 'normal') return index + 1;
  }
  return Number.POSITIVE_INFINITY;
}

async function measureShifts(say: Say): Promise<BenchResult> {
  const cases = [
    [0.1, 300],
    [0.3, 100],
  ] as const;
  const measured = cases.map(([divergence, within]) => {
    say(`${traces} shifts of ${divergence}`);
    const delays = Array.from({ length: traces }, (_, index) => {
      const trace = settledTrace(10_000 * divergence + index);
      const shifted = distributionAt(trace.usual, divergence, trace.draw);
      return alarmAfter(trace, within, () => shifted);
    });
    return { divergence, within, delays };
  });
  return {
    bars: measured.map(({ divergence, within, delays }) => {
      const what = `shifts of ${divergence} (Jensen–Shannon) noticed within ${within} actions`;
      return atLeast(`drift.shift.${divergence}`, what, foundPercent(delays), 95, '%');
    }),
    rows: measured.map(({ divergence, delays }) => ({
      contender: `shift of ${divergence}`,
      traces,
      'noticed, %': foundPercent(delays),
      'actions, median': quantile(delays, 0.5),
      'actions, p95': quantile(delays, 0.95),
    })),
  };
}

function foundPercent(delays: readonly number[]): number {
  return (100 * delays.filter(Number.isFinite).length) / delays.length;
}

const rampActions = 2_000;

/** Behaviour shifts slowly by 0.3; the hard violation is the first action after the ramp. */
async function measureRamps(say: Say): Promise<BenchResult> {
  say(`${traces} ramps`);
  const delays = Array.from({ length: traces }, (_, index) => {
    const trace = settledTrace(50_000 + index);
    const end = distributionAt(trace.usual, 0.3, trace.draw);
    return alarmAfter(trace, rampActions, (at) => mix(trace.usual, end, at / rampActions));
  });
  const what = `ramps of ${rampActions} actions noticed before the hard violation at their end`;
  return { bars: [atLeast('drift.ramp', what, foundPercent(delays), 90, '%')], rows: [] };
}

const quietActions = 10_000;
const quietTraces = 100;

async function measureQuiet(say: Say): Promise<BenchResult> {
  say(`${quietTraces} sequences without a shift`);
  const alarms = Array.from({ length: quietTraces }, (_, index) => {
    const draw = seededFractions(90_000 + index);
    const trace = { agent: new TracedAgent(), usual: randomDistribution(kinds, draw), draw };
    return alarmAfter(trace, quietActions, () => trace.usual);
  }).filter(Number.isFinite).length;
  const what = `alarms in ${quietTraces} sequences of ${quietActions} actions without a shift`;
  return { bars: [atMost('drift.quiet', what, alarms, 1, '')], rows: [] };
}

/** CPU time of both entries of an action, its proposal and its outcome. */
async function measureCost(say: Say): Promise<BenchResult> {
  say('cost of an action');
  const { agent, usual, draw } = settledTrace(70_000);
  const drawn = Array.from({ length: 100_000 }, () => drawKind(usual, draw));
  const before = process.cpuUsage();
  for (const kind of drawn) agent.act(kind);
  const { user, system } = process.cpuUsage(before);
  const each = Number(((user + system) / drawn.length).toFixed(1));
  return { bars: [atMost('drift.update', 'CPU per action, amortised', each, 10, 'µs')], rows: [] };
}
