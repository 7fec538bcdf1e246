import { z } from 'zod';
import { type Immutable, sharedLimits } from '../kernel/index.ts';
import { reachSchema } from '../lanes/api-schema.ts';
import { differenceClasses } from './compare/difference-class.ts';
import { verifyLimits } from './limits.ts';

export const profileSchema = z.enum(['quick', 'full']);

/** `quick` while somebody waits; `full` takes several starts of both versions, and load. */
export type Profile = z.infer<typeof profileSchema>;

export const submittedTestSchema = z.strictObject({ path: z.string(), code: z.string() });

/** A test that somebody wrote for a change: a file of the system, with its text. */
export type SubmittedTest = Immutable<z.infer<typeof submittedTestSchema>>;

const givenRequest = z.strictObject({
  method: z.string().regex(/^[A-Z]{3,10}$/, 'use a method in capital letters'),
  path: z.string().startsWith('/'),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.json().optional().describe('A text as it is; anything else as JSON.'),
  status: z.int().optional().describe('What it is to be answered with; 200 if left out.'),
});

/** A request as somebody writes it down. */
export type GivenRequest = Immutable<z.infer<typeof givenRequest>>;

export const verdictRequestSchema = z.strictObject({
  patch: z.string().optional().describe('A unified diff; or one of the following.'),
  ref: z.string().optional().describe('What was done on this branch or commit.'),
  worktree: z.boolean().optional().describe('What is in the checkout now.'),
  change: z.string().optional().describe('What was judged before under this id.'),
  base: z.string().optional().describe('The running version if left out.'),
  suites: z.array(z.string()).min(1).optional().describe('All suites if left out.'),
  profile: profileSchema.optional().describe('`quick` if left out; `full` takes minutes.'),
  traffic: z
    .array(givenRequest)
    .max(sharedLimits.takenRequestsMax)
    .optional()
    .describe('Requests that are compared and measured besides those of the suites.'),
  recorded: z
    .boolean()
    .optional()
    .describe('False: without what was recorded of the baseline, where that is allowed.'),
  test: submittedTestSchema.optional().describe('A test that has to hold on the change.'),
  unnecessary: z
    .boolean()
    .optional()
    .describe('Also leaves each hunk out once, and tells what nothing needs.'),
});

export type VerdictRequest = Immutable<z.infer<typeof verdictRequestSchema>>;

const check = z.object({
  check: z.string(),
  passed: z.boolean(),
  expected: z.json(),
  actual: z.json(),
  requestId: z.string().nullable(),
});

/** One thing that a suite looked at. */
export type Check = Immutable<z.infer<typeof check>> & {
  /** Set during a verification if the check failed and somebody disputes that. */
  readonly disputed?: Dispute;
};

export const suiteRunSchema = z.object({
  suite: z.string(),
  /** Passed: it ended well and every check held. Broken: it could not say. */
  result: z.enum(['passed', 'failed', 'broken']),
  checks: z.array(check),
  /** Why it is broken; null otherwise. */
  reason: z.string().nullable(),
});

export type SuiteRun = Omit<Immutable<z.infer<typeof suiteRunSchema>>, 'checks'> & {
  readonly checks: readonly Check[];
};

export const suitesRequestSchema = z.strictObject({
  suites: z.array(z.string()).min(1).optional().describe('All suites if left out.'),
  lane: z.string().optional().describe('The running version if left out.'),
});

export type SuitesRequest = Immutable<z.infer<typeof suitesRequestSchema>>;

export const suitesRunSchema = z.object({ version: z.string(), runs: z.array(suiteRunSchema) });

export type SuitesRun = Immutable<z.infer<typeof suitesRunSchema>>;

const calibrationCounts = {
  profile: profileSchema,
  atOnce: z.int().describe('How many services at least were started anew for each verdict.'),
  verdicts: z.int().describe('Whole ones, on identical code.'),
  falseAlarms: z.int().describe('Those that failed, with nothing changed.'),
  inconclusive: z.int().describe('Those that were not sure.'),
  services: z.array(z.string()),
};

const calibrationDetails = {
  alarms: z.array(z.string()).describe('The findings that were false alarms.'),
  doubts: z.array(z.string()).describe('Why others were not sure.'),
  cpuRatios: z
    .array(z.number())
    .describe('CPU time, one process to another of the same code: how lucky a start can be.'),
};

export const calibrationRunSchema = z.object({ ...calibrationCounts, ...calibrationDetails });

/** What verdicts on identical code were. */
export type CalibrationRun = Immutable<z.infer<typeof calibrationRunSchema>>;

/** As verdicts tell it. */
const calibrationBrief = z.object({
  ...calibrationCounts,
  at: z.int().describe('When the last of them was reached.'),
  interval: z
    .object({ low: z.number(), high: z.number() })
    .describe('Of the share of false alarms: 95 %.'),
});

export const calibrationSchema = calibrationBrief.extend(calibrationDetails);

/** All of them together, as far as they are not too old to say anything about today. */
export type Calibration = Immutable<z.infer<typeof calibrationSchema>>;

export const calibrationRequestSchema = z.strictObject({
  verdicts: z.int().min(1).max(verifyLimits.calibrationVerdictsMax),
  services: z
    .array(z.string())
    .min(1)
    .optional()
    .describe('Started anew, in turn; those that suites reach if left out.'),
  atOnce: z.int().min(1).optional().describe('How many of them for each verdict; 1.'),
  profile: profileSchema.optional().describe('`quick` if left out.'),
});

export type CalibrationRequest = Immutable<z.infer<typeof calibrationRequestSchema>>;

const changedLines = z.object({
  file: z.string(),
  line: z.int().describe('Of the first of them in the changed file.'),
  text: z.array(z.string()).describe('Each with its + or -.'),
});

/** A few lines of a patch, with the place where they stand. */
export type ChangedLines = Immutable<z.infer<typeof changedLines>>;

const evidence = z.object({
  id: z.string().describe('fnd_…: the same thing has the same id, whichever change does it.'),
  requestId: z.string().nullable().describe('One request that shows it.'),
  traceId: z.string().nullable(),
  trace: z.string().nullable().describe('The command that shows its trace.'),
  logs: z.array(z.string()).describe('What the services said about that request.'),
  lines: z
    .array(changedLines)
    .describe('The changed lines that most likely matter, the likeliest first.'),
  reproduction: z.string().describe('The command that shows it again.'),
});

/** What comes with every finding, so that its reader can act on it. */
export type FindingEvidence = Immutable<z.infer<typeof evidence>>;

const checkFinding = z.object({
  kind: z.literal('check'),
  service: z.string().nullable().describe('The first changed service that the request met.'),
  suite: z.string(),
  check: z.string(),
  expected: z.json(),
  actual: z.json(),
  path: z.array(z.string()).describe('The hops that the request took.'),
  ...evidence.shape,
});

const wireFinding = z.object({
  kind: z.literal('wire'),
  service: z.string().describe('Whose doing it is.'),
  what: z.string(),
  /** `pricing → validation POST /validations`. */
  hop: z.string(),
  part: z.enum(['request', 'response']),
  field: z.string(),
  before: z.string(),
  after: z.string(),
  sampleBefore: z.json(),
  sampleAfter: z.json(),
  confidence: z.number().describe('From 0 to 1.'),
  ...evidence.shape,
});

/** A field that changed between two versions in what one service says to another. */
export type WireFinding = Immutable<z.infer<typeof wireFinding>>;

const differenceFinding = z.object({
  kind: z.literal('difference'),
  class: z.enum(differenceClasses),
  /** `type-changed`, `call-repeated`: the class says where, this what. */
  what: z.string(),
  service: z.string().describe('Whose doing it is.'),
  /** `pricing → validation POST /validations`; null for what is not on a hop. */
  hop: z.string().nullable(),
  /** Which part of it: `request amount`; null for all of it. */
  place: z.string().nullable(),
  before: z.string(),
  after: z.string(),
  /** One of either side, to see what is meant. */
  examples: z.object({ before: z.json(), after: z.json() }),
  confidence: z.number().describe('From 0 to 1.'),
  ...evidence.shape,
});

/** Anything else that the change does otherwise. */
export type DifferenceFinding = Immutable<z.infer<typeof differenceFinding>>;

const finding = z.discriminatedUnion('kind', [checkFinding, wireFinding, differenceFinding]);

/** One thing that is wrong with a change. */
export type Finding = Immutable<z.infer<typeof finding>>;

const signal = z.object({
  service: z.string(),
  signal: z.string().describe('What was measured, with its unit.'),
  verdict: z.enum(['worse', 'not-worse', 'inconclusive']),
  /** Of the control and of the candidate: medians of what is measured, sums of what is counted. */
  before: z.number(),
  after: z.number(),
  ratio: z.number().nullable().describe('Candidate to control; null for what is counted.'),
  /** 95 %, however often it was looked at. */
  interval: z.object({ low: z.number().nullable(), high: z.number().nullable() }),
  pairs: z.int(),
  starts: z.int(),
  pairsNeeded: z.int().nullable().describe('About how many pairs would decide it.'),
});

/** A signal of one service, on both versions. */
export type ServiceSignal = Immutable<z.infer<typeof signal>>;

export const disputeSchema = z.object({
  finding: z.string(),
  owner: z.string(),
  reason: z.string(),
  until: z.int().describe('From then on it fails again.'),
});

/** Somebody's word that a finding is none: it fails nothing until then. */
export type Dispute = Immutable<z.infer<typeof disputeSchema>>;

export const disputeRequestSchema = z.strictObject({
  finding: z.string().regex(/^fnd_[0-9a-f]{16}$/, 'use the id of a finding: fnd_…'),
  reason: z.string().min(1).max(500),
  days: z.int().min(0).max(verifyLimits.disputeDaysMax).default(14).describe('0 takes it back.'),
});

export type DisputeRequest = Immutable<z.infer<typeof disputeRequestSchema>>;

const callCount = z.object({ from: z.string(), to: z.string(), count: z.int(), failed: z.int() });

/** How often one service called another for the requests of the change. */
export type CallCount = Immutable<z.infer<typeof callCount>>;

/** A verdict as everybody is told it; docs/verdict.schema.json is made from this. */
export const verdictSchema = z.object({
  id: z.string(),
  change: z.string().describe('Names exactly this patch on exactly this base.'),
  base: z.string(),
  services: z.array(z.string()).describe('Those that the change touches.'),
  verdict: z.enum(['pass', 'fail', 'inconclusive']),
  reason: z.string().describe('Why, in one sentence.'),
  findings: z.array(finding).describe('The most causal first.'),
  findingsOmitted: z.int().describe('How many more there are than fit.'),
  disputed: z
    .array(disputeSchema)
    .exactOptional()
    .describe('What would be findings if nobody had said that they are none.'),
  notices: z.array(z.string()).describe('What fails nothing, but is worth knowing.'),
  reach: reachSchema,
  calls: z.array(callCount).describe('Who called whom for the requests of the change.'),
  checks: z.object({ passed: z.int(), failed: z.int() }),
  profile: profileSchema,
  signals: z.array(signal).describe('What was measured on both versions.'),
  calibration: calibrationBrief
    .nullable()
    .describe('How often such verdicts failed where nothing was changed; null: nobody has looked.'),
});

export type VerifiedChange = Immutable<z.infer<typeof verdictSchema>>;

/** What was judged, before it has an id and a place in the ledger. */
export type Verdict = Omit<VerifiedChange, 'id' | 'change' | 'base' | 'services' | 'calibration'>;

/** The names are those of harnesses that call it. */
export const validationRequestSchema = z.strictObject({
  changes: z.string().min(1).describe('A unified diff as git makes it, on what runs now.'),
  validation_suite: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .optional()
    .describe('One suite or several; all of them if left out.'),
  timeout_minutes: z
    .number()
    .positive()
    .max(sharedLimits.validationMinutesMax)
    .default(10)
    .describe('Then it answers with what is known by then.'),
  profile: profileSchema.optional().describe('`quick` if left out.'),
});

const failedTest = z.object({
  suite: z.string(),
  test: z.string(),
  service: z.string().nullable(),
  expected: z.json(),
  actual: z.json(),
});

export type FailedTest = Immutable<z.infer<typeof failedTest>>;

const degradedMetric = z.object({
  service: z.string(),
  metric: z.string(),
  where: z.string(),
  before: z.string(),
  after: z.string(),
});

export type DegradedMetric = Immutable<z.infer<typeof degradedMetric>>;

export const validationSchema = z.object({
  tests_passed: z.boolean().describe('Every check held. False, too, when it is not known.'),
  metrics_acceptable: z
    .boolean()
    .describe('Nothing else is worse than before. False, too, when it is not known.'),
  failed_tests: z.array(failedTest),
  degraded_metrics: z.array(degradedMetric),
  error_logs: z.array(z.string()).describe('The last 100 lines that tell of an error.'),
  verdict: verdictSchema,
});

/** What a harness asks for. */
export type Validation = Immutable<z.infer<typeof validationSchema>>;

export const runningVerificationSchema = z.object({
  verdict: z.string().describe('The id that its verdict will have.'),
  actor: z.string(),
  change: z.string(),
  startedAt: z.int(),
  stage: z.string(),
});

/** A verification that runs now, and what it is doing. */
export type RunningVerification = Immutable<z.infer<typeof runningVerificationSchema>>;

/** The verdict as a JSON Schema, for whoever reads verdicts without us. */
export function verdictJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(verdictSchema, { io: 'output' });
  const title = 'Verdict of Surety';
  const description = 'Members may be added; none changes its meaning or goes away.';
  return { $schema, title, description, ...schema };
}
