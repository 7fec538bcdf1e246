import { z } from 'zod';
import { recordedScenarioSchema } from '../../verify/traffic/api-schema.ts';
import type { Operation } from './operation.ts';

/** What was recorded of requests to the baseline. It is for people only. */
export const trafficOperations = {
  'GET /v1/traffic': {
    summary: 'What was recorded of requests to the baseline, newest first.',
    response: z.object({ recording: z.boolean(), scenarios: z.array(recordedScenarioSchema) }),
    roles: ['developer', 'operator', 'auditor'],
  },
  'POST /v1/traffic/recording': {
    summary: 'Records on, or stops until it is told otherwise or the daemon starts again.',
    body: z.strictObject({ on: z.boolean() }),
    response: z.object({ recording: z.boolean() }),
    roles: ['developer', 'operator'],
  },
  'POST /v1/traffic/clear': {
    summary: 'Deletes all that was recorded.',
    response: z.object({ scenarios: z.int().describe('How many there were.') }),
    roles: ['developer', 'operator'],
  },
} as const satisfies Record<string, Operation>;
