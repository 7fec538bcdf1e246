import { judgeSignals, signalRules } from '../../src/verify/measure/statistics/index.ts';
import type { Judge, Opinion } from './contender.ts';

const opinions: Readonly<Record<string, Opinion>> = { worse: 'fail', 'not-worse': 'pass' };

export const ours: Judge = {
  name: 'Surety',
  judge(signals, kind) {
    const rule = kind === 'measured' ? signalRules['cpu-us'] : signalRules.errors;
    const measured = signals.map((starts, index) => ({ signal: String(index), rule, starts }));
    return judgeSignals(measured).map(({ verdict }) => opinions[verdict] ?? 'inconclusive');
  },
};
