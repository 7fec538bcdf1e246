import { type Deployment, readDeployments } from '../lanes/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { SuspectChange } from './api-schema.ts';
import { alertLimits } from './limits.ts';

/** The last promoted changes that still run, those that the words are about first. */
export async function findSuspects(
  ledger: Ledger,
  words: readonly string[],
): Promise<SuspectChange[]> {
  return newestSuspects(promotionsOf(await readDeployments(ledger)), words);
}

export function newestSuspects(
  all: readonly SuspectChange[],
  words: readonly string[],
): SuspectChange[] {
  const isMeant = ({ services, note }: SuspectChange): boolean =>
    words.some((word) => services.includes(word) || note.toLowerCase().includes(word));
  const newest = all.toReversed().slice(0, alertLimits.suspectsMax);
  return newest.toSorted((left, right) => Number(isMeant(right)) - Number(isMeant(left)));
}

/** One change of several services is one suspect; what was returned runs no longer. */
export function promotionsOf(deployments: readonly Deployment[]): SuspectChange[] {
  const found = new Map<string, SuspectChange>();
  for (const { kind, service, version, previous, actor, at, note } of deployments) {
    if (kind !== 'promotion') continue;
    if (note.startsWith('returned: ')) found.delete(previous);
    else if (!note.startsWith('held: ') && !note.startsWith('could not be returned: ')) {
      const services = [...(found.get(version)?.services ?? []), service];
      found.set(version, { commit: version, base: previous, services, by: actor, at, note });
    }
  }
  return [...found.values()];
}

const ignored = new Set(
  'why are is the a an of to in on after since do does did what with'.split(' '),
);

/** The words of a question or an alert that can name something. */
export function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z0-9]{3,}/g) ?? [];
  return [...new Set(words)].filter((word) => !ignored.has(word));
}
