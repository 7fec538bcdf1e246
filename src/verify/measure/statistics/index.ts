export { judgeSignals } from './judge-signals.ts';
export { isMeasured, type Pair, type Start } from './pair.ts';
export { type SignalName, signalRules } from './signal-rule.ts';
