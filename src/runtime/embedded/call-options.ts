import { fault } from '../../kernel/index.ts';

/** The options of one call. */
export interface GuardedCallOptions {
  /** The same key with the same arguments gives the recorded outcome, not a second effect. */
  readonly key?: string;
  /** The task that the call belongs to. */
  readonly task?: string;
  /** How long to wait for the same call in flight, or for a person's approval. */
  readonly waitMs?: number;
  /** The usage that the caller reports, by dimension: it can only add to the cost. */
  readonly reported?: Readonly<Record<string, number>>;
  /** The person that the call is about, if any; shredding that subject removes it. */
  readonly subject?: string;
}

const kinds: Readonly<Record<keyof GuardedCallOptions, string>> = {
  key: 'string',
  task: 'string',
  waitMs: 'number',
  reported: 'object',
  subject: 'string',
};

/** Only these options: frameworks pass their own objects with every call. */
export function chosenOptions(given: object | undefined): GuardedCallOptions {
  const chosen: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(kinds)) {
    const value = (given as Record<string, unknown> | undefined)?.[name];
    if (value === undefined) continue;
    if (typeof value !== kind || value === null) {
      const reason = `${name} must be a ${kind}`;
      throw fault('REQUEST_INVALID', { operation: 'a guarded call', reason });
    }
    chosen[name] = value;
  }
  return chosen;
}
