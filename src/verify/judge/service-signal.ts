import type { SignalVerdict } from '../measure/statistics/index.ts';

/** A signal of one service, on both versions. */
export type ServiceSignal = SignalVerdict & { readonly service: string };
