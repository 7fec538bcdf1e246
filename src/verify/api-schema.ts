import { z } from 'zod';
import { type Immutable, sharedLimits } from '../kernel/index.ts';
import { reachSchema } from '../lanes/api-schema.ts';
import { differenceClasses } from './compare/difference-class.ts';
import { findingId } from './history/api-schema.ts';
import { verifyLimits } from './limits.ts';
import { changeCoverageSchema } from './line-coverage/api-schema.ts';

export const profileSchema = z.enum(['quick', 'full']);

/** `quick` takes a minute; `full` uses several starts of both versions, and load. */
export type Profile = z.infer<typeof profileSchema>;

export const submittedTestSchema = z.strictObject({ path: z.string(), code: z.string() });

/** A test for a change: a file of the system with its code. */
export type SubmittedTest = Immutable<z.infer<typeof submittedTestSchema>>;

const givenRequest = z.strictObject({
  method: z.string().regex(/^[A-Z]{3,10}$/, 'use a method in capital letters'),
  path: z.string().startsWith('/'),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.json().optional().describe('A string is sent as it is, anything else as JSON.'),
  status: z.int().optional().describe('The expected status; 200 if left out.'),
});

/** A request that somebody gives with a change. */
export type GivenRequest = Immutable<z.infer<typeof givenRequest>>;

const intendedSchema = z.strictObject({
  findings: z.array(findingId).min(1).max(verifyLimits.verdictDisputesMax),
  reason: z.string().min(1).max(500),
});

export const verdictRequestSchema = z.strictObject({
  patch: z.string().optional().describe('A unified diff; or give one of the following.'),
  ref: z.string().optional().describe('A branch or commit with the change.'),
  worktree: z.boolean().optional().describe('The uncommitted changes of the checkout.'),
  change: z.string().optional().describe('The id of a change that was verified before.'),
  base: z.string().optional().describe('The baseline if left out.'),
  suites: z.array(z.string()).min(1).optional().describe('All suites if left out.'),
  profile: profileSchema.optional().describe('`quick` if left out; `full` takes minutes.'),
  traffic: z
    .array(givenRequest)
    .max(sharedLimits.takenRequestsMax)
    .optional()
    .describe('Requests to compare and measure in addition to those of the suites.'),
  callers: z
    .enum(['shared', 'own', 'auto'])
    .optional()
    .describe('Which unchanged callers run as copies in the lanes; as in surety.yaml if left out.'),
  recorded: z.boolean().optional().describe('False: without recorded traffic of the baseline.'),
  test: submittedTestSchema.optional().describe('A test that has to pass on the change.'),
  intended: intendedSchema
    .optional()
    .describe('Findings that the change is meant to cause: notices of this verdict alone.'),
  unnecessary: z
    .boolean()
    .optional()
    .describe('Also leaves out each hunk once, and reports those that no check needs.'),
});

export type VerdictRequest = Immutable<z.infer<typeof verdictRequestSchema>>;

const check = z.object({
  check: z.string(),
  passed: z.boolean(),
  expected: z.json(),
  actual: z.json(),
  requestId: z.string().nullable(),
});

/** One check of a suite. */
export type Check = Immutable<z.infer<typeof check>> & {
  /** Set during a verification if the check failed and somebody disputes that. */
  readonly disputed?: Dispute;
};

export const suiteRunSchema = z.object({
  suite: z.string(),
  /** Passed: it ended with 0 and every check passed. Broken: it has no usable result. */
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
  lane: z.string().optional().describe('The baseline if left out.'),
});

export type SuitesRequest = Immutable<z.infer<typeof suitesRequestSchema>>;

export const suitesRunSchema = z.object({ version: z.string(), runs: z.array(suiteRunSchema) });

export type SuitesRun = Immutable<z.infer<typeof suitesRunSchema>>;

const calibrationCounts = {
  profile: profileSchema,
  atOnce: z.int().describe('The smallest number of services that were restarted for a verdict.'),
  verdicts: z.int().describe('Verdicts on identical code.'),
  falseAlarms: z.int().describe('Verdicts that failed although nothing changed.'),
  inconclusive: z.int().describe('Verdicts that were inconclusive.'),
  services: z.array(z.string()),
};

const calibrationDetails = {
  alarms: z.array(z.string()).describe('The findings that were false alarms.'),
  doubts: z.array(z.string()).describe('Why verdicts were inconclusive.'),
  cpuRatios: z
    .array(z.number())
    .describe('CPU time of one process relative to another of the same code.'),
};

export const calibrationRunSchema = z.object({ ...calibrationCounts, ...calibrationDetails });

/** The verdicts of one calibration on identical code. */
export type CalibrationRun = Immutable<z.infer<typeof calibrationRunSchema>>;

/** As in a verdict. */
const calibrationBrief = z.object({
  ...calibrationCounts,
  at: z.int().describe('When the last of these verdicts was reached.'),
  interval: z
    .object({ low: z.number(), high: z.number() })
    .describe('The 95 % interval of the share of false alarms.'),
});

export const calibrationSchema = calibrationBrief.extend(calibrationDetails);

/** All calibrations together that are not too old. */
export type Calibration = Immutable<z.infer<typeof calibrationSchema>>;

export const calibrationRequestSchema = z.strictObject({
  verdicts: z.int().min(1).max(verifyLimits.calibrationVerdictsMax),
  services: z
    .array(z.string())
    .min(1)
    .optional()
    .describe('Restarted in turn; the services that suites reach if left out.'),
  atOnce: z.int().min(1).optional().describe('How many of them for each verdict; 1 if left out.'),
  profile: profileSchema.optional().describe('`quick` if left out.'),
});

export type CalibrationRequest = Immutable<z.infer<typeof calibrationRequestSchema>>;

const changedLines = z.object({
  file: z.string(),
  line: z.int().describe('Of the first line, in the changed file.'),
  text: z.array(z.string()).describe('Each with its + or -.'),
  likeliest: z.int().describe('The index in text of the line that names most of the finding.'),
});

/** A few lines of a patch, with file and line. */
export type ChangedLines = Immutable<z.infer<typeof changedLines>>;

const evidence = z.object({
  id: z.string().describe('fnd_…: the same for every change that shows the finding.'),
  requestId: z.string().nullable().describe('A request that shows it.'),
  traceId: z.string().nullable(),
  trace: z.string().nullable().describe('The command that shows its trace.'),
  logs: z.array(z.string()).describe('What the services logged about that request.'),
  lines: z
    .array(changedLines)
    .describe('The changed lines that most likely cause it, the likeliest first.'),
  reproduction: z.string().describe('The command that reproduces it.'),
  causedBy: z.exactOptional(z.string()).describe('The id of the finding that explains it.'),
});

/** What comes with every finding, so that its reader can act on it. */
export type FindingEvidence = Immutable<z.infer<typeof evidence>>;

const checkFinding = z.object({
  kind: z.literal('check'),
  service: z.string().nullable().describe('The first changed service on the path of the request.'),
  suite: z.string(),
  check: z.string(),
  expected: z.json(),
  actual: z.json(),
  path: z.array(z.string()).describe('The hops of the request.'),
  ...evidence.shape,
});

const wireFinding = z.object({
  kind: z.literal('wire'),
  class: z.literal('contract').default('contract'),
  service: z.string().describe('The service that causes it.'),
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

/** A field that changed in what one service sends to another. */
export type WireFinding = Immutable<z.infer<typeof wireFinding>>;

const differenceFinding = z.object({
  kind: z.literal('difference'),
  class: z.enum(differenceClasses),
  /** `type-changed`, `call-repeated`. */
  what: z.string(),
  service: z.string().describe('The service that causes it.'),
  /** `pricing → validation POST /validations`; null if it is not about a hop. */
  hop: z.string().nullable(),
  /** The part of the hop: `request amount`; null for all of it. */
  place: z.string().nullable(),
  before: z.string(),
  after: z.string(),
  /** An example of each side. */
  examples: z.object({ before: z.json(), after: z.json() }),
  confidence: z.number().describe('From 0 to 1.'),
  ...evidence.shape,
});

/** Any other difference. */
export type DifferenceFinding = Immutable<z.infer<typeof differenceFinding>>;

const finding = z.discriminatedUnion('kind', [checkFinding, wireFinding, differenceFinding]);

/** One problem with a change. */
export type Finding = Immutable<z.infer<typeof finding>>;

const signal = z.object({
  service: z.string(),
  signal: z.string().describe('The name of the signal, with its unit.'),
  route: z.exactOptional(z.string()).describe('`POST /trades`; all requests if left out.'),
  verdict: z.enum(['worse', 'not-worse', 'inconclusive']),
  /** Sums of counted signals; of measured ones the control's median, and that times the ratio. */
  before: z.number(),
  after: z.number(),
  ratio: z.number().nullable().describe('Candidate to control; null for counted signals.'),
  /** 95 %, valid however often it is computed. */
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
  until: z
    .int()
    .describe('When the dispute expires; 0 if this change alone is meant to cause the finding.'),
});

/** A person's statement that a finding is wrong. It does not count until the dispute expires. */
export type Dispute = Immutable<z.infer<typeof disputeSchema>>;

const callCount = z.object({ from: z.string(), to: z.string(), count: z.int(), failed: z.int() });

/** How often one service called another for the requests of the change. */
export type CallCount = Immutable<z.infer<typeof callCount>>;

const copiedCaller = z.object({
  service: z.string(),
  why: z.string().describe('Why sharing it with the baseline would not have been safe.'),
  startMs: z.int().describe('How long its copy took to become healthy.'),
  memoryBytes: z.int().nullable(),
});

/** An unchanged service of which both versions had a copy, and what that cost. */
export type CopiedCaller = Immutable<z.infer<typeof copiedCaller>>;

/** The public form of a verdict; docs/verdict.schema.json is generated from it. */
export const verdictSchema = z.object({
  id: z.string(),
  change: z.string().describe('The id of exactly this patch on exactly this base.'),
  base: z.string(),
  at: z.exactOptional(z.int()).describe('When the verdict was reached.'),
  by: z.exactOptional(z.string()).describe('Who asked for it, such as `agent:coder`.'),
  ref: z.exactOptional(z.string()).describe('The branch or commit that was named.'),
  services: z.array(z.string()).describe('The services that the change touches.'),
  verdict: z.enum(['pass', 'fail', 'inconclusive']),
  reason: z.string().describe('Why, in one sentence.'),
  findings: z.array(finding).describe('The most causal first.'),
  findingsOmitted: z.int().describe('How many findings were left out because they do not fit.'),
  disputed: z
    .array(disputeSchema)
    .exactOptional()
    .describe('The disputes without which there would be more findings.'),
  notices: z.array(z.string()).describe('What does not fail the change, but is worth knowing.'),
  reach: reachSchema,
  callers: z
    .array(copiedCaller)
    .exactOptional()
    .describe('Unchanged callers that both versions had copies of.'),
  calls: z.array(callCount).describe('Who called whom for the requests of the change.'),
  checks: z.object({ passed: z.int(), failed: z.int() }),
  suites: z
    .array(z.object({ suite: z.string(), checks: z.int(), failed: z.int() }))
    .exactOptional()
    .describe('The suites that ran on the change, each with its checks.'),
  profile: profileSchema,
  signals: z
    .array(signal)
    .describe('The signals that were measured on both versions; of a pass, those decided.'),
  coverage: changeCoverageSchema
    .exactOptional()
    .describe('Which of the changed lines ran; left out if no request was sent.'),
  confinement: z
    .exactOptional(z.string())
    .describe('How programs of the change were confined: `standard by bubblewrap 0.8.0`.'),
  calibration: calibrationBrief
    .nullable()
    .describe('How often such verdicts fail although nothing changed; null without a calibration.'),
});

export type VerifiedChange = Immutable<z.infer<typeof verdictSchema>>;

/** A verdict before it is recorded. */
export type Verdict = Omit<
  VerifiedChange,
  'id' | 'change' | 'base' | 'at' | 'by' | 'ref' | 'services' | 'confinement' | 'calibration'
>;

/** The names are those that harnesses use. */
export const validationRequestSchema = z.strictObject({
  changes: z.string().min(1).describe('A unified diff as git prints it, on the baseline.'),
  validation_suite: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .optional()
    .describe('One suite or several; all of them if left out.'),
  timeout_minutes: z
    .number()
    .positive()
    .max(sharedLimits.validationMinutesMax)
    .default(10)
    .describe('After this time the answer states what is known by then.'),
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
  tests_passed: z.boolean().describe('Every check passed. Also false if that is unknown.'),
  metrics_acceptable: z
    .boolean()
    .describe('Nothing else got worse. Also false if that is unknown.'),
  failed_tests: z.array(failedTest),
  degraded_metrics: z.array(degradedMetric),
  error_logs: z.array(z.string()).describe('The last 100 log lines that report an error.'),
  verdict: verdictSchema,
});

/** The result for a harness. */
export type Validation = Immutable<z.infer<typeof validationSchema>>;

export const runningVerificationSchema = z.object({
  verdict: z.string().describe('The id of the future verdict.'),
  actor: z.string(),
  change: z.string(),
  startedAt: z.int(),
  stage: z.string(),
});

/** A verification that is running, and its stage. */
export type RunningVerification = Immutable<z.infer<typeof runningVerificationSchema>>;

/** The verdict as a JSON Schema, for other readers of verdicts. */
export function verdictJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(verdictSchema, { io: 'output' });
  const title = 'Verdict of Surety';
  const description = 'Members may be added; none is removed or changes its meaning.';
  return { $schema, title, description, ...schema };
}
