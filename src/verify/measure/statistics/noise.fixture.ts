import type { Pair, Start } from './pair.ts';

/** Numbers from 0 to 1 that are the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Random = () => number;

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Student's t with three degrees of freedom: now and then far away. */
function heavy(random: Random): number {
  const squares = [1, 2, 3].reduce((sum) => sum + normal(random) ** 2, 0);
  return normal(random) / Math.sqrt(squares / 3);
}

/** One measurement after the other, as the machine would give them: logarithms around 0. */
type Wander = (random: Random) => () => number;

/** Kinds of noise. The spread is that of requests on a machine that has other things to do. */
export const noises: Readonly<Record<string, Wander>> = {
  'heavy tails': (random) => () => 0.1 * heavy(random),
  'slow waves': (random) => {
    let level = 0;
    return () => {
      level = 0.95 * level + 0.08 * normal(random);
      return level + 0.05 * normal(random);
    };
  },
  'two modes': (random) => () => (random() < 0.1 ? 1.1 : 0) + 0.08 * normal(random),
  'a machine that gets slower': (random) => {
    let count = 0;
    return () => 0.01 * count++ + 0.1 * normal(random);
  },
  bursts: (random) => {
    let left = 0;
    return () => {
      if (random() < 0.02) left = 8;
      left -= 1;
      return (left > 0 ? 0.7 : 0) + 0.07 * heavy(random);
    };
  },
};

export interface NoiseScene {
  readonly noise: keyof typeof noises;
  readonly pairs: number;
  readonly starts?: number;
  /** What the candidate needs, of what the control needs. */
  readonly factor?: number;
  /** The luck of a process: how far two starts of the same code differ, as a standard deviation. */
  readonly startSpread?: number;
}

/** Pairs in a random order on one machine, by fresh processes for every start. */
export function simulate(scene: NoiseScene, random: Random): Start[] {
  const { noise, pairs, starts = 1, factor = 1, startSpread = 0.02 } = scene;
  const wander = (noises[noise] as Wander)(random);
  return Array.from({ length: starts }, () => {
    const luck = [startSpread * normal(random), startSpread * normal(random)] as const;
    return Array.from({ length: pairs / starts }, (): Pair => {
      const slots = [wander(), wander()] as const;
      const [first, second] = random() < 0.5 ? slots : slots.toReversed();
      const control = 1_000 * Math.exp((first ?? 0) + luck[0]);
      return { control, candidate: 1_000 * factor * Math.exp((second ?? 0) + luck[1]) };
    });
  });
}
