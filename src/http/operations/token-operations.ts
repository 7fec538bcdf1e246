import { z } from 'zod';
import { durationPattern, surfaces } from '../../kernel/index.ts';
import type { Operation } from './operation.ts';

const holder = z
  .string()
  .regex(/^(?:owner|person:[\w.@+-]+|agent:[\w.@+-]+)$/)
  .describe('`owner`, `person:<name>` or `agent:<name>`.');

const issuedToken = z.object({
  id: z.string(),
  actor: z.string(),
  surface: z.enum(surfaces),
  expiresAt: z.int(),
});

/** Tokens of callers. A token itself is shown once, to who has it made. */
export const tokenOperations = {
  'GET /v1/tokens': {
    summary: 'The issued tokens, without the tokens themselves.',
    response: z.object({ tokens: z.array(issuedToken) }),
    roles: ['auditor'],
  },
  'POST /v1/tokens': {
    summary: 'Issues a token for one surface that expires.',
    body: z.strictObject({
      holder,
      surface: z.enum(surfaces),
      lifetime: z.string().regex(durationPattern).describe('Such as 8h or 30d; 366d at most.'),
    }),
    response: issuedToken.extend({ token: z.string() }),
    roles: [],
  },
  'POST /v1/tokens/rotate': {
    summary: "Replaces the token in its holder's file; the former one is invalid at once.",
    body: z.strictObject({ holder }),
    response: z.object({ actor: z.string(), tokenFile: z.string() }),
    roles: [],
  },
  'POST /v1/tokens/{token}/revoke': {
    summary: 'Makes an issued token invalid.',
    path: z.strictObject({ token: z.string().describe('Its id.') }),
    response: issuedToken,
    roles: [],
  },
} as const satisfies Record<string, Operation>;
