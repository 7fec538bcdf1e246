import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const changesFolder: string = fileURLToPath(
  new URL('../../examples/trading/changes', import.meta.url),
);

/** A change of which it is known what a verdict should say. */
export interface KnownChange {
  readonly name: string;
  readonly kind: 'faulty' | 'harmless';
  /** Who wrote it; by default the folder of its list. */
  readonly author: string;
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
  /** Its file. */
  readonly patch: string;
}

export interface Corpus {
  readonly faulty: readonly KnownChange[];
  readonly harmless: readonly KnownChange[];
}

/** A folder with `list.yaml`, `faulty/*.patch` and `harmless/*.patch`; the corpus if left out. */
export function readCorpus(folder: string = changesFolder): Corpus {
  const list = ['corpus.yaml', 'list.yaml'].map((name) => join(folder, name)).find(existsSync);
  if (list === undefined) throw new Error(`${folder} has no list.yaml.`);
  const listed = parse(readFileSync(list, 'utf8')) as Listed;
  const complete =
    (kind: KnownChange['kind']) =>
    (change: ListedChange): KnownChange =>
      ({
        kind,
        author: basename(folder),
        class: kind,
        findings: [],
        lane: [],
        profile: 'quick',
        ...change,
        patch: join(folder, change.patch ?? `${kind}/${change.name}.patch`),
      }) as KnownChange;
  return {
    faulty: (listed.faulty ?? []).map(complete('faulty')),
    harmless: (listed.harmless ?? []).map(complete('harmless')),
  };
}

type ListedChange = Partial<KnownChange> & { readonly name: string };
type Listed = Partial<Record<KnownChange['kind'], ListedChange[]>>;

export function patchText({ patch }: KnownChange): string {
  return readFileSync(patch, 'utf8');
}

/** Two authors may have chosen the same name. */
export function keyOf({ author, name }: Pick<KnownChange, 'author' | 'name'>): string {
  return `${author}/${name}`;
}
