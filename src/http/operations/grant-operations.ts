import { z } from 'zod';
import { grantJwkSchema, grantKeySchema } from '../../gate/grants/api-schema.ts';
import type { Operation } from './operation.ts';

/** The keys that grants for executors outside of the daemon are signed with. */
export const grantOperations = {
  'GET /.well-known/jwks.json': {
    summary: 'The public keys of all grants that may still be good.',
    response: z.object({ keys: z.array(grantJwkSchema) }),
    open: true,
  },
  'GET /v1/grant-keys': {
    summary: 'The keys for grants, the current one first.',
    response: z.object({ keys: z.array(grantKeySchema) }),
    roles: ['operator', 'auditor'],
  },
  'POST /v1/grant-keys/rotate': {
    summary: 'Signs with a new key; grants of the one before it stay good until they end.',
    response: grantKeySchema,
    roles: ['operator'],
  },
  'POST /v1/grant-keys/{kid}/revoke': {
    summary: 'Makes every grant of a key worthless at once.',
    path: z.strictObject({ kid: z.string() }),
    response: grantKeySchema,
    roles: ['operator'],
  },
} as const satisfies Record<string, Operation>;
