import type { Instant } from '../../kernel/index.ts';
import { type Json, type JsonObject, sha256 } from '../../kernel/index.ts';
import type { ReadRows } from '../../ledger/index.ts';
import type { RuleFinding } from '../api-schema.ts';
import type { EvidenceRow } from '../evidence.ts';
import type { Expression, Values } from '../expression/index.ts';
import type { CompiledRule } from '../language/index.ts';
import { type TaskRow, taskKey } from '../tasks/index.ts';
import { agentTrajectoryKey, readSteps, readTrajectory, trajectoryKey } from '../trajectory.ts';
import type { Assessment } from './assess.ts';
import { type DecisionInput, deny, type KnownValues, valuesOf } from './question.ts';

/** The constraints of the agent, and the preconditions and invariants of the contract. */
export function judgeRules(question: DecisionInput, values: Values, said: RuleFinding[]): void {
  const { agent, contract, tool } = question;
  const constraints = agent?.constraints.get(tool);
  if (constraints) judgeEach(constraints, `policy/${tool}`, values, said);
  if (contract) {
    judgeEach(contract.preconditions, tool, values, said);
    judgeEach(contract.invariants, tool, values, said);
  }
}

/** The values that expressions may read during a decision. */
export function decisionValues(question: DecisionInput, rows: ReadRows, now: Instant): KnownValues {
  const values = valuesOf(question);
  const { task, contract } = question;
  values.now = now;
  if (task !== undefined) values.task = taskValue(rows.get<TaskRow>(taskKey(task)));
  if (contract?.usesTrajectory) {
    const { actor } = question;
    const trajectory = readTrajectory(rows, trajectoryKey(rows, actor, task));
    values.begun = { ...readTrajectory(rows, agentTrajectoryKey(actor)).begun };
    values.trajectory = readSteps(trajectory);
    values.seen = { ...trajectory.seen };
  }
  return values;
}

function taskValue(row: TaskRow | undefined): JsonObject {
  return { id: row?.task ?? '', phase: row?.phase ?? '' };
}

/**
 * Evaluates every rule, also after one failed. A rule that cannot be evaluated has failed. The loop
 * is left and entered again then, because one `try` per rule would cost more than most rules.
 */
export function judgeEach(
  rules: readonly CompiledRule[],
  where: string,
  values: Values,
  said: RuleFinding[],
): void {
  let index = 0;
  while (index < rules.length) {
    try {
      for (; index < rules.length; index++) {
        const rule = rules[index] as CompiledRule;
        if (rule.that.evaluate(values) !== true)
          said.push(spoken(rule, where, 'is not so', values));
      }
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      said.push(spoken(rules[index] as CompiledRule, where, problem, values));
      index++;
    }
  }
}

function spoken(rule: CompiledRule, where: string, problem: string, values: Values): RuleFinding {
  const { that, soft, message, remedy } = rule;
  return {
    rule: `${where}/${rule.rule}`,
    verdict: soft ? 'warn' : 'deny',
    reason: message ?? `${that.text} ${problem}`,
    remedy: remedy ?? `Make this true: ${that.text}`,
    values: pick(that, values),
  };
}

/** The values that an expression reads, truncated for readers. */
function pick(expression: Expression, values: Values): JsonObject {
  const found: Record<string, Json> = {};
  for (const [path, names] of namesOf(expression)) {
    let value: Json | undefined = values as JsonObject;
    for (const name of names) value = member(value, name);
    if (value !== undefined) found[path] = short(value);
  }
  return found;
}

type Names = readonly (readonly [path: string, names: readonly string[]])[];

const splitPaths = new WeakMap<Expression, Names>();

function namesOf(expression: Expression): Names {
  const known = splitPaths.get(expression);
  if (known) return known;
  const names = expression.paths.map((path) => [path, path.split('.')] as const);
  splitPaths.set(expression, names);
  return names;
}

function member(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;
}

const shownCharsMax = 200;

function short(value: Json): Json {
  if (typeof value === 'object' && value !== null) {
    const text = JSON.stringify(value);
    return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : value;
  }
  if (typeof value !== 'string' || value.length <= shownCharsMax) return value;
  return `${value.slice(0, shownCharsMax)}… (sha256 ${sha256(value).slice(0, 16)})`;
}

/** Requires evidence that the runtime observed about this subject, recently enough. */
export function judgeEvidence(
  question: DecisionInput,
  { evidence }: Assessment,
  rows: ReadRows,
  now: Instant,
): { said: RuleFinding[]; used: string[] } {
  const said: RuleFinding[] = [];
  const used: string[] = [];
  for (const { kind, subject, row, freshMs } of evidence) {
    const found = rows.get<EvidenceRow>(row);
    if (found && (freshMs === null || now - found.at <= freshMs)) {
      used.push(found.evidence);
      continue;
    }
    const tools = makersOf(kind, question);
    const what = `${kind} for ${subject}`;
    const reason = found
      ? `the evidence ${what} is ${Math.round((now - found.at) / 1_000)} s old, which is too old`
      : `there is no evidence ${what}`;
    const remedy =
      tools.length > 0 ? `Call ${tools.join(' or ')} first.` : 'No tool produces this evidence.';
    said.push(deny(`evidence/${kind}`, reason, remedy, { needs: [{ evidence: kind, tools }] }));
  }
  return { said, used };
}

function makersOf(kind: string, { policy }: DecisionInput): string[] {
  const makers: string[] = [];
  for (const { tool, produces } of policy?.contracts.values() ?? []) {
    if (produces.some(({ evidence }) => evidence === kind)) makers.push(tool);
  }
  return makers;
}
