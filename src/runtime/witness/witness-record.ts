import type { WitnessStatement } from '../../ledger/index.ts';

/** What a witness keeps: the statement, and who confirmed when it existed. */
export interface WitnessRecord {
  readonly statement: WitnessStatement;
  readonly timeStamp?: TimeStamp;
}

/** The answer of a time-stamp service (RFC 3161) about the statement, in base64. */
export interface TimeStamp {
  readonly url: string;
  readonly reply: string;
}
