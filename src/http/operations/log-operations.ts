import { z } from 'zod';
import { type Operation, readers } from './operation.ts';

/** What the services of a lane said. */
export const logOperations = {
  'GET /v1/lanes/{lane}/logs': {
    summary:
      'Lines that the candidates of a lane logged, or all services about one of its requests.',
    path: z.strictObject({ lane: z.string() }),
    query: z.strictObject({
      service: z.string().optional().describe('Only this candidate.'),
      matching: z.string().min(1).optional().describe('Only lines with this text in them.'),
      request: z
        .string()
        .min(1)
        .optional()
        .describe('Lines of all services that name this request of the lane.'),
    }),
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
