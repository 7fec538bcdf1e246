import { z } from 'zod';
import { limits } from '../kernel/index.ts';
import { secretReference } from './service-schema.ts';

const route = z
  .string()
  .regex(
    /^(?:POST|PUT|PATCH|DELETE|OPTIONS) \/\S*$/,
    'use a method and a path, as in POST /orders; a * is one part of a path',
  );

const headerName = z
  .string()
  .regex(/^[a-z0-9!#$%&'*+.^_`|~-]+$/, 'use the lower-case name of a header');

const record = z.strictObject({
  perMille: z
    .int()
    .min(1, 'leave traffic.record out to record nothing')
    .max(1_000)
    .default(1_000)
    .describe('Of how many clients in a thousand.'),
  perRoute: z
    .int()
    .min(1)
    .max(20)
    .default(3)
    .describe('How many requests of the same route and shape are kept, the newest.'),
  headers: z
    .array(headerName)
    .default([])
    .describe('Headers that are kept besides accept, accept-language and content-type.'),
  replace: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .default({})
    .describe(
      'Fields of bodies and queries by name, as in `email`, and what stands in for their values.',
    ),
  keepDays: z
    .int()
    .min(1)
    .max(limits.recordedDaysMax)
    .default(7)
    .describe('How long they are kept.'),
});

/** What may be done with requests besides sending them once. */
export const trafficSchema = z.strictObject({
  safe: z
    .array(route)
    .default([])
    .describe(
      'Requests that may be sent again and again to measure both versions, as in ' +
        '`POST /orders/*/payment`. What only reads may always be.',
    ),
  record: record
    .optional()
    .describe(
      'Records what comes from outside by the port of `ingress`, without secrets, so that ' +
        'verdicts can send it again. Left out, nothing is recorded.',
    ),
  credentials: z
    .record(headerName, secretReference)
    .default({})
    .describe(
      'What recorded requests prove themselves with when they are sent again, by header, as in ' +
        '`authorization: env:REPLAY_TOKEN`. Without, they get what suites have sent.',
    ),
});
