import { fault, type JsonObject, redactSecrets } from '../../kernel/index.ts';
import { changeId } from '../../lanes/index.ts';
import type { SubmittedTest } from '../api-schema.ts';

/**
 * A task uses the change and the test that the ledger stored, without secrets. One that contains a
 * secret would come back with other bytes, so it is refused first.
 */
export function checkStorable(what: 'change' | 'test', given: string | SubmittedTest): void {
  const value: string | JsonObject = typeof given === 'string' ? given : { ...given };
  // Without secrets, redaction returns the very same value.
  if (redactSecrets(value) !== value) throw fault('SECRET_NOT_KEPT', { what });
}

/** Checks that the stored change is exactly the one that was admitted. */
export function checkUnchanged(kept: Parameters<typeof changeId>[0], change: string | null): void {
  if (changeId(kept) !== change) throw fault('SECRET_NOT_KEPT', { what: 'change' });
}
