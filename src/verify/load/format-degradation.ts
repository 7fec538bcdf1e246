import type { Hop } from '../../lanes/index.ts';
import type { Difference } from '../compare/index.ts';
import type { Block } from './block.ts';
import { type BlockPair, type Degradation, errorsOf } from './degradation.ts';
import { formatSaturation } from './saturation.ts';
import { loadByService, quantile, type ServiceLoad } from './service-load.ts';

const affectedMax = 4;

/** The blocks that show a degradation. */
interface DegradedBlocks {
  /** With the same number of clients, on the first start and on the second. */
  readonly first: readonly BlockPair[];
  readonly again: readonly BlockPair[];
  /** All blocks of the first start. */
  readonly all: readonly BlockPair[];
}

/** A degradation in words: which service causes it, which others it affects, an example request. */
export function degradationDifference(
  degradation: Degradation,
  { first, again, all }: DegradedBlocks,
  services: readonly string[],
): { readonly difference: Difference; readonly shown: readonly Hop[] } {
  const { what, request, before, after, clients, answer } = degradation;
  const pairs = [...first, ...again];
  const affected = affectedBy(degradation, pairs);
  const service = services.find((one) => affected.some((other) => other.service === one));
  const shown = exampleIn(
    degradation,
    pairs.map(({ candidate }) => candidate),
  );
  const changedFirst = affected.toSorted((one) => (one.service === service ? -1 : 0));
  const byService = changedFirst.map(({ text }) => text).join(', ');
  const parts = [
    answer === undefined ? formatAmount(what, after) : `${formatAmount(what, after)}: ${answer}`,
    byService && `by service: ${byService}`,
    ...formatBottlenecks(again, services),
    formatSaturation(all),
  ];
  const difference: Difference = {
    // What also happens to a single client is not caused by load.
    class: clients > 1 ? 'load' : 'signal',
    what,
    service: service ?? services[0] ?? '',
    hop: null,
    place: request,
    ...(answer === undefined ? {} : { which: answer }),
    before: `${formatAmount(what, before)} ${formatClients(clients)}`,
    after: parts.filter(Boolean).join('; '),
    examples: { before: round(before), after: { is: round(after), request: shown.id } },
    severity: 'fail',
    confidence: 0.99,
  };
  return { difference, shown: shown.hops };
}

/** The control never answered that, so it is not silent. */
export function formatOtherAnswer({ request, answer, after }: Degradation): string {
  return `${request} under load: ${after} answers with ${answer}, in one of two starts`;
}

const failedShareMax = 0.2;

/** If nothing got worse. Requests that mostly fail anyway do not show the effect of load. */
export function formatNoDegradation(pairs: readonly BlockPair[]): string {
  const blocks = pairs.map(({ control }) => control);
  const clients = Math.max(0, ...blocks.map((block) => block.clients));
  const sent = blocks.reduce((total, { samples }) => total + samples.length, 0);
  const failed = blocks.reduce((total, block) => total + errorsOf(block), 0);
  if (failed <= failedShareMax * sent) {
    return `no worse than the baseline under load of up to ${clients} concurrent clients`;
  }
  const share = Math.round((100 * failed) / sent);
  const why = `${share} % of all requests also failed on the baseline`;
  return `load of up to ${clients} concurrent clients shows little: ${why}`;
}

function formatClients(clients: number): string {
  return clients > 1 ? `with ${clients} concurrent clients` : 'with one client';
}

interface AffectedService {
  readonly service: string;
  readonly text: string;
  readonly factor: number;
}

/** Services that are slower or fail under this load, the worst first. */
function affectedBy({ what }: Degradation, pairs: readonly BlockPair[]): AffectedService[] {
  const before = loadByService(pairs.map(({ control }) => control));
  const after = loadByService(pairs.map(({ candidate }) => candidate));
  const found = [...after.values()].flatMap((now) => {
    const was = before.get(now.service);
    if (!was) return [];
    const failed = failedText(was, now);
    const factor = now.p95Ms / Math.max(1, was.p95Ms);
    const isOfTime = what === 'p95-ms' || what === 'median-ms';
    if (failed === null && (!isOfTime || factor < 1.5)) return [];
    const times = `${now.service} p95 ${was.p95Ms.toFixed(0)} → ${now.p95Ms.toFixed(0)} ms`;
    const text = failed ?? times;
    return [{ service: now.service, text, factor: failed === null ? factor : 1_000 }];
  });
  return found.toSorted((one, other) => other.factor - one.factor).slice(0, affectedMax);
}

function failedText(was: ServiceLoad, now: ServiceLoad): string | null {
  if (now.failed <= 5 * was.failed) return null;
  return `${now.service} failed ${was.failed} → ${now.failed} of ${now.requests}`;
}

/** The slowest request, or one that failed, with its hops. */
function exampleIn(
  { what, answer = '' }: Degradation,
  blocks: readonly Block[],
): { readonly id: string | null; readonly hops: readonly Hop[] } {
  const samples = blocks.flatMap((block) => block.samples);
  const isWanted = ({ isError, words }: Block['samples'][number]): boolean =>
    what === 'errors' ? isError : what !== 'answers' || words.includes(answer);
  const wanted = samples.filter(isWanted);
  const hops = blocks.flatMap((block) => block.hops);
  const known = new Set(hops.map(({ requestId }) => requestId));
  const [worst] = wanted.filter(({ id }) => known.has(id)).toSorted((a, b) => b.ms - a.ms);
  if (!worst) return { id: null, hops: [] };
  return { id: worst.id, hops: hops.filter(({ requestId }) => requestId === worst.id) };
}

function formatAmount(what: Degradation['what'], value: number): string {
  if (what === 'errors') return `${value} errors`;
  if (what === 'answers') return `${value} other answers`;
  return `${what === 'p95-ms' ? 'p95' : 'median'} ${value.toFixed(0)} ms`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Less than this, or less than twice the value before, explains nothing. */
const msMin = 20;
const factorMin = 2;

/** What slowed a changed service down under load, by its own readings: event loop and pools. */
export function formatBottlenecks(
  pairs: readonly BlockPair[],
  services: readonly string[],
): string[] {
  return services.flatMap((service, index) => {
    const loop = compare(pairs, (block) => block.processes.readings[index]?.loopDelayMs);
    const pool = comparePools(pairs, index);
    return [
      ...(loop ? [`event loop delay of ${service} ${loop}`] : []),
      ...(pool ? [`${service} waited ${pool} for each connection of its pool`] : []),
    ];
  });
}

function compare(
  pairs: readonly BlockPair[],
  read: (block: Block) => number | undefined,
): string | null {
  const median = (side: keyof BlockPair): number =>
    quantile(
      pairs.map((pair) => read(pair[side]) ?? 0),
      0.5,
    );
  return formatChange(median('control'), median('candidate'));
}

/** A process counts waits from its start, so the difference is what these blocks added. */
function comparePools(pairs: readonly BlockPair[], index: number): string | null {
  const meanMs = (side: keyof BlockPair): number => {
    const [first, last] = [pairs[0], pairs.at(-1)].map(
      (pair) => pair?.[side].processes.readings[index],
    );
    const waits = (last?.poolWaits ?? 0) - (first?.poolWaits ?? 0);
    return waits > 0 ? ((last?.poolWaitMs ?? 0) - (first?.poolWaitMs ?? 0)) / waits : 0;
  };
  return formatChange(meanMs('control'), meanMs('candidate'));
}

function formatChange(before: number, after: number): string | null {
  if (after < msMin || after < factorMin * before) return null;
  return `${before.toFixed(0)} → ${after.toFixed(0)} ms`;
}
