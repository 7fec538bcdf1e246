import { tryOr } from '../../kernel/index.ts';
import type { KnownRequest } from './known-requests.ts';
import { type VariantDraft, variantOf } from './variant.ts';

/**
 * Another id in the path of a read: the beginning of one, a pattern, one that leads out of its
 * folder. Whoever looks ids up, or builds a path from them, must take them as they are.
 */
export function pathVariants(known: KnownRequest, health: string | undefined): VariantDraft[] {
  const last = known.requests.at(-1);
  if (!last || !['GET', 'HEAD'].includes(last.method) || known.what !== undefined) return [];
  const [path = '', ...query] = last.path.split('?');
  const segments = path.split('/');
  // The last id says which thing is read; those before it, where.
  const at = segments.findLastIndex((segment) => /\d/.test(segment));
  if (at < 0) return [];
  const id = tryOr(() => decodeURIComponent(segments[at] ?? ''), '');
  return otherIds(id, health).map(([text, written, rank]) =>
    variantOf(known, { what: `id in the path ${text}`, rank }, (request) => ({
      ...request,
      path: [segments.with(at, written).join('/'), ...query].join('?'),
    })),
  );
}

type OtherId = readonly [text: string, written: string, rank: number];

function otherIds(id: string, health: string | undefined): OtherId[] {
  const beginning = /^[a-z]+[_:.-]/i.exec(id)?.[0] ?? id.slice(0, 1);
  const written: OtherId[] = ['%', '*', "'", '100%'].map((text) => as(text, 1));
  const outside = health === undefined ? [] : [as(`..${health}`, 0)];
  return [as(beginning, 0), ...outside, ...written, as('0', 2)];
}

function as(text: string, rank: number): OtherId {
  return [`= ${JSON.stringify(text)}`, encodeURIComponent(text), rank];
}
