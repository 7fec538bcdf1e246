import { z } from 'zod';
import {
  probeStatusSchema as probe,
  probeCheckSchema,
  probePlacementSchema,
} from '../../probes/api-schema.ts';
import { contextRequestSchema, runtimeContextSchema } from '../../probes/context/api-schema.ts';
import { type Operation, readers } from './operation.ts';

const probePath = z.strictObject({ probe: z.string() });
const probeList = z.object({ probes: z.array(probe), isOff: z.boolean() });

/** Read-only looks into services that run. */
export const probeOperations = {
  'POST /v1/probes': {
    summary:
      'Places a read-only probe in a running service, until it is removed or its time is up.',
    body: probePlacementSchema,
    response: probe,
    roles: ['agent', 'developer', 'operator'],
  },
  'POST /v1/probes/check': {
    summary: 'Where a probe would be and what it would cost, without placing it.',
    body: probePlacementSchema,
    response: probeCheckSchema,
    roles: ['agent', 'developer', 'operator'],
  },
  'POST /v1/probes/context': {
    summary:
      'Observes lines of code that run: types, branches, callers, awaited answers and durations.',
    body: contextRequestSchema,
    response: runtimeContextSchema,
    roles: ['agent', 'developer', 'operator'],
  },
  'GET /v1/probes': {
    summary: 'The probes that are placed now.',
    response: probeList,
    roles: [...readers, 'agent'],
  },
  'POST /v1/probes/switch': {
    summary: 'Removes all probes and refuses new ones, or allows them again.',
    body: z.strictObject({ isOff: z.boolean() }),
    response: probeList,
    roles: ['operator'],
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
