import { expect, test } from 'vitest';
import { z } from 'zod';
import { outlineSchema } from './outline-schema.ts';
import { tools } from './tools/index.ts';

test('an output schema names members and types, and requires nothing', () => {
  const output = z.object({
    id: z.string().describe('Left out.'),
    mode: z.enum(['a', 'b']).nullable(),
    either: z.union([z.string(), z.number()]),
    rows: z.array(z.object({ at: z.int(), deep: z.object({ deeper: z.string() }) })),
  });
  const { properties, ...rest } = outlineSchema(output);
  expect(rest).toEqual({ type: 'object' });
  expect(properties).toMatchObject({
    id: { type: 'string' },
    mode: { type: ['string', 'null'], enum: ['a', 'b', null] },
    either: {},
    rows: {
      type: 'array',
      items: { type: 'object', properties: { at: { type: 'integer' }, deep: { type: 'object' } } },
    },
    asked: { type: 'object' },
    next: { type: ['string', 'null'] },
  });
  expect(JSON.stringify(properties)).not.toMatch(/deeper|Left out/);
});

test.each(Object.entries(tools))('%s declares the members of its answer', (_, { output }) => {
  expect(Object.keys(output.shape).length).toBeGreaterThan(0);
});
