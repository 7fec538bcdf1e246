import { z } from 'zod';
import { modelProviderSchema, modelUsageSchema } from '../../models/api-schema.ts';
import { type Operation, readers } from './operation.ts';

/** Models that agents reach through Surety. */
export const modelOperations = {
  'GET /v1/models': {
    summary: 'The model providers, and the tokens of each agent, task and model.',
    response: z.object({
      providers: z.array(modelProviderSchema),
      usage: z.array(modelUsageSchema),
    }),
    roles: ['agent', ...readers],
  },
} as const satisfies Record<string, Operation>;
