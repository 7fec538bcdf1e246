import { callsOf, type Hop, type KeyLoss, lossLine } from '../../lanes/index.ts';
import { type Config, languageOf } from '../../system/index.ts';
import type { CheckedCall, CheckedLoss } from './api-schema.ts';
import { formatFix } from './key-fix.ts';

/** What a service that was seen to be reached did not do may have had no reason. */
const isObserved = ({ how }: KeyLoss): boolean => how !== 'silent' && how !== 'cached';

/** Losses of a single call, which the service could have made with the key. */
const callLosses: ReadonlySet<KeyLoss['how']> = new Set(['recovered', 'escaped', 'untagged']);

/**
 * The baseline also serves others meanwhile, and a call that one of its timers makes may be theirs.
 * It counts as lost only if the request did not make this call with its key.
 */
export function withoutDoubts(hops: readonly Hop[]): readonly Hop[] {
  const isSame = (one: string | null, other: string | null): boolean =>
    one !== null && one === other;
  const isKept = (doubt: Hop): boolean =>
    hops.some(
      (hop) =>
        !hop.escaped &&
        hop.from === doubt.from &&
        hop.to === doubt.to &&
        (isSame(hop.requestId, doubt.requestId) || isSame(hop.traceId, doubt.traceId)),
    );
  return hops.filter((hop) => !(hop.escaped && hop.path === 'shared' && isKept(hop)));
}

interface CheckFacts {
  readonly hops: readonly Hop[];
  readonly lost: readonly KeyLoss[];
  /** Where the code of the services is. */
  readonly root: string;
  readonly config: Config;
}

/** Each loss once, with its cause and its fix. */
export function findLosses({ hops, lost, root, config }: CheckFacts): CheckedLoss[] {
  const place = (service: string | null, to: string, isCall: boolean) => {
    const own = service === null ? undefined : config.services[service];
    const language = own ? languageOf(root, own) : ('other' as const);
    const isPreloaded = own?.tagging === 'preload';
    const fix = formatFix({ service, to, language, isPreloaded, isCall });
    return { service, to, language, fix };
  };
  const own = hops
    .filter((hop) => hop.own)
    .map(({ from, to, method, path }) => ({
      ...place(from, to, true),
      key: 'lost' as const,
      cause: `${from} called ${to} (${method} ${path.replace(/\?.*$/, '')}) without the key`,
    }));
  const reported = lost.filter(isObserved).map((loss) => ({
    ...place(loss.by, loss.to, callLosses.has(loss.how)),
    key: loss.how === 'recovered' ? ('recovered' as const) : ('lost' as const),
    cause: lossLine(loss),
  }));
  const losses = new Map([...own, ...reported].map((loss) => [loss.cause, loss]));
  return [...losses.values()];
}

/** Every call that was made or that surety.yaml expects, and whether it kept the key. */
export function listCalls(
  hops: readonly Hop[],
  lost: readonly KeyLoss[],
  config: Config,
): CheckedCall[] {
  const calls = new Map<string, CheckedCall>();
  const add = (call: CheckedCall): void => {
    const name = `${call.from ?? ''} ${call.to}`;
    const known = calls.get(name);
    if (!known) calls.set(name, call);
    else
      calls.set(name, {
        ...call,
        key: worse(known.key, call.key),
        count: known.count + call.count,
      });
  };
  for (const hop of hops) {
    const { from, to, own, escaped, recovered, instance } = hop;
    // The loss says more than such a report, which has no call of its own.
    if (instance === 'external' || escaped) continue;
    const key = own ? 'lost' : recovered ? 'recovered' : 'kept';
    add({ from, to, key, count: 1 });
  }
  for (const { by, to, how } of lost.filter(isObserved)) {
    const isCall = by !== to;
    if (isCall && how !== 'recovered') add({ from: by, to, key: 'lost', count: 1 });
  }
  for (const call of expectedCalls(config)) {
    if (!calls.has(`${call.from} ${call.to}`)) add({ ...call, key: 'unseen', count: 0 });
  }
  return [...calls.values()];
}

const ranks = ['unseen', 'kept', 'recovered', 'lost'] as const;

function worse(one: CheckedCall['key'], other: CheckedCall['key']): CheckedCall['key'] {
  return ranks[Math.max(ranks.indexOf(one), ranks.indexOf(other))] ?? one;
}

function expectedCalls(config: Config): { from: string; to: string }[] {
  const calls = callsOf(config);
  return Object.keys(config.services).flatMap((from) =>
    calls(from)
      .filter((to) => config.services[to]?.protocol !== 'tcp')
      .map((to) => ({ from, to })),
  );
}
