import { sha256 } from '../../kernel/index.ts';
import type { Lane } from '../../lanes/index.ts';
import { type Config, type ServiceRoutes, serviceCode, serviceRoutes } from '../../system/index.ts';
import { hopName } from '../compare/index.ts';
import { verifyLimits } from '../limits.ts';
import type { ChangedCode } from '../line-coverage/change-coverage.ts';
import type { RoundObservations } from '../observe/observe-rounds.ts';
import type { Round } from '../observe/round.ts';
import type { VerificationPlan } from '../pipeline/plan.ts';
import {
  acceptedCredential,
  credentialsIn,
  innerSafetyOf,
  isRead,
  safetyOf,
} from '../traffic/index.ts';
import { hintsOf } from './code-hints.ts';
import { comparedConstants } from './compared-constants.ts';
import { credentialsLike } from './credentials.ts';
import { deriveVariants, directReads } from './derive-variants.ts';
import { faultVariants } from './fault-variants.ts';
import { bodyOf, type KnownRequest, type KnownTraffic, knownRequests } from './known-requests.ts';
import { observedValues } from './observed-values.ts';
import { type OwnData, ownDataOf } from './own-data.ts';
import { sequencesOf } from './sequences.ts';
import { unaskedRequests } from './unasked-requests.ts';
import type { Variant } from './variant.ts';

export interface VariantInput {
  readonly plan: Pick<VerificationPlan, 'control' | 'candidate' | 'changed' | 'profile' | 'tree'>;
  /** Null if nothing is changed: false alarms are counted with the same kinds of requests. */
  readonly code: ChangedCode | null;
  readonly observations: Pick<RoundObservations, 'compared' | 'test' | 'edited'>;
  /** Of requests that ran changed lines. */
  readonly traces: ReadonlySet<string>;
}

/** Makes requests for a change. Repeatable: the same change is judged by the same requests. */
export interface VariantMaker {
  /** The most promising ones. */
  first(): readonly Variant[];
  /** Those that change one thing more in requests that reached new lines of the change. */
  beyond(reached: readonly Variant[]): readonly Variant[];
  /** Those that ask for what the answers to others listed. */
  following(round: ComparedSides): readonly Variant[];
  /** Those that come after others, of which a service may remember something. */
  sequences(round: Pick<Round, 'control'>): readonly Variant[];
  /** Those for which a service fails that a changed service needs. */
  faults(): readonly Variant[];
}

/** Null if none may be made. */
export function variantMaker(input: VariantInput, config: Config): VariantMaker | null {
  const { plan, code, traces } = input;
  if (config.verify.variants === 'off') return null;
  const { all, hops, seen } = trafficOf(input);
  const { changed, profile } = plan;
  const hints = hintsOf(code?.files ?? []);
  const offered = new Map(
    changed.map((name) => [name, serviceRoutes(plan.tree.root, config, name)] as const),
  );
  const read = [...offered.values()].flatMap(({ declared }) => declared);
  const credentials = credentialsIn(all);
  const sources = {
    known: knownTo(input, config, [plan.control, plan.candidate]),
    changed,
    hints,
    compared: comparedConstants(
      changed.flatMap((name) => serviceCode(plan.tree.root, config, name)),
    ),
    queries: [...new Set(read.flatMap(({ queries }) => queries))],
    credentials: [...credentialsLike(credentials, hints.quoted), ...credentials],
    health: healthOf(changed, config),
    observed: observedValues(hops),
    reaching: new Set(seen.filter(({ traceId }) => traces.has(traceId ?? '')).map(hopName)),
  };
  const unasked = unaskedReads(input, { offered, paths: hints.paths }, config);
  const limit = verifyLimits[profile === 'quick' ? 'variantsQuickMax' : 'variantsFullMax'];
  const directMax = verifyLimits[profile === 'quick' ? 'directQuickMax' : 'directFullMax'];
  const seed = sha256(JSON.stringify(code?.watched ?? null));
  const directOf = (rounds: readonly ComparedSides[], most: number): Variant[] => {
    // Query parameters are tried in the first of these rounds.
    const queries = rounds.length > 0 ? [] : sources.queries;
    return directReads({ ...sources, queries, unasked: unasked(rounds) }, seed, most);
  };
  return {
    first: () => [...deriveVariants(sources, seed, limit), ...directOf([], directMax)],
    following: (round) => directOf([round], directMax / 2),
    beyond: (reached) => {
      const known = reached.map(asKnown);
      return deriveVariants({ ...sources, known }, seed, limit / 4);
    },
    sequences: (round) => sequencesOf(round, limit / 4),
    faults: () => faultVariants(sources.known, { hops, changed }, limit / 12),
  };
}

type ComparedSides = Pick<Round, 'control' | 'candidate'>;

interface OfferedPaths {
  readonly offered: ReadonlyMap<string, ServiceRoutes>;
  readonly paths: readonly string[];
}

/** Reads that nobody asked for, in the suites and in these further rounds. */
function unaskedReads(
  input: VariantInput,
  paths: OfferedPaths,
  config: Config,
): (rounds: readonly ComparedSides[]) => KnownRequest[] {
  const { plan, observations } = input;
  const { all } = trafficOf(input);
  const { isSafe } = safetyIn(input, config, [plan.control, plan.candidate]);
  const facts = { ...paths, changed: plan.changed, scenarios: all, isSafe };
  const credential = acceptedCredential(all);
  return (rounds) => {
    const heard = [...observations.compared.rounds.slice(0, 1), ...rounds];
    const control = heard.flatMap((round) => round.control.hops);
    const candidate = heard.flatMap((round) => round.candidate.hops);
    return unaskedRequests({ ...facts, control, candidate, credential }, config);
  };
}

/** Of a service that is not changed: a changed one passes the request on to such a service. */
function healthOf(changed: readonly string[], { services }: Config): string | undefined {
  const others = Object.entries(services).filter(([name]) => !changed.includes(name));
  return others.map(([, { health }]) => health).find((path) => path?.startsWith('/'));
}

/** Lanes with data of their own, if there are effects that are safe only there. */
export function neededData(input: Omit<VariantInput, 'traces'>, config: Config): OwnData | null {
  const own = ownDataOf(config, trafficOf(input).seen);
  if (config.verify.variants !== 'all' || own === null) return null;
  const { control, candidate } = input.plan;
  const data = Object.keys(own.data).map((store) => ({ store, mode: 'branch' as const }));
  const candidates = [...input.plan.changed, ...own.services].map((service) => ({ service }));
  const more = knownTo(input, config, [{ data, candidates } as unknown as Lane]);
  return more.length > knownTo(input, config, [control, candidate]).length ? own : null;
}

function knownTo(
  input: Omit<VariantInput, 'traces'>,
  config: Config,
  lanes: readonly Pick<Lane, 'data' | 'candidates'>[],
): KnownRequest[] {
  const { all, hops } = trafficOf(input);
  const { changed } = input.plan;
  const safety = safetyIn(input, config, lanes);
  return knownRequests({ scenarios: all, hops, changed, ...safety }, config);
}

function safetyIn(
  input: Omit<VariantInput, 'traces'>,
  config: Config,
  lanes: readonly Pick<Lane, 'data' | 'candidates'>[],
): Pick<KnownTraffic, 'isSafe' | 'isSafeInside'> {
  const { seen } = trafficOf(input);
  // Made-up values may reach a third party by a way that no usual request takes.
  const isAlone = !seen.some(({ instance }) => instance === 'external');
  if (config.verify.variants !== 'all' || !isAlone) return onlyReads;
  const copied = copiedBy(lanes);
  return {
    isSafe: safetyOf(config, lanes, seen, copied),
    isSafeInside: innerSafetyOf(config, lanes, seen, copied),
  };
}

/** The services of which each lane has its own process. */
function copiedBy(lanes: readonly Pick<Lane, 'candidates'>[]): ReadonlySet<string> {
  const services = lanes.map(({ candidates }) => candidates.map(({ service }) => service));
  return new Set(services.flat().filter((one) => services.every((own) => own.includes(one))));
}

const onlyReads: Pick<KnownTraffic, 'isSafe' | 'isSafeInside'> = {
  isSafe: isRead,
  isSafeInside: (_, call) => isRead(call),
};

function trafficOf({ observations }: Pick<VariantInput, 'observations'>) {
  const { rounds } = observations.compared;
  const { scenarios = [], unmeasured = [], replayed = [], hops = [] } = rounds[0]?.control ?? {};
  const seen = rounds.flatMap(({ control, candidate }) => [...control.hops, ...candidate.hops]);
  return { all: [...scenarios, ...unmeasured, ...replayed], hops, seen };
}

/** A variant as the start of others, without what was only sent after it. */
function asKnown({
  requests,
  varied,
  hop,
  what,
  hasOwnIds,
  isUnasked = false,
}: Variant): KnownRequest {
  const own = requests.slice(0, requests.length - varied + 1);
  const last = own.at(-1);
  const body = last === undefined ? null : bodyOf(last);
  return { requests: own, name: hop, body, isInner: hasOwnIds, isUnasked, what };
}
