import { z } from 'zod';
import type { Operation } from './operation.ts';

const grantKey = z.object({
  kid: z.string(),
  state: z
    .enum(['current', 'retiring', 'retired', 'revoked'])
    .describe('`retiring`: signs no more, but grants that it signed may still be good.'),
  madeAt: z.int(),
  retiredAt: z.int().nullable(),
  revokedAt: z.int().nullable(),
});

const jwk = z.object({
  kty: z.string(),
  crv: z.string().optional(),
  x: z.string().optional(),
  kid: z.string().optional(),
  alg: z.string().optional(),
  use: z.string().optional(),
});

/** The keys that grants for executors outside of the daemon are signed with. */
export const grantOperations = {
  'GET /.well-known/jwks.json': {
    summary: 'The public keys of all grants that may still be good.',
    response: z.object({ keys: z.array(jwk) }),
    open: true,
  },
  'GET /v1/grant-keys': {
    summary: 'The keys for grants, the current one first.',
    response: z.object({ keys: z.array(grantKey) }),
    roles: ['operator', 'auditor'],
  },
  'POST /v1/grant-keys/rotate': {
    summary: 'Signs with a new key; grants of the one before it stay good until they end.',
    response: grantKey,
    roles: ['operator'],
  },
  'POST /v1/grant-keys/{kid}/revoke': {
    summary: 'Makes every grant of a key worthless at once.',
    path: z.strictObject({ kid: z.string() }),
    response: grantKey,
    roles: ['operator'],
  },
} as const satisfies Record<string, Operation>;
