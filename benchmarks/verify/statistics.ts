import {
  type NoiseScene,
  noises,
  seeded,
  simulate,
} from '../../src/verify/measure/statistics/noise.fixture.ts';
import { atLeast, atMost, type Bar, type BenchResult, type Row, type Say } from '../bench.ts';
import type { Judge, Opinion } from './contender.ts';
import { mannWhitney } from './mann-whitney.ts';
import { ours } from './ours.ts';
import { thresholdRules } from './thresholds.ts';
import { passedVectors, vectorCount } from './vectors.ts';

const judges: readonly Judge[] = [ours, mannWhitney, ...thresholdRules];
const runs = 100;
const signals = 7;

const quick = { pairs: 50, starts: 1, startSpread: 0.02 };
const full = { pairs: 150, starts: 3, startSpread: 0.02 };

/**
 * Everybody judges the same simulated pairs, which are interleaved in a random order: what is
 * measured is the judging alone, on noise that is known. The corpus shows it on real services.
 */
export async function measureStatistics(say: Say): Promise<BenchResult> {
  const tables = judges.map((judge) => {
    say(`judging by ${judge.name}`);
    return { judge, ...tableOf(judge) };
  });
  const [first] = tables as [(typeof tables)[number]];
  return { bars: barsOf(first), rows: tables.map(rowOf) };
}

interface Table {
  readonly alarms: number;
  readonly alarmsOfOne: number;
  readonly verdicts: number;
  readonly passes: number;
  readonly half: number;
  readonly fifth: number;
  readonly passedVectors: readonly string[];
}

/** Of what is worse, the kind of noise with which least is seen; of what is not, all together. */
function tableOf(judge: Judge): Table {
  const kinds = Object.keys(noises);
  const identical = kinds.flatMap((noise) => [
    ...verdictsOf(judge, { noise, ...quick }),
    ...verdictsOf(judge, { noise, ...full }),
  ]);
  const first = identical.map(([one]) => one);
  const seen = (scene: Omit<NoiseScene, 'noise'>): number =>
    Math.min(
      ...kinds.map((noise) =>
        shareOf(verdictsOf(judge, { noise, ...scene }), ([one]) => one === 'fail'),
      ),
    );
  return {
    alarms: shareOf(identical, (all) => all.includes('fail')),
    alarmsOfOne: shareOf(first, (one) => one === 'fail'),
    verdicts: identical.length,
    passes: shareOf(first, (one) => one === 'pass'),
    half: seen({ ...quick, factor: 1.5 }),
    fifth: seen({ ...full, factor: 1.2 }),
    passedVectors: passedVectors(judge),
  };
}

/** All signals are on; the first may be worse, the others are the same on both sides. */
function verdictsOf(judge: Judge, scene: NoiseScene): Opinion[][] {
  const random = seeded(scene.pairs);
  const calm = { ...scene, factor: 1 };
  return Array.from({ length: runs }, () => {
    const all = Array.from({ length: signals }, (_, index) =>
      simulate(index === 0 ? scene : calm, random),
    );
    return judge.judge(all, 'measured');
  });
}

function shareOf<One>(all: readonly One[], isSo: (one: One) => boolean): number {
  return (100 * all.filter(isSo).length) / all.length;
}

/** Up to where the true rate may be, with 95 % (Wilson). */
function upperBound(percent: number, count: number): number {
  const [p, z] = [percent / 100, 1.96];
  const centre = p + z ** 2 / (2 * count);
  const spread = z * Math.sqrt((p * (1 - p)) / count + z ** 2 / (4 * count ** 2));
  return (100 * (centre + spread)) / (1 + z ** 2 / count);
}

function barsOf({ alarms, verdicts, half, fifth, passedVectors }: Table): Bar[] {
  const upTo = upperBound(alarms, verdicts).toFixed(2);
  const identical = `false alarms on identical code, ${verdicts} simulated verdicts with ${signals} signals; at most ${upTo} % with 95 %`;
  return [
    atMost('verify.statistics.alarms', identical, alarms, 1, '%'),
    atLeast(
      'verify.statistics.half',
      '+50 % detected with 50 pairs, one start; worst noise',
      half,
      99,
      '%',
    ),
    atLeast(
      'verify.statistics.fifth',
      '+20 % detected with 150 pairs, three starts; worst noise',
      fifth,
      95,
      '%',
    ),
    atMost(
      'verify.statistics.vectors',
      `of ${vectorCount} worse cases, wrongly passed`,
      passedVectors.length,
      0,
      '',
    ),
  ];
}

function rowOf({ judge, ...table }: Table & { judge: Judge }): Row {
  return {
    contender: judge.name,
    'false alarms %, 7 signals': table.alarms,
    'false alarms %, 1 signal': table.alarmsOfOne,
    'passes %, 1 signal': table.passes,
    '+50 % detected': table.half,
    '+20 % detected': table.fifth,
    'worse, but passed': `${table.passedVectors.length} of ${vectorCount}`,
  };
}
