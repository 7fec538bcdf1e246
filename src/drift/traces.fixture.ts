import type { Actor, DriftLevel, DriftLevelRow } from '../kernel/index.ts';
import { type Entry, MemoryRows } from '../ledger/index.ts';
import { behaviours } from './behaviour/projection.ts';
import { jensenShannon } from './statistics/divergence.ts';
import { seededDraws } from './statistics/seeded-random.ts';

/** Shares of kinds of action; they sum to 1. */
export type Distribution = readonly number[];

export type Draw = () => number;

export function seededFractions(seed: number): Draw {
  const draw = seededDraws(seed);
  return () => draw(2 ** 30) / 2 ** 30;
}

/** Random shares: some actions are usual, others rare, as with real agents. */
export function randomDistribution(kinds: number, draw: Draw): Distribution {
  const weights = Array.from({ length: kinds }, () => -Math.log(1 - draw()));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** A distribution at exactly this Jensen–Shannon divergence from another. */
export function distributionAt(from: Distribution, divergence: number, draw: Draw): Distribution {
  for (;;) {
    const toward = randomDistribution(from.length, draw).map((share) => share ** 4);
    const sum = toward.reduce((total, share) => total + share, 0);
    const end = toward.map((share) => share / sum);
    if (jensenShannon(from, end) < divergence) continue;
    let [low, high] = [0, 1];
    for (let step = 0; step < 40; step++) {
      const middle = (low + high) / 2;
      if (jensenShannon(from, mix(from, end, middle)) < divergence) low = middle;
      else high = middle;
    }
    return mix(from, end, low);
  }
}

export function mix(from: Distribution, to: Distribution, part: number): Distribution {
  return from.map((share, index) => (1 - part) * share + part * (to[index] as number));
}

export function drawKind(distribution: Distribution, draw: Draw): number {
  let left = draw();
  for (const [index, share] of distribution.entries()) {
    left -= share;
    if (left < 0) return index;
  }
  return distribution.length - 1;
}

const agent: Actor = 'agent:tested';
const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUV';

/** An agent whose actions go through the real projection, without a store. */
export class TracedAgent {
  readonly rows: MemoryRows = new MemoryRows();
  #seq = 0;

  /** One granted and committed call. */
  act(kind: number, more: Entry['body'] = {}): void {
    const shape = letters[kind % letters.length];
    const call = { tool: `tool.${kind}`, argumentsHash: String(this.#seq), behaviour: `${shape}0` };
    this.add('proposal-granted', { ...call, ...more });
    this.add('proposal-committed', { tool: call.tool });
  }

  add(kind: string, body: Entry['body'], actor: Actor = agent): void {
    const seq = ++this.#seq;
    const chain = { workspace: 'w', digest: '', prev: '', hash: '' };
    behaviours.apply(this.rows, { ...chain, seq, at: seq * 1_000, kind, actor, body });
  }

  get level(): DriftLevel {
    return this.rows.get<DriftLevelRow>(`drift-level/${agent}`)?.level ?? 'normal';
  }

  get reasons(): readonly string[] {
    return this.rows.get<DriftLevelRow>(`drift-level/${agent}`)?.reasons ?? [];
  }
}
