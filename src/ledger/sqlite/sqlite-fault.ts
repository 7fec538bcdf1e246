import { Fault, fault } from '../../kernel/index.ts';

/** SQLite's primary result codes, as far as an operator can do something about them. */
const busy = 5;
const readOnly = 8;
const inputOutput = 10;
const corrupt = 11;
const full = 13;
const cannotOpen = 14;
const notADatabase = 26;

export function sqliteFault(error: unknown): unknown {
  if (error instanceof Fault) return error;
  const { errcode, message: reason } = error as { errcode?: number; message: string };
  if (errcode === undefined) return error;
  switch (errcode & 0xff) {
    case full:
      return fault('STORE_FULL', {}, error);
    case readOnly:
    case cannotOpen:
      return fault('STORE_READ_ONLY', { reason }, error);
    case corrupt:
    case notADatabase:
      return fault('LEDGER_CORRUPT', { reason }, error);
    case busy:
    case inputOutput:
      return fault('STORE_UNAVAILABLE', { reason }, error);
    default:
      return error;
  }
}
