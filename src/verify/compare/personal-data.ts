import { isJsonObject, type Json } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import { certaintyOf, type Difference } from './difference.ts';
import { hopName } from './hop-name.ts';
import type { VersionRecording } from './recording.ts';

const mailAddress = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g;
const bankAccount = /\b[A-Z]{2}\d{2}[A-Z0-9]{11,30}\b/g;
const namesPerson = /^(?:phone|mobile|birth_?(?:date|day)?|date_?of_?birth|ssn|passport|tax_?id)$/i;

/** A value about a person, and the kind of it. */
interface PersonalValue {
  readonly kind: string;
  readonly value: string;
}

/**
 * Data about people in answers to the outside, in which the known versions have none of that kind
 * for the same request; also where the answer comes from a service behind the entrance. What the
 * request itself carried is no news to its sender.
 */
export function newPersonalData(
  known: readonly VersionRecording[],
  candidate: VersionRecording,
): Difference[] {
  const outside = candidate.hops.filter(({ from }) => from === null);
  const told = new Set(outside.flatMap(personalIn).map(({ value }) => value));
  if (told.size === 0) return [];
  const before = Map.groupBy(
    known.flatMap(({ hops }) => hops),
    hopName,
  );
  return [...Map.groupBy(candidate.hops, hopName)].flatMap(([name, hops]) => {
    const were = (before.get(name) ?? []).filter(({ responseBody }) => responseBody !== null);
    // A request that only the candidate answers with data is another difference.
    if (were.length === 0) return [];
    const had = new Set(were.flatMap(personalIn).map(({ kind }) => kind));
    const fresh = hops.flatMap(personalIn).filter(({ value }) => told.has(value));
    const kinds = new Set(fresh.map(({ kind }) => kind).filter((kind) => !had.has(kind)));
    return [...kinds].map((kind) => toDifference(kind, hops[0] as Hop, were.length));
  });
}

function toDifference(kind: string, hop: Hop, observations: number): Difference {
  return {
    class: 'security',
    severity: 'fail',
    what: 'exposed',
    service: hop.to,
    hop: hopName(hop),
    place: `the answer of ${hopName(hop)}`,
    which: kind,
    before: 'not there',
    after: `personal data (${kind})`,
    examples: { before: null, after: null },
    confidence: certaintyOf(observations),
  };
}

/** Cached: each answer is compared with every other round. */
const found = new WeakMap<Hop, readonly PersonalValue[]>();

function personalIn(hop: Hop): readonly PersonalValue[] {
  const known = found.get(hop) ?? withoutSent(valuesIn(hop.responseBody, ''), hop);
  found.set(hop, known);
  return known;
}

function withoutSent(values: readonly PersonalValue[], { path, requestBody }: Hop) {
  if (values.length === 0) return values;
  const sent = `${decoded(path)} ${JSON.stringify(requestBody)}`;
  return values.filter(({ value }) => !sent.includes(value));
}

function decoded(path: string): string {
  return path.replaceAll('%40', '@');
}

function valuesIn(json: Json, name: string): PersonalValue[] {
  if (Array.isArray(json)) return json.flatMap((item: Json) => valuesIn(item, name));
  if (isJsonObject(json)) {
    return Object.entries(json).flatMap(([member, held]) => valuesIn(held, member));
  }
  if (typeof json !== 'string' || json === '') return [];
  const named = namesPerson.test(name) ? [{ kind: name.toLowerCase(), value: json }] : [];
  return [
    ...(json.match(mailAddress) ?? []).map((value) => ({ kind: 'e-mail address', value })),
    ...(json.match(bankAccount) ?? []).map((value) => ({ kind: 'bank account', value })),
    ...named,
  ];
}
