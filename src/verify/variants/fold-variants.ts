import { redactText } from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';
import type { Difference } from '../compare/index.ts';
import type { Variant } from './variant.ts';

export interface VariantFacts {
  /** By the name of a hop, the variant that led to it. */
  readonly variants: ReadonlyMap<string, Variant>;
  /** What usual requests show as well, and what does not count there, such as what is disputed. */
  readonly known: readonly Difference[];
  readonly config: Pick<Config, 'services' | 'ingress'>;
}

/**
 * Of each difference, the simplest variant that shows it, with a request that reproduces it. Other
 * variants with the same difference add nothing, nor does what usual requests show.
 */
export function foldVariants(
  differences: readonly Difference[],
  { variants, known, config }: VariantFacts,
): Difference[] {
  const shown = withoutConsequences(
    differences.map((difference) => ({ difference, variant: variants.get(difference.hop ?? '') })),
  );
  const usual = new Set(known.map((difference) => plainName({ difference, variant: undefined })));
  const groups = Map.groupBy(
    shown.filter((one) => one.variant === undefined || !usual.has(plainName(one))),
    (one) => `${one.difference.severity} ${plainName(one)}`,
  );
  return [...groups.values()].flatMap((group) => {
    const [simplest] = group.toSorted((one, other) => effort(one.variant) - effort(other.variant));
    if (!simplest) return [];
    const { difference, variant } = simplest;
    if (variant === undefined) return [difference];
    return [{ ...difference, request: formatRequest(variant, config) }];
  });
}

/** What it is and where, whichever variant shows it. */
function plainName({ difference, variant }: ShownBy): string {
  const { class: kind, what, service, hop, place } = difference;
  const plain = (text: string | null): string =>
    variant === undefined ? (text ?? '') : ((text ?? '').split(`, ${variant.what}`)[0] ?? '');
  return JSON.stringify([kind, what, service, plain(hop), plain(place)]);
}

interface ShownBy {
  readonly difference: Difference;
  readonly variant: Variant | undefined;
}

/**
 * Another status explains what else differs for the same request, on its way and below it. The
 * most causal difference comes first.
 */
function withoutConsequences(shown: readonly ShownBy[]): readonly ShownBy[] {
  const causes = new Map<Variant, Difference>();
  for (const { difference, variant } of shown) {
    if (variant && isOfStatus(difference) && !causes.has(variant)) causes.set(variant, difference);
  }
  return shown.filter(({ difference, variant }) => {
    const cause = variant && causes.get(variant);
    return cause === undefined || cause === difference;
  });
}

const ofStatus: ReadonlySet<string> = new Set(['refusal-lost', 'status-worse', 'error-answered']);

function isOfStatus({ what, severity }: Difference): boolean {
  return severity === 'fail' && ofStatus.has(what);
}

/** Short requests with short values first. */
function effort(variant: Variant | undefined): number {
  return variant === undefined ? 0 : 1_000 * variant.rank + variant.what.length;
}

const bodyCharsMax = 600;

/** A line for a shell; the credential is named, not shown. */
function formatRequest(
  { requests }: Variant,
  { services, ingress }: Pick<Config, 'services' | 'ingress'>,
): string {
  const request = requests.at(-1);
  if (!request) return '';
  const to = request.headers.find(([name]) => name === 'x-surety-to')?.[1];
  const entrance = services[ingress ?? ''];
  const scheme = to === undefined && entrance?.protocol === 'https' ? 'https' : 'http';
  const address = to ?? `${entrance?.host ?? '127.0.0.1'}:${entrance?.port ?? 0}`;
  const headers = request.headers.filter(([name]) => shown.test(name));
  const body = redactText(request.body?.toString('utf8') ?? '');
  return [
    `curl ${scheme === 'https' ? '-k ' : ''}-X ${request.method}`,
    quoted(`${scheme}://${address}${redactText(request.path)}`),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${headerText(name, value)}`)}`),
    ...(body === ''
      ? []
      : [`-d ${quoted(body.length > bodyCharsMax ? `${body.slice(0, bodyCharsMax)}…` : body)}`]),
  ].join(' ');
}

/** Without what every client sends by itself. */
const shown = /^(?!x-surety-|baggage|accept|user-agent|connection|sec-fetch|traceparent)/;

function headerText(name: string, value: string): string {
  return /^content-type$/.test(name) ? value : `<${name}>`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
