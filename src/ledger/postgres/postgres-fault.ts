import { Fault, fault } from '../../kernel/index.ts';

/** SQLSTATE classes and codes that an operator can do something about. */
const diskFull = '53100';
const readOnlyTransaction = '25006';
const privilege = '42501';
const dataCorrupted = 'XX001';

export function postgresFault(error: unknown): unknown {
  if (error instanceof Fault) return error;
  const { code, message: reason } = error as { code?: string; message: string };
  if (code === diskFull) return fault('STORE_FULL', {}, error);
  if (code === readOnlyTransaction || code === privilege) {
    return fault('STORE_READ_ONLY', { reason }, error);
  }
  if (code === dataCorrupted) return fault('LEDGER_CORRUPT', { reason }, error);
  if (isAway(code, reason)) return fault('STORE_UNAVAILABLE', { reason }, error);
  return error;
}

/** Lost, refused, shutting down, out of connections, or silent for too long. */
function isAway(code: string | undefined, reason: string): boolean {
  if (code !== undefined && /^(?:08|57P|53|55P|58|40)/.test(code)) return true;
  if (code !== undefined && /^E[A-Z]+$/.test(code)) return true;
  return /terminated|timeout|not queryable|connection/i.test(reason);
}
