import { z } from 'zod';
import { systemLimits } from './limits.ts';
import { secretReference } from './service-schema.ts';

const route = z
  .string()
  .regex(
    /^(?:[a-z][a-z0-9-]{0,39} )?(?:POST|PUT|PATCH|DELETE|OPTIONS) \/\S*$/,
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
    .describe('The share of clients to record, in thousandths.'),
  perRoute: z
    .int()
    .min(1)
    .max(20)
    .default(3)
    .describe('How many requests of the same route and shape to keep; the newest stay.'),
  headers: z
    .array(headerName)
    .default([])
    .describe('Headers to keep, in addition to accept, accept-language and content-type.'),
  replace: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .default({})
    .describe(
      'Fields of bodies and queries by name, such as `email`, and what replaces their values.',
    ),
  keepDays: z
    .int()
    .min(1)
    .max(systemLimits.recordedDaysMax)
    .default(7)
    .describe('How long recorded requests are kept.'),
});

/** What may be done with requests besides sending them once. */
export const trafficSchema = z.strictObject({
  safe: z
    .array(route)
    .default([])
    .describe(
      'Requests that may be repeated to measure both versions, such as ' +
        '`POST /orders/*/payment`. Reading requests always may. With the name of a service ' +
        'before it (`pricing POST /quotes`), a call of other services that Surety may send by ' +
        'itself, with other values, for a change of that service.',
    ),
  record: record
    .optional()
    .describe(
      'Records requests at the port of `ingress`, without secrets, so that verdicts can repeat ' +
        'them. Default: nothing is recorded.',
    ),
  credentials: z
    .record(headerName, secretReference)
    .default({})
    .describe(
      'Credentials for repeated requests, by header, such as ' +
        '`authorization: env:REPLAY_TOKEN`. Default: those that suites have sent.',
    ),
});
