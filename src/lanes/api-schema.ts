import { z } from 'zod';
import type { Immutable } from '../kernel/index.ts';
import { laneLimits } from './limits.ts';

/** What is made to run in a lane: a diff, a branch or commit, or what is in the user's checkout. */
export const changeSourceSchema = z.strictObject({
  patch: z.string().optional().describe('A unified diff, as git makes it.'),
  ref: z.string().min(1).optional().describe('A branch or commit of the repository.'),
  worktree: z.boolean().optional().describe('What is in the checkout now, new files included.'),
  base: z
    .string()
    .min(1)
    .optional()
    .describe('The version it is made for; the running one if left out.'),
});

export type ChangeSource = Omit<Immutable<z.infer<typeof changeSourceSchema>>, 'base'>;

const dataMode = z.enum(['shared', 'branch', 'empty']);

/** How a lane uses a datastore. */
export type DataMode = z.infer<typeof dataMode>;

/** How a lane treats the unchanged services on the way to a changed one. */
const callerMode = z.enum(['shared', 'own', 'auto']);

export type CallerMode = z.infer<typeof callerMode>;

export const laneRequestSchema = changeSourceSchema.extend({
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
    .record(z.string(), dataMode)
    .optional()
    .describe('By datastore; those that are not named are shared.'),
  callers: callerMode
    .optional()
    .describe(
      'Whether it gets unchanged copies of the services between the ingress and the change.',
    ),
});

export type LaneRequest = Immutable<z.infer<typeof laneRequestSchema>>;

export const laneExtensionSchema = z.strictObject({ ttlMs: z.int().min(1) });

export const logQuerySchema = z.strictObject({
  service: z.string().optional().describe('Only this candidate.'),
  matching: z.string().min(1).optional().describe('Only lines with this text in them.'),
  request: z
    .string()
    .min(1)
    .optional()
    .describe('Lines of all services that name this request of the lane.'),
});

const candidate = z.object({
  service: z.string(),
  instance: z.string(),
  /** Its name on the host, and of its log. */
  name: z.string(),
  port: z.int(),
  /**
   * `changed` by the lane's change; a `copy` runs what the baseline runs, to be compared with; a
   * `caller` does too, and stands between the ingress and the change.
   */
  version: z.enum(['changed', 'copy', 'caller']),
  why: z.string().exactOptional().describe('Why the lane has its own copy of this caller.'),
  startMs: z.int().exactOptional().describe('How long it took to become healthy.'),
  doors: z
    .array(z.object({ to: z.string(), port: z.int() }))
    .exactOptional()
    .describe('Router ports by which it calls other services: these calls are the lane’s.'),
  protocol: z
    .enum(['http', 'https', 'h2c', 'grpc'])
    .exactOptional()
    .describe('Where it is not that of the baseline.'),
});

/** A service that runs beside the baseline, reached by the lane's requests only. */
export type Candidate = Immutable<z.infer<typeof candidate>>;

const laneData = z.object({
  store: z.string(),
  mode: dataMode,
  /** The name of a database or part of one, its own or that of the lane below; null if live. */
  branch: z.string().nullable(),
});

/** What a lane has of one datastore. Part of the lane's row, so never with an address. */
export type LaneData = Immutable<z.infer<typeof laneData>>;

export const laneSchema = z.object({
  lane: z.string().describe('Its id, which is also the key of its requests.'),
  owner: z.string().describe('Who opened it.'),
  change: z.string().nullable(),
  base: z.string(),
  commit: z.string().describe('The version that its candidates run.'),
  candidates: z.array(candidate),
  data: z.array(laneData),
  on: z.string().nullable().describe('The lane that it stands on.'),
  controlOf: z.string().nullable().describe('The lane whose old version it runs.'),
  ingress: z.string().nullable().describe('Where its requests enter, if elsewhere than others.'),
  transient: z.boolean().describe('It ends with the run that opened it.'),
  openedAt: z.int(),
  expiresAt: z.int(),
  endsAtMost: z.int().describe('However often it is extended.'),
});

/** The id of a lane is also its key: the mark of the requests that are meant for it. */
export type Lane = Immutable<z.infer<typeof laneSchema>>;

export const laneProgressSchema = z.object({
  lane: z.string(),
  owner: z.string(),
  stage: z.string(),
});

/** A lane that is being opened. */
export type LaneProgress = Immutable<z.infer<typeof laneProgressSchema>>;

const serviceReach = z.object({
  service: z.string(),
  instance: z.string(),
  /** Requests that the router sent to the candidate. */
  sent: z.int(),
  /** Requests of which the candidate itself said that it served them. */
  served: z.int(),
});

export type ServiceReach = Immutable<z.infer<typeof serviceReach>>;

const keyLoss = z.object({
  how: z.enum([
    'recovered',
    'escaped',
    'misserved',
    'silent',
    'timed',
    'shared',
    'late',
    'untagged',
    'mixed',
    'cached',
    'answer',
  ]),
  by: z.string().nullable().describe('Who lost the key, as far as that can be known.'),
  to: z.string(),
  what: z.string(),
  request: z.string().nullable(),
});

/**
 * How a call lost the lane's key. `recovered`: the trace id still identified the lane. `escaped`:
 * the baseline got the call, as the receiving service reported. `misserved`: another instance
 * answered than the one that was called. `silent`: a service had the key and called the next one
 * without it. `timed`: a timer of the service called during requests of others, so the call cannot
 * be attributed. `shared`: a timer of others called while the request was served, and may have sent
 * its data as well. `late`: the service called after the request, and with it the key, had ended.
 * `untagged`: the service opened a connection with a client that the preload does not know.
 * `mixed`: other requests waited inside the service, in a queue, pool or lock, so that a call may
 * have been made for one of them. `cached`: the service answered without a call that it made for
 * the same request before. `answer`: a request without the key may have got an answer of the
 * candidate, because it waited for the same result.
 */
export type KeyLoss = Immutable<z.infer<typeof keyLoss>>;

export const reachSchema = z.object({
  proven: z.boolean().describe('Every request sent to a candidate was served by it.'),
  candidates: z.array(serviceReach),
  reason: z.string().nullable().describe('Why it proves nothing.'),
  hops: z.int(),
  silent: z.array(z.string()).describe('Services reached with the key that called nobody with it.'),
  lost: z.array(keyLoss).describe('Where the key of the lane was lost.'),
});

export type Reach = Immutable<z.infer<typeof reachSchema>>;

const drawnCall = z.object({
  depth: z.int().describe('Below the nearest call before it with a smaller one.'),
  service: z.string(),
  from: z.string().nullable(),
  instance: z.string(),
  served: z.string().nullable(),
  method: z.string(),
  path: z.string(),
  status: z.int(),
  protocol: z.string(),
  /** Whether it came with the key, and if not, how it is known. */
  key: z.enum(['kept', 'recovered', 'escaped']),
  /** The line of the drawing. */
  line: z.string(),
});

export type DrawnCall = Immutable<z.infer<typeof drawnCall>>;

export const drawnPathSchema = z.object({
  count: z.int().describe('How many requests went this way.'),
  request: z.string().nullable().describe('One of them.'),
  calls: z.array(drawnCall),
});

export type DrawnPath = Immutable<z.infer<typeof drawnPathSchema>>;

export const serviceStatusSchema = z.object({
  service: z.string(),
  port: z.int(),
  state: z
    .enum(['running', 'unhealthy', 'starting', 'restarting', 'crashed', 'stopped'])
    .describe('`crashed`: it was started again so often that it is now tried only every 10 s.'),
  reason: z.string().nullable().describe('What is wrong, or how it ended the last time.'),
  address: z.string().nullable().describe('Where it runs, if it was not started here.'),
  pid: z.int().nullable(),
  instance: z.string().nullable(),
  commit: z.string().nullable().describe('The version it runs.'),
  overlay: z.string().nullable().describe('In which of the ways of surety.yaml it runs.'),
  restarts: z.int().describe('How often in a row it was started again.'),
  startedAt: z.int().nullable(),
  memoryBytes: z.int().nullable().describe('Of all its processes; shared pages count in part.'),
  cpuMs: z.number().nullable().describe('CPU time of its processes since they started.'),
  processes: z.int().nullable(),
});

export type ServiceStatus = Immutable<z.infer<typeof serviceStatusSchema>>;

const template = z.object({ name: z.string(), ageMs: z.number(), bytes: z.int() });

export type Template = Immutable<z.infer<typeof template>>;

export const storeStatusSchema = z.object({
  store: z.string(),
  kind: z.string(),
  template: template
    .nullable()
    .describe('The idle copy of a Postgres; null when there is none yet.'),
  lanes: z.array(z.string()).describe('Lanes that have their own.'),
});

export type StoreStatus = Immutable<z.infer<typeof storeStatusSchema>>;

export const promotionSchema = z.object({
  commit: z.string(),
  branch: z.string().describe('The branch of the repository that has the commit.'),
  services: z.array(z.string()),
});

/** A change as it was made part of the baseline. */
export type Promotion = Immutable<z.infer<typeof promotionSchema>>;

export const personalPromotionSchema = promotionSchema.extend({
  change: z.string().describe('The id of the change.'),
  verdict: z.string().nullable().describe('The pass that it rests on; null if nothing proves it.'),
});

/** A change that a person promoted. */
export type PersonalPromotion = Immutable<z.infer<typeof personalPromotionSchema>>;

export const rollbackSchema = z.object({
  commit: z.string().describe('The version that was taken back.'),
  base: z.string().describe('The version that runs again.'),
  services: z.array(z.string()),
});

/** A promotion that a person took back. */
export type Rollback = Immutable<z.infer<typeof rollbackSchema>>;

export const deploymentSchema = z.object({
  at: z.int(),
  kind: z.enum(['promotion', 'deployment', 'configuration']),
  service: z.string().describe('Empty for what concerns all of them.'),
  version: z.string(),
  previous: z.string(),
  actor: z.string(),
  note: z.string(),
});

export const deploymentRequestSchema = z.strictObject({
  service: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'use 1 to 100 letters, digits, dots, dashes and underscores'),
  version: z.string().min(1).max(laneLimits.deploymentTextCharsMax),
  previous: z
    .string()
    .max(laneLimits.deploymentTextCharsMax)
    .optional()
    .describe('The version before; else the one that was recorded last.'),
  note: z.string().max(laneLimits.deploymentTextCharsMax).optional(),
});

export type DeploymentRequest = Immutable<z.infer<typeof deploymentRequestSchema>>;

/** Something that may have changed how the system behaves, with the entry that says so. */
export type Deployment = Immutable<z.infer<typeof deploymentSchema>> & { readonly seq: number };
