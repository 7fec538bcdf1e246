import { type Fault, fault, isWeakSecretName } from '../kernel/index.ts';
import type { ProbeKind, ProbePlacement } from './api-schema.ts';
import { checkForeignCondition, checkForeignExpression, languageOf } from './dap/index.ts';
import {
  checkCondition,
  checkExpression,
  isEvaluated,
  type ProbeExpression,
} from './expression/check.ts';
import { type LogTemplate, parseTemplate } from './expression/template.ts';
import { probeLimits } from './limits.ts';
import type { InstrumentPlan } from './port.ts';

/** What somebody wants to see: which line of which processes, what to read, and for how long. */
export interface ProbeRequest
  extends Omit<ProbePlacement, 'service' | 'lane' | 'pid' | 'allowProduction'> {
  /** Processes, or parents of them. */
  readonly pids: readonly number[];
  /** An expression that tells which request this is: `request.headers['x-request-id']`. */
  readonly requestId?: string;
}

/** A request that passed all checks that need no process. */
export interface ProbePlan {
  readonly pids: readonly number[];
  readonly instrument: InstrumentPlan;
  readonly ttlMs: number;
  readonly reason: string;
  readonly allowStall: boolean;
}

const hitsDefault = 1_000;
const ttlMsDefault = 10 * 60_000;

export function checkRequest(request: ProbeRequest): ProbePlan {
  const { pids, ttlMs = ttlMsDefault, reason = '', allowStall = false } = request;
  if (pids.length === 0) throw impossible('pids', 'there is none', 'a process');
  for (const pid of pids) checkWhole('pid', pid, 2 ** 22);
  checkWhole('ttlMs', ttlMs, probeLimits.probeTtlMsMax);
  return { pids, instrument: checkInstrument(request), ttlMs, reason, allowStall };
}

function checkInstrument(request: ProbeRequest): InstrumentPlan {
  const { file, condition, requestId, sampleRate = 1, hitsMax = hitsDefault } = request;
  const kind = request.kind ?? (request.template === undefined ? 'snapshot' : 'log');
  checkWhole('hitsMax', hitsMax, probeLimits.probeHitsMax);
  if (!(sampleRate > 0 && sampleRate <= 1)) {
    throw impossible('sampleRate', `it is ${sampleRate}`, 'a number above 0 and up to 1');
  }
  if (file === '') throw impossible('file', 'it is empty', 'a path or the end of one');
  const { check, checkIf } = checksFor(file);
  const template = checkTemplate(kind, request, check);
  const expressions = template?.expressions ?? checkExpressions(kind, request, check);
  return {
    kind,
    file,
    ...checkLines(kind, request),
    ...(template ? { template: template.parts } : {}),
    expressions,
    ...(condition === undefined ? {} : { condition: checkIf(condition) }),
    ...(requestId === undefined ? {} : { requestId: check(requestId) }),
    sampleRate,
    hitsMax,
  };
}

type CheckExpression = (text: string) => ProbeExpression;

/** The language of an expression is that of the file. */
function checksFor(file: string): { check: CheckExpression; checkIf: CheckExpression } {
  const language = languageOf(file);
  if (!language) return { check: (text) => checkExpression(text), checkIf: checkCondition };
  return {
    check: (text) => checkForeignExpression(text, language),
    checkIf: (text) => checkForeignCondition(text, language),
  };
}

function checkLines(
  kind: ProbeKind,
  { line, toLine, function: name }: ProbeRequest,
): Pick<InstrumentPlan, 'line' | 'function' | 'toLine'> {
  if ((line === undefined) === (name === undefined)) {
    throw impossible('line', 'it is given with a function, or neither is', 'a line or a function');
  }
  if (line !== undefined) checkWhole('line', line, 2 ** 31);
  if (toLine !== undefined) {
    checkWhole('toLine', toLine, 2 ** 31);
    const isPair = kind === 'duration' && line !== undefined;
    if (!isPair)
      throw impossible('toLine', 'there is nothing to measure', 'with a duration from a line');
  }
  return {
    ...(line === undefined ? {} : { line }),
    ...(name === undefined ? {} : { function: name }),
    ...(toLine === undefined ? {} : { toLine }),
  };
}

function checkTemplate(
  kind: ProbeKind,
  { template, expressions }: ProbeRequest,
  check: CheckExpression,
): LogTemplate | undefined {
  if ((kind === 'log') !== (template !== undefined)) {
    throw impossible('template', `the kind is ${kind}`, 'a template with a log, and only there');
  }
  if (template === undefined) return undefined;
  if (expressions?.length) throw impossible('expressions', 'a log has a template', 'one of both');
  const parsed = parseTemplate(template, check);
  checkCount(
    'the number of expressions',
    parsed.expressions.length,
    0,
    probeLimits.probeExpressionsMax,
  );
  return parsed;
}

/** How many expressions each kind takes. */
const counts: Readonly<Record<ProbeKind, readonly [min: number, max: number]>> = {
  log: [0, 0],
  snapshot: [0, probeLimits.probeExpressionsMax],
  exception: [0, probeLimits.probeExpressionsMax],
  counter: [0, 0],
  branch: [0, 0],
  duration: [0, 0],
  metric: [1, 1],
  // The second one groups the first.
  types: [1, 2],
};

function checkExpressions(
  kind: ProbeKind,
  { expressions = [] }: ProbeRequest,
  check: CheckExpression,
): readonly ProbeExpression[] {
  const [min, max] = counts[kind];
  const unique = [...new Set(expressions)];
  checkCount(`the number of expressions of a ${kind}`, unique.length, min, max);
  const checked = unique.map((text) => check(text));
  // A number, or the name of a group, would give a secret away; its type does not.
  const shown = kind === 'metric' ? checked : kind === 'types' ? checked.slice(1) : [];
  const secret =
    shown.find(({ isSecret, name = '' }) => isSecret || isWeakSecretName(name)) ??
    (kind === 'types' ? checked.find((one) => !isEvaluated(one)) : undefined);
  if (secret) {
    throw impossible('expressions', `${secret.text} is a secret by its name`, 'another expression');
  }
  return checked;
}

function checkCount(field: string, value: number, min: number, max: number): void {
  if (value >= min && value <= max) return;
  throw impossible(field, `it is ${value}`, min === max ? `${min}` : `${min} to ${max}`);
}

function checkWhole(field: string, value: number, max: number): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= max) return;
  throw impossible(field, `it is ${value}`, `a whole number from 1 to ${max}`);
}

function impossible(field: string, reason: string, allowed: string): Fault {
  return fault('PROBE_REQUEST_INVALID', { field, reason, allowed });
}
