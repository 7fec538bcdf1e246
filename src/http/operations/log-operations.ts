import { z } from 'zod';
import { logQuerySchema } from '../../lanes/api-schema.ts';
import { type Operation, readers } from './operation.ts';

/** What the services of a lane said. */
export const logOperations = {
  'GET /v1/lanes/{lane}/logs': {
    summary:
      'Lines that the candidates of a lane logged, or all services about one of its requests.',
    path: z.strictObject({ lane: z.string() }),
    query: logQuerySchema,
    response: z.object({
      lane: z.string(),
      from: z.int().describe('Since when the lane is open.'),
      until: z.int(),
      searched: z.array(z.object({ log: z.string(), lines: z.int() })),
      lines: z.array(z.object({ log: z.string(), line: z.string() })),
      omitted: z.int().describe('Older lines that matched, too.'),
    }),
    roles: [...readers, 'agent'],
  },
} as const satisfies Record<string, Operation>;
