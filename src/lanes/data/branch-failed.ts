import { fault, isFault } from '../../kernel/index.ts';
import { hideSecrets } from './hide-secrets.ts';

/** A fault that says why without telling an address's password. */
export function branchFailed(
  error: unknown,
  { store, advice, addresses }: { store: string; advice: string; addresses: readonly string[] },
): Error {
  if (isFault(error)) return error;
  const reason = hideSecrets((error as Error).message, addresses);
  return fault('DATA_BRANCH_FAILED', { store, reason, advice });
}
