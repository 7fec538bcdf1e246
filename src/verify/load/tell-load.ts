import type { Hop } from '../../lanes/index.ts';
import type { Difference } from '../compare/index.ts';
import type { Block } from './block.ts';
import { tellHoldUps } from './hold-ups.ts';
import { type BlockPair, errorsOf, type Strain } from './judge-load.ts';
import { tellKnee } from './knee.ts';
import { loadByService, type ServiceLoad } from './service-load.ts';

const affectedMax = 4;

/** What was seen of it. */
export interface Seen {
  /** With as many clients, on the first start and on the second. */
  readonly first: readonly BlockPair[];
  readonly again: readonly BlockPair[];
  /** All of the first start. */
  readonly all: readonly BlockPair[];
}

/** What gave under load, in words: whose doing, what became of others, which request shows it. */
export function strainDifference(
  strain: Strain,
  { first, again, all }: Seen,
  services: readonly string[],
): { readonly difference: Difference; readonly shown: readonly Hop[] } {
  const { what, request, before, after } = strain;
  const pairs = [...first, ...again];
  const affected = affectedBy(strain, pairs);
  const service = services.find((one) => affected.some((other) => other.service === one));
  const shown = exampleOf(
    strain,
    pairs.map(({ candidate }) => candidate),
  );
  const named = affected.toSorted((one) => (one.service === service ? -1 : 0));
  const others = named.map(({ text }) => text).join(', ');
  const told = [
    amount(what, after),
    others && `by service: ${others}`,
    ...tellHoldUps(again, services),
    tellKnee(all),
  ];
  const difference: Difference = {
    // What a client that is alone meets as well is none of load.
    class: strain.clients > 1 ? 'load' : 'signal',
    what,
    service: service ?? services[0] ?? '',
    hop: null,
    place: request,
    before: `${amount(what, before)} ${tellClients(strain.clients)}`,
    after: told.filter(Boolean).join('; '),
    examples: { before: round(before), after: { is: round(after), request: shown.id } },
    severity: 'fail',
    confidence: 0.99,
  };
  return { difference, shown: shown.hops };
}

const refusedShareMax = 0.2;

/** Where nothing gave. What mostly fails anyway does not show what load would do to it. */
export function heldRemark(pairs: readonly BlockPair[]): string {
  const blocks = pairs.map(({ control }) => control);
  const clients = `${Math.max(0, ...blocks.map((block) => block.clients))} clients at once`;
  const sent = blocks.reduce((total, { samples }) => total + samples.length, 0);
  const failed = blocks.reduce((total, block) => total + errorsOf(block), 0);
  if (failed <= refusedShareMax * sent) return `held under load of up to ${clients} like before`;
  const share = Math.round((100 * failed) / sent);
  const why = `${share} % of all requests failed on the version before, too`;
  return `little is known of load of up to ${clients}: ${why}`;
}

function tellClients(clients: number): string {
  return clients > 1 ? `with ${clients} clients at once` : 'with one client';
}

interface Affected {
  readonly service: string;
  readonly text: string;
  readonly by: number;
}

/** Services that answer otherwise under this load, the worst first. */
function affectedBy({ what }: Strain, pairs: readonly BlockPair[]): Affected[] {
  const before = loadByService(pairs.map(({ control }) => control));
  const after = loadByService(pairs.map(({ candidate }) => candidate));
  const found = [...after.values()].flatMap((now) => {
    const was = before.get(now.service);
    if (!was) return [];
    const failed = failedText(was, now);
    const by = now.p95Ms / Math.max(1, was.p95Ms);
    if (failed === null && (what === 'errors' || by < 1.5)) return [];
    const times = `${now.service} p95 ${was.p95Ms.toFixed(0)} → ${now.p95Ms.toFixed(0)} ms`;
    return [{ service: now.service, text: failed ?? times, by: failed === null ? by : 1_000 }];
  });
  return found.toSorted((one, other) => other.by - one.by).slice(0, affectedMax);
}

function failedText(was: ServiceLoad, now: ServiceLoad): string | null {
  if (now.failed <= 5 * was.failed) return null;
  return `${now.service} failed ${was.failed} → ${now.failed} of ${now.requests}`;
}

/** The slowest request, or one that failed, with its hops. */
function exampleOf(
  { what }: Strain,
  blocks: readonly Block[],
): { readonly id: string | null; readonly hops: readonly Hop[] } {
  const samples = blocks.flatMap((block) => block.samples);
  const wanted = what === 'errors' ? samples.filter(({ isError }) => isError) : samples;
  const hops = blocks.flatMap((block) => block.hops);
  const known = new Set(hops.map(({ requestId }) => requestId));
  const [worst] = wanted.filter(({ id }) => known.has(id)).toSorted((a, b) => b.ms - a.ms);
  if (!worst) return { id: null, hops: [] };
  return { id: worst.id, hops: hops.filter(({ requestId }) => requestId === worst.id) };
}

function amount(what: Strain['what'], value: number): string {
  if (what === 'errors') return `${value} errors`;
  return `${what === 'p95-ms' ? 'p95' : 'median'} ${value.toFixed(0)} ms`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
