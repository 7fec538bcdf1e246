import { z } from 'zod';
import { probeStatusSchema as probe, probePlacementSchema } from '../../probes/api-schema.ts';
import { type Operation, readers } from './operation.ts';

const probePath = z.strictObject({ probe: z.string() });

/** Read-only looks into services that run. */
export const probeOperations = {
  'POST /v1/probes': {
    summary:
      'Places a read-only probe in a running service, until it is removed or its time is up.',
    body: probePlacementSchema,
    response: probe,
    roles: ['agent', 'developer', 'operator'],
  },
  'GET /v1/probes/{probe}': {
    summary: 'What a probe has seen so far.',
    path: probePath,
    response: probe,
    roles: [...readers, 'agent'],
  },
  'POST /v1/probes/{probe}/remove': {
    summary: 'Takes a probe out; what it saw stays.',
    path: probePath,
    response: probe,
    roles: ['agent', 'developer', 'operator'],
  },
} as const satisfies Record<string, Operation>;
