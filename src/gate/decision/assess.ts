import { checkAmount } from '../accounts/index.ts';
import type { RuleFinding } from '../api-schema.ts';
import { evidenceKey } from '../evidence.ts';
import type { Expression, Values } from '../expression/index.ts';
import type { CompiledEvidence } from '../language/index.ts';
import { callHash, loopKey } from '../loops.ts';
import { idempotencyKey } from '../proposals.ts';
import { lockResource } from '../slots/index.ts';
import { type DecisionInput, deny, valuesOf } from './question.ts';

/** Everything that follows from the input alone. It determines which rows to load. */
export interface Assessment {
  /** The cost of the call, by dimension. */
  readonly costs: ReadonlyMap<string, number>;
  readonly idempotency: string | undefined;
  readonly resources: readonly string[];
  readonly slots: readonly { readonly resource: string; readonly max: number }[];
  readonly evidence: readonly WantedEvidence[];
  /** Its arguments as loops compare them; undefined for a call that cannot be part of a loop. */
  readonly call?: string;
  /** Why an expression could not be evaluated. An input with problems is denied. */
  readonly problems: readonly RuleFinding[];
}

export type WantedEvidence = Pick<CompiledEvidence, 'kind' | 'freshMs'> & {
  readonly subject: string;
  readonly row: string;
};

const oneCall: ReadonlyMap<string, number> = new Map([['calls', 1]]);
const none: readonly never[] = [];

const nothing: Assessment = {
  costs: oneCall,
  idempotency: undefined,
  resources: none,
  slots: none,
  evidence: none,
  problems: none,
};

export function assess(question: DecisionInput): Assessment {
  const { contract, readProblem } = question;
  if (!contract) {
    const own = { ...ownCosts(question), resources: changedFiles(question) };
    return { ...nothing, ...callersKey(question), ...own };
  }
  const mistakes = contract.checkArguments(question.arguments);
  if (mistakes.length > 0) {
    const list = mistakes.map(({ path, message }) => (path ? `${path} ${message}` : message));
    const remedy = `Send exactly what the schema of ${contract.tool} declares.`;
    const problems = [deny('arguments', list.join('; '), remedy)];
    return { ...nothing, ...callersKey(question), problems };
  }
  if (readProblem !== null) {
    const remedy = 'Try again when the reading tool answers.';
    return { ...nothing, ...callersKey(question), problems: [deny('reads', readProblem, remedy)] };
  }
  try {
    return assessContract(question);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = 'Change the arguments, or ask a person to check the contract.';
    return { ...nothing, ...callersKey(question), problems: [deny('expression', reason, remedy)] };
  }
}

/** What one of Surety's own tools says that it costs. A call that costs something may loop. */
function ownCosts(question: DecisionInput): Pick<Assessment, 'call'> & Partial<Assessment> {
  const { isNative, reported, actor, arguments: given, argumentsHash } = question;
  if (!isNative || Object.keys(reported).length === 0) return {};
  const call = loopKey(actor) === undefined ? {} : { call: callHash(given, argumentsHash, {}) };
  return { costs: costs(question, {}), ...call };
}

/** The files of a change count as resources, so an agent may change only its own directories. */
function changedFiles({ isNative, facts }: DecisionInput): readonly string[] {
  return isNative && Array.isArray(facts.files) ? facts.files.map(String) : none;
}

function assessContract(question: DecisionInput): Assessment {
  const { contract, agent, tool } = question;
  if (!contract) return nothing;
  const values = valuesOf(question);
  const text = (expression: Expression): string => String(expression.evaluate(values));
  const wanted = ({ kind, freshMs, subject }: CompiledEvidence): WantedEvidence => {
    const about = text(subject);
    return { kind, freshMs, subject: about, row: evidenceKey(kind, about) };
  };
  const { concurrency, key, resources, evidence } = contract;
  const slots: { resource: string; max: number }[] = [];
  if (concurrency?.max) slots.push({ resource: `tool:${tool}`, max: concurrency.max });
  if (concurrency?.lock) slots.push({ resource: lockResource(text(concurrency.lock)), max: 1 });
  if (agent?.limits.concurrency) {
    slots.push({ resource: `agent:${agent.name}`, max: agent.limits.concurrency });
  }
  return {
    costs: costs(question, values),
    ...(key ? { idempotency: idempotencyKey('contract', tool, text(key)) } : callersKey(question)),
    resources: resources.length === 0 ? none : resources.map(text),
    slots,
    evidence: evidence.length === 0 ? none : evidence.map(wanted),
    ...loopCall(question),
    problems: none,
  };
}

function loopCall(question: DecisionInput): Pick<Assessment, 'call'> {
  const { contract, actor, arguments: given, argumentsHash } = question;
  if (!contract || contract.effect === 'read' || loopKey(actor) === undefined) return {};
  return { call: callHash(given, argumentsHash, contract.schema) };
}

function callersKey({ actor, tool, key }: DecisionInput): Pick<Assessment, 'idempotency'> {
  return { idempotency: key === undefined ? undefined : idempotencyKey(actor, tool, key) };
}

/** The cost by the contract, plus the cost that the caller reports: reports can only add. */
function costs({ contract, reported }: DecisionInput, values: Values): ReadonlyMap<string, number> {
  const reports = Object.entries(reported);
  const isFree = contract?.cost.length === 0 && contract.actualCost.length === 0;
  if (isFree && reports.length === 0) return oneCall;
  const sums = new Map([['calls', 1]]);
  for (const { dimension, amount } of contract?.cost ?? []) {
    const estimate = checkAmount(dimension, amount.evaluate(values));
    if (estimate > 0) sums.set(dimension, estimate);
  }
  // The real cost is known only afterwards, so its account takes part with an estimate of 0.
  for (const { dimension } of contract?.actualCost ?? []) {
    if (!sums.has(dimension)) sums.set(dimension, 0);
  }
  for (const [dimension, amount] of reports) {
    const sum = (sums.get(dimension) ?? 0) + checkAmount(dimension, amount);
    if (sum > 0) sums.set(dimension, checkAmount(dimension, sum));
  }
  return sums;
}
