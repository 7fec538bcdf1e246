import { z } from 'zod';
import type { Immutable } from '../../kernel/index.ts';
import type { GrantJwk } from '../../verify-grant/index.ts';

export const grantKeySchema = z.object({
  kid: z.string(),
  state: z
    .enum(['current', 'retiring', 'retired', 'revoked'])
    .describe('`retiring`: signs no more, but grants that it signed may still be good.'),
  madeAt: z.int(),
  retiredAt: z.int().nullable(),
  revokedAt: z.int().nullable(),
});

/** A key as people are shown it. */
export type GrantKey = Immutable<z.infer<typeof grantKeySchema>>;

/** Executors have the type without a schema library: here it is only checked. */
export const grantJwkSchema = z.object({
  kty: z.string(),
  crv: z.string().exactOptional(),
  x: z.string().exactOptional(),
  kid: z.string().exactOptional(),
  alg: z.string().exactOptional(),
  use: z.string().exactOptional(),
}) satisfies z.ZodType<GrantJwk>;
