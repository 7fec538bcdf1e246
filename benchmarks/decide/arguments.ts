import { atLeast, atMost, type BenchResult, interleave, medianRatio, type Say } from '../bench.ts';
import { openAgentGovernance } from './agent-governance.ts';
import { openCedar } from './cedar.ts';
import type { Decider } from './contender.ts';
import { openOpa } from './opa.ts';
import { openOurs } from './ours.ts';
import { makeProposals } from './proposals.ts';
import { type Variant, variants } from './rules.ts';
import { type Timed, timed, timedRow } from './timed.ts';

const rounds = 9;

interface Field {
  readonly variant: Variant;
  readonly ours: Timed;
  readonly peers: readonly Timed[];
}

/** Rules about arguments, against every peer. All variants run in turn: their ratio counts, too. */
export async function measureArguments(say: Say): Promise<BenchResult> {
  const fields = await Promise.all(variants.map(makeField));
  const clock = timed('the clock itself', [1], () => true);
  const contenders = [clock, ...fields.flatMap(({ ours, peers }) => [ours, ...peers])];
  say('rules about arguments');
  const measured = await interleave(contenders, rounds, say);
  const roundsOf = ({ name }: Timed) => measured.get(name) ?? [];
  const lead = fields.flatMap(({ ours, peers }) =>
    peers.map((peer) => medianRatio(roundsOf(ours), roundsOf(peer))),
  );
  const [spread, called, thousand] = fields.map(({ ours }) => ours) as [Timed, Timed, Timed];
  return {
    bars: [
      atMost('decide.spread.p50', variants[0]?.what ?? '', spread.microseconds(0.5), 10, 'µs'),
      atMost('decide.spread.p99', variants[0]?.what ?? '', spread.microseconds(0.99), 60, 'µs'),
      atMost('decide.called.p50', variants[1]?.what ?? '', called.microseconds(0.5), 60, 'µs'),
      atMost(
        'decide.thousand',
        'time with 1,000 rules, relative to 100 rules',
        thousand.microseconds(0.5) / spread.microseconds(0.5),
        1.5,
        '×',
      ),
      atLeast(
        'decide.peers',
        'speed relative to the fastest peer, in our worst case',
        Math.min(...lead),
        1,
        '×',
      ),
    ],
    rows: contenders.map((contender) => timedRow(contender, roundsOf(contender))),
  };
}

async function makeField(variant: Variant): Promise<Field> {
  const { rules } = variant;
  const enter = (decider: Decider): Timed => enterDecider(variant, decider);
  return {
    variant,
    ours: enter(openOurs(rules)),
    peers: [await openOpa(variant), openAgentGovernance(rules), openCedar(rules)].map(enter),
  };
}

/** Answers are compared one by one before anything is timed. */
function enterDecider({ what, rules }: Variant, { name, decide }: Decider): Timed {
  const proposals = makeProposals(rules);
  for (const { tool, args, expected } of proposals) {
    const answer = decide(tool, args);
    if (answer === expected) continue;
    throw new Error(`${name}: ${answer} for ${tool} ${JSON.stringify(args)}, not ${expected}`);
  }
  return timed(`${what}: ${name}`, proposals, ({ tool, args }) => decide(tool, args) === 'allow');
}
