import { pluralize } from '../../kernel/index.ts';
import type { ServiceSignal } from '../api-schema.ts';
import { formatCoverage, formatUnexecuted } from '../line-coverage/format-coverage.ts';
import type { Evidence } from './evidence.ts';

type Basis = Pick<Evidence, 'coverage' | 'unexecuted' | 'hops' | 'profile' | 'signals'>;

/** Why requests that showed nothing bad prove too little; null if they prove enough. */
export function whyUnproven({ coverage, unexecuted: rule }: Basis): string | null {
  const [first] = coverage?.unexecuted ?? [];
  if (!coverage || first === undefined) return null;
  if (coverage.status !== 'none' && rule !== 'inconclusive') return null;
  return `nothing got worse, but ${formatCoverage(coverage)}: ${formatUnexecuted(first)}`;
}

/** What a pass stands on, and what it does not cover. */
export function formatPass(held: string, evidence: Basis): string {
  const { coverage, hops, profile, signals } = evidence;
  const requests = hops.filter(({ from }) => from === null).length;
  const undecided = signals.filter((one) => !isDecided(one));
  const basis = [
    held,
    ...(coverage ? [formatCoverage(coverage)] : []),
    pluralize(requests, 'request'),
    ...(signals.length === 0 ? ['cost was not measured'] : []),
    ...(undecided.length > 0 ? [`undecided: ${formatSignals(undecided)}`] : []),
    ...(profile === 'quick' ? ['load and memory growth were not measured (quick)'] : []),
  ].join('; ');
  // First of all: without it, a pass says less than its reader expects.
  return coverage?.status === 'unknown' ? `coverage unknown: ${basis}` : basis;
}

export function isDecided({ verdict }: ServiceSignal): boolean {
  return verdict !== 'inconclusive';
}

function formatSignals(signals: readonly ServiceSignal[]): string {
  const services = Map.groupBy(signals, ({ service }) => service);
  return [...services]
    .map(([service, own]) => `${own.map(({ signal }) => signal).join(' and ')} of ${service}`)
    .join(', ');
}
