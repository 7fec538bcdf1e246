import { z } from 'zod';

const route = z
  .string()
  .regex(
    /^(?:POST|PUT|PATCH|DELETE|OPTIONS) \/\S*$/,
    'use a method and a path, as in POST /orders; a * is one part of a path',
  );

/** What may be done with requests besides sending them once. */
export const trafficSchema = z.strictObject({
  safe: z
    .array(route)
    .default([])
    .describe(
      'Requests that may be sent again and again to measure both versions, as in ' +
        '`POST /orders/*/payment`. What only reads may always be.',
    ),
});
