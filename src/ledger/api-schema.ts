import { z } from 'zod';
import type { Actor, Immutable } from '../kernel/index.ts';

export const entrySchema = z.object({
  workspace: z.string(),
  seq: z.int(),
  at: z.int().describe('Milliseconds since the Unix epoch.'),
  kind: z.string(),
  actor: z.string(),
  digest: z.string(),
  prev: z.string(),
  hash: z.string(),
  body: z.record(z.string(), z.json()),
});

/** An entry as it is read: what `apply` and people see. */
export type Entry = Omit<Immutable<z.infer<typeof entrySchema>>, 'actor'> & {
  readonly actor: Actor;
};

/** What stands on the chain. `digest` commits to salt and body; `hash` to everything above it. */
export type EntryHeader = Omit<Entry, 'hash' | 'body'>;

export const contentSchema = z.object({
  name: z.string(),
  subject: z.string(),
  digest: z.string(),
  value: z.json().exactOptional().describe('Absent once destroyed.'),
  shreddedBy: z.int().exactOptional().describe('The entry that destroyed it.'),
});

/** A content as it is read: a destroyed one has no value any more. */
export type Content = Immutable<z.infer<typeof contentSchema>>;

export const headSchema = z.object({ seq: z.int(), at: z.int(), hash: z.string() });

/** The end of a chain; `at` and `hash` are those of its last entry. */
export type Head = Immutable<z.infer<typeof headSchema>>;
