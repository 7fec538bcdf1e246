import type { Json } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';

/** What was seen while one version served its requests. Parts that nobody recorded are left out. */
export interface Recording {
  readonly hops: readonly Hop[];
  /** Answers to requests from outside, with what hops do not keep of them. */
  readonly answers?: readonly Answer[];
  readonly logs?: readonly LogLine[];
  readonly writes?: readonly Write[];
  readonly listeners?: readonly Listener[];
}

/** The same requests, three times: what differs between the first two is noise. */
export interface Recordings {
  readonly baseline: Recording;
  readonly control: Recording;
  readonly candidate: Recording;
}

export interface Answer {
  readonly service: string;
  readonly method: string;
  readonly path: string;
  readonly hasCredentials: boolean;
  readonly status: number;
  /** Names in small letters; one that came several times has several values. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
  /** As in `TLSv1.3`; null for an answer in plain text. */
  readonly tls: string | null;
}

export interface LogLine {
  readonly service: string;
  readonly text: string;
}

/** A row that a version wrote into a store. */
export interface Write {
  readonly service: string;
  readonly store: string;
  readonly table: string;
  readonly kind: 'insert' | 'update' | 'delete';
  readonly row: Json;
}

export interface Listener {
  readonly service: string;
  readonly address: string;
  readonly port: number;
}

export function wholeOf(recordings: Recordings): { known: Recording[]; candidate: Recording } {
  const { baseline, control, candidate } = recordings;
  return { known: [baseline, control], candidate };
}
