import type { Json } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import type { SensitiveValue } from '../traffic/sensitive-values.ts';

/** What one version did with its requests. Parts that were not recorded are left out. */
export interface VersionRecording {
  readonly hops: readonly Hop[];
  /** Answers to Surety's own requests from outside, with headers. */
  readonly answers?: readonly OutsideAnswer[];
  /** Answers to suites; their bodies are in the hops. */
  readonly served?: readonly OutsideAnswer[];
  readonly logs?: readonly ServiceLogLine[];
  readonly writes?: readonly Write[];
  readonly listeners?: readonly Listener[];
  readonly transports?: readonly Transport[];
}

/** The same requests three times: what differs between the first two is noise. */
export interface VersionRecordings {
  readonly baseline: VersionRecording;
  readonly control: VersionRecording;
  readonly candidate: VersionRecording;
  /** Values that requests carried and that belong neither in a log nor in an answer. */
  readonly sensitive?: readonly SensitiveValue[];
}

export interface OutsideAnswer {
  readonly service: string;
  readonly method: string;
  readonly path: string;
  readonly hasCredentials: boolean;
  /** The credentials were made up. */
  readonly isWrong?: boolean;
  /** Somebody else's, as in `as known client 2`. */
  readonly as?: string;
  readonly status: number;
  /** Names in lower case; a repeated header has several values. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
  /** `TLSv1.3`; null for plain text. */
  readonly tls: string | null;
}

export interface ServiceLogLine {
  readonly service: string;
  readonly text: string;
}

/** A row that a version wrote into a store. */
export interface Write {
  readonly service: string;
  readonly store: string;
  readonly table: string;
  /** `write`: whether the row was there before is unknown. */
  readonly kind: 'insert' | 'update' | 'delete' | 'write';
  readonly row: Json;
  /** By column, a text that holds ids of the requests, with `<id>` in their place. */
  readonly forms?: Readonly<Record<string, string>>;
}

/** A port that a service opened besides its own. */
export interface Listener {
  readonly service: string;
  readonly address: string;
  /** 0 for a port that the operating system chose, which differs each time. */
  readonly port: number;
}

/** What a service accepts on its own port. */
export interface Transport {
  readonly service: string;
  /** TLS versions; none for plain text. */
  readonly versions: readonly string[];
  readonly weakCiphers: readonly string[];
  /** Of an RSA certificate. */
  readonly keyBits: number | null;
  readonly isExpired: boolean;
}

export function splitRecordings(recordings: VersionRecordings): {
  known: VersionRecording[];
  candidate: VersionRecording;
} {
  const { baseline, control, candidate } = recordings;
  return { known: [baseline, control], candidate };
}
