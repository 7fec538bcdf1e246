import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const changesFolder: string = fileURLToPath(
  new URL('../../examples/trading/changes', import.meta.url),
);

/** A change of the trading example of which it is known what a verdict should say. */
export interface KnownChange {
  readonly name: string;
  readonly kind: 'faulty' | 'harmless';
  readonly about: string;
  readonly class: string;
  /** Whose doing it is. */
  readonly service: string;
  /** What shows it on the running system; of faulty ones. */
  readonly shows?: string;
  /** The classes of finding that name it rightly. */
  readonly findings: readonly string[];
  /** What it takes at least to see it. */
  readonly profile: 'quick' | 'full';
  /** What opening a lane with it takes besides, as words for `surety lane open`. */
  readonly lane: readonly string[];
  /** Its file, from the folder of changes. */
  readonly patch: string;
}

export interface Corpus {
  readonly faulty: readonly KnownChange[];
  readonly harmless: readonly KnownChange[];
}

/** Changes of a list have its name before their folder; those of the corpus itself have none. */
export function readCorpus(list = 'corpus'): Corpus {
  const listed = parse(readFileSync(join(changesFolder, `${list}.yaml`), 'utf8')) as Listed;
  const folder = list === 'corpus' ? '' : `${list}/`;
  const complete =
    (kind: KnownChange['kind']) =>
    (change: Partial<KnownChange> & { name: string }): KnownChange =>
      ({
        kind,
        findings: [],
        lane: [],
        profile: 'quick',
        patch: `${folder}${kind}/${change.name}.patch`,
        ...change,
      }) as KnownChange;
  return {
    faulty: listed.faulty.map(complete('faulty')),
    harmless: listed.harmless.map(complete('harmless')),
  };
}

type Listed = Record<KnownChange['kind'], (Partial<KnownChange> & { name: string })[]>;

export function patchText({ patch }: KnownChange): string {
  return readFileSync(join(changesFolder, patch), 'utf8');
}
