import type { Output } from '../../format/output.ts';

export interface ShownEntry {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly actor: string;
  readonly body: object;
}

const bodyCharactersShown = 90;

/** One entry on one line of a terminal. */
export function entryLine({ seq, at, kind, actor, body }: ShownEntry, output: Output): string {
  const time = new Date(at).toISOString().replace('T', ' ').slice(0, 23);
  const { contents: _, ...facts } = body as Record<string, unknown>;
  const text = JSON.stringify(facts);
  const short = text.length > bodyCharactersShown ? `${text.slice(0, bodyCharactersShown)}…` : text;
  const number = output.tone('bold', String(seq).padStart(6));
  return `${number}  ${output.tone('dim', time)}  ${kind.padEnd(18)}  ${actor.padEnd(14)}  ${short}`;
}
