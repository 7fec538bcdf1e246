import { isJsonObject, type Json } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import { certaintyOf } from './difference.ts';
import type { Drift } from './field-drift.ts';
import { fieldName } from './field-facts.ts';

interface HopSides {
  readonly baseline: readonly Hop[];
  readonly control: readonly Hop[];
  readonly candidate: readonly Hop[];
}

/** Fields of answers that always repeated a value of the request, and no longer do. */
export function findLostEchoes({ baseline, control, candidate }: HopSides): Drift[] {
  const [first, second, now] = [baseline, control, candidate].map(echoesOf);
  return [...(now ?? [])].flatMap(([field, found]) => {
    const were = [...(first?.get(field) ?? []), ...(second?.get(field) ?? [])];
    const lost = found.find(({ isEcho }) => !isEcho);
    if (!lost || were.length === 0 || were.some(({ isEcho }) => !isEcho)) return [];
    return [
      {
        field,
        what: 'echo-lost',
        before: 'as in the request',
        after: 'otherwise',
        examples: { before: were[0]?.text ?? null, after: lost.text },
        severity: 'fail',
        confidence: certaintyOf(were.length),
      },
    ];
  });
}

interface EchoedText {
  readonly text: string;
  readonly isEcho: boolean;
}

function echoesOf(hops: readonly Hop[]): Map<string, EchoedText[]> {
  const texts = hops
    .filter(({ status, requestBody }) => status < 400 && requestBody !== null)
    .flatMap(({ requestBody, responseBody }) => {
      const sent = new Set(textsIn(requestBody, '').map(({ text }) => text));
      const received = textsIn(responseBody, '');
      return received.map(({ field, text }) => ({ field, text, isEcho: sent.has(text) }));
    });
  return Map.groupBy(texts, ({ field }) => field);
}

function textsIn(value: Json, field: string): { field: string; text: string }[] {
  if (typeof value === 'string') return [{ field, text: value }];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, `${field}[]`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    textsIn(member, field === '' ? fieldName(name) : `${field}.${fieldName(name)}`),
  );
}
