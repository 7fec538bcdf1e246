import { createHash } from 'node:crypto';
import { HttpError } from '../../shared/http-error.ts';

export type Scope = 'orders:read' | 'orders:write' | 'trades:read' | 'trades:write';

export interface TokenEntry {
  token: string;
  client: string;
  scopes: Scope[];
  expiresAt: string;
}

/** Gives the client's name, or throws the 401 or 403 that the caller deserves. */
export type Authorise = (authorization: string | undefined, scope: Scope) => string;

export function createAuthorise(
  entries: readonly TokenEntry[],
  now: () => number = Date.now,
): Authorise {
  // Looked up by digest: the time of a lookup says nothing about how much of a token was right.
  const table = new Map(entries.map((entry) => [digest(entry.token), entry]));
  return (authorization, scope) => {
    const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) throw unauthorised('token_missing', 'Send a bearer token.');
    const entry = table.get(digest(token));
    if (entry === undefined) throw unauthorised('token_unknown', 'This token is not known.');
    if (Date.parse(entry.expiresAt) <= now()) {
      throw unauthorised('token_expired', 'This token has expired.');
    }
    if (!entry.scopes.includes(scope)) {
      throw new HttpError(403, 'scope_missing', `This token lacks the scope "${scope}".`);
    }
    return entry.client;
  };
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function unauthorised(code: string, message: string): HttpError {
  return new HttpError(401, code, message, { 'www-authenticate': 'Bearer' });
}
