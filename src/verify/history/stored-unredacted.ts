import { fault, type JsonObject, redactSecrets } from '../../kernel/index.ts';
import { changeId } from '../../lanes/index.ts';
import type { SubmittedTest } from '../api-schema.ts';

/**
 * A task goes by what the ledger has kept, and that keeps no secrets: a change or a test that holds
 * one would come back with other bytes than were shown. It is refused before anything is done.
 */
export function checkKeepable(what: 'change' | 'test', given: string | SubmittedTest): void {
  const value: string | JsonObject = typeof given === 'string' ? given : { ...given };
  // What holds no secret comes back as the very same value.
  if (redactSecrets(value) !== value) throw fault('SECRET_NOT_KEPT', { what });
}

/** Of what was read back: exactly the change that was admitted, or none. */
export function checkSame(kept: Parameters<typeof changeId>[0], change: string | null): void {
  if (changeId(kept) !== change) throw fault('SECRET_NOT_KEPT', { what: 'change' });
}
