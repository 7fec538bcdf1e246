import { fault } from '../../kernel/index.ts';
import { type GrantClaims, type GrantJwks, readGrant } from '../../verify-grant/index.ts';

/**
 * The claims of a grant that an executor returns with an outcome. Only proves that we signed it: it
 * may have expired, and the ledger knows whether its proposal is open.
 */
export function openGrant(token: string, issuer: string, keys: GrantJwks): GrantClaims {
  const read = readGrant(token, keys);
  if (!read.ok) throw refused(read.code, read.message, read.remedy);
  if (read.grant.iss === issuer) return read.grant;
  const remedy = `Bring it to the daemon of workspace ${read.grant.iss}.`;
  throw refused('GRANT_OTHER_ISSUER', `It was granted by ${read.grant.iss}.`, remedy);
}

function refused(refusal: string, reason: string, remedy: string): Error {
  return fault('GRANT_REFUSED', { refusal, reason, remedy });
}
