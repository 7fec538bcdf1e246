import { z } from 'zod';
import {
  changeSourceSchema,
  drawnPathSchema,
  laneSchema as lane,
  laneExtensionSchema,
  laneProgressSchema,
  laneRequestSchema,
  reachSchema,
} from '../../lanes/api-schema.ts';
import { laneCheckRequestSchema, laneCheckSchema } from '../../verify/preflight/api-schema.ts';
import { type Operation, readers } from './operation.ts';

const lanePath = z.strictObject({ lane: z.string() });

const address = z.string().describe('Where its requests are sent.');

export const laneOperations = {
  'GET /v1/lanes': {
    summary: 'The lanes that are open, and those on their way. An agent sees its own.',
    response: z.object({
      lanes: z.array(lane),
      opening: z.array(laneProgressSchema),
    }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/lanes': {
    summary: 'Starts the services that a change touches, beside the baseline.',
    body: laneRequestSchema,
    response: z.object({ lane, control: lane.nullable(), address }),
    roles: ['developer', 'agent'],
  },
  'POST /v1/lanes/check': {
    summary: 'Sends the known requests through a lane of the baseline: which calls lose its key?',
    body: laneCheckRequestSchema,
    response: laneCheckSchema,
    roles: ['developer', 'agent'],
  },
  'GET /v1/lanes/{lane}': {
    summary: 'One lane: its candidates, whether they run, and how to reach it.',
    path: lanePath,
    response: z.object({
      lane,
      processes: z.array(
        z.object({
          service: z.string(),
          pid: z.int().nullable().describe('None: it ended, and its requests are refused.'),
        }),
      ),
      address,
      headers: z.record(z.string(), z.string()).describe('Sent with each of its requests.'),
    }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/lanes/{lane}/extend': {
    summary: 'Lets a lane live so long from now, and never past its end at most.',
    path: lanePath,
    body: laneExtensionSchema,
    response: z.object({ lane }),
    roles: ['developer', 'operator', 'agent'],
  },
  'POST /v1/lanes/{lane}/close': {
    summary: 'Ends everything of a lane, and of those that stand on it.',
    path: lanePath,
    response: z.object({ lane: z.string() }),
    roles: ['developer', 'operator', 'agent'],
  },
  'GET /v1/lanes/{lane}/reach': {
    summary: 'Whether the candidates really served the requests of the lane.',
    path: lanePath,
    query: z.strictObject({
      request: z.string().min(1).optional().describe('Only the request with this x-request-id.'),
    }),
    response: z.object({
      lane,
      reach: reachSchema,
      losses: z.array(z.string()).describe('Each loss of the key, as a sentence.'),
      paths: z.array(z.string()),
      trees: z.array(drawnPathSchema).describe('The paths of its requests, each way once.'),
      address,
    }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/overrides': {
    summary: 'A person lets one change touch what is protected.',
    body: changeSourceSchema.extend({
      reason: z.string().min(1),
      suites: z
        .boolean()
        .optional()
        .describe('Whether the suites that it edits judge it. False if left out.'),
    }),
    response: z.object({ change: z.string(), files: z.array(z.string()) }),
    roles: ['approver'],
  },
} as const satisfies Record<string, Operation>;
