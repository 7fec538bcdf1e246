import type { Json } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';

/** What was seen while one version served its requests. Parts that nobody recorded are left out. */
export interface Recording {
  readonly hops: readonly Hop[];
  /** Answers to requests from outside, with what hops do not keep of them. */
  readonly answers?: readonly Answer[];
  /** Those that suites got, by what they sent; their bodies stand with the hops. */
  readonly served?: readonly Answer[];
  readonly logs?: readonly LogLine[];
  readonly writes?: readonly Write[];
  readonly listeners?: readonly Listener[];
  readonly transports?: readonly Transport[];
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
  /** They were none that anybody gave out. */
  readonly isWrong?: boolean;
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

/** A port besides the one that it is known by. */
export interface Listener {
  readonly service: string;
  readonly address: string;
  /** 0 for any that the system gave it, which is another one each time. */
  readonly port: number;
}

/** What a service would agree to on its own port. */
export interface Transport {
  readonly service: string;
  /** Of TLS; none where it speaks plain text. */
  readonly versions: readonly string[];
  readonly weakCiphers: readonly string[];
  /** Of its certificate, where that is for RSA. */
  readonly keyBits: number | null;
  readonly isExpired: boolean;
}

export function wholeOf(recordings: Recordings): { known: Recording[]; candidate: Recording } {
  const { baseline, control, candidate } = recordings;
  return { known: [baseline, control], candidate };
}
