import { z } from 'zod';
import { type Operation, readers } from './operation.ts';

const lane = z.object({
  lane: z.string().describe('Its id, which is also the key of its requests.'),
  owner: z.string().describe('Who opened it.'),
  change: z.string().nullable(),
  base: z.string(),
  commit: z.string().describe('The version that its candidates run.'),
  candidates: z.array(
    z.object({
      service: z.string(),
      instance: z.string(),
      name: z.string(),
      port: z.int(),
      version: z.enum(['changed', 'copy']),
      protocol: z
        .enum(['http', 'https', 'h2c', 'grpc'])
        .optional()
        .describe('Where it is not that of the baseline.'),
    }),
  ),
  data: z.array(
    z.object({
      store: z.string(),
      mode: z.enum(['shared', 'branch', 'empty']),
      branch: z.string().nullable(),
    }),
  ),
  on: z.string().nullable().describe('The lane that it stands on.'),
  controlOf: z.string().nullable().describe('The lane whose old version it runs.'),
  ingress: z.string().nullable().describe('Where its requests enter, if elsewhere than others.'),
  transient: z.boolean().describe('It ends with the run that opened it.'),
  openedAt: z.int(),
  expiresAt: z.int(),
  endsAtMost: z.int().describe('However often it is extended.'),
});

const reach = z.object({
  proven: z.boolean().describe('Every request sent to a candidate was served by it.'),
  candidates: z.array(
    z.object({ service: z.string(), instance: z.string(), sent: z.int(), served: z.int() }),
  ),
  reason: z.string().nullable().describe('Why it proves nothing.'),
  hops: z.int(),
  silent: z.array(z.string()).describe('Services reached with the key that called nobody with it.'),
  lost: z
    .array(
      z.object({
        how: z.enum([
          'recovered',
          'escaped',
          'misserved',
          'silent',
          'timed',
          'shared',
          'late',
          'untagged',
        ]),
        by: z.string().nullable().describe('Who lost the key, as far as that can be known.'),
        to: z.string(),
        what: z.string(),
        request: z.string().nullable(),
      }),
    )
    .describe('Where the key of the lane was lost.'),
});

const drawnPath = z.object({
  count: z.int().describe('How many requests went this way.'),
  request: z.string().nullable().describe('One of them.'),
  calls: z.array(
    z.object({
      depth: z.int().describe('Below the nearest call before it with a smaller one.'),
      service: z.string(),
      from: z.string().nullable(),
      instance: z.string(),
      served: z.string().nullable(),
      method: z.string(),
      path: z.string(),
      status: z.int(),
      protocol: z.string(),
      key: z.enum(['kept', 'recovered', 'escaped']),
      line: z.string(),
    }),
  ),
});

const lanePath = z.strictObject({ lane: z.string() });

const address = z.string().describe('Where its requests are sent.');

const changeSource = {
  patch: z.string().optional().describe('A unified diff, as git makes it.'),
  ref: z.string().min(1).optional().describe('A branch or commit of the repository.'),
  worktree: z.boolean().optional().describe('What is in the checkout now, new files included.'),
  base: z
    .string()
    .min(1)
    .optional()
    .describe('The version it is made for; the running one if left out.'),
};

export const laneOperations = {
  'GET /v1/lanes': {
    summary: 'The lanes that are open, and those on their way. An agent sees its own.',
    response: z.object({
      lanes: z.array(lane),
      opening: z.array(z.object({ lane: z.string(), owner: z.string(), stage: z.string() })),
    }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/lanes': {
    summary: 'Starts the services that a change touches, beside the baseline.',
    body: z.strictObject({
      ...changeSource,
      ttlMs: z.int().min(1).optional(),
      services: z.array(z.string()).optional().describe('Of these it gets copies of its own.'),
      on: z.string().optional().describe('A lane that it stands on.'),
      isolated: z
        .boolean()
        .optional()
        .describe('Who calls a changed service, and whom it calls, get copies too.'),
      control: z
        .boolean()
        .optional()
        .describe('A second lane with the old version of the same services.'),
      data: z
        .record(z.string(), z.enum(['shared', 'branch', 'empty']))
        .optional()
        .describe('By datastore; those that are not named are shared.'),
    }),
    response: z.object({ lane, control: lane.nullable(), address }),
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
    body: z.strictObject({ ttlMs: z.int().min(1) }),
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
    response: z.object({
      lane,
      reach,
      losses: z.array(z.string()).describe('Each loss of the key, as a sentence.'),
      paths: z.array(z.string()),
      trees: z.array(drawnPath).describe('The paths of its requests, each way once.'),
      address,
    }),
    roles: [...readers, 'agent'],
  },
  'POST /v1/overrides': {
    summary: 'A person lets one change touch what is protected.',
    body: z.strictObject({ ...changeSource, reason: z.string().min(1) }),
    response: z.object({ change: z.string(), files: z.array(z.string()) }),
    roles: ['approver'],
  },
} as const satisfies Record<string, Operation>;

export { reach as reachSchema };
