import { type Actor, canonicalJson, type JsonObject, sha256 } from '../../kernel/index.ts';
import { agentOf } from '../ask.ts';
import { type DecisionInput, decide, prepare, type RuleFinding } from '../decision/index.ts';
import { type CompiledContract, type CompiledPolicy, compilePolicy } from '../language/index.ts';
import type { PolicyCase } from './case-document.ts';
import { caseRows } from './case-rows.ts';
import type { Cases, PlacedCase } from './read-cases.ts';

export interface CaseResult {
  readonly name: string;
  readonly line: number;
  readonly ok: boolean;
  readonly expected: { readonly verdict: string; readonly rules?: readonly string[] };
  readonly got: { readonly verdict: string; readonly rules: readonly string[] };
  /** Every rule that objected, including warnings. */
  readonly said: readonly RuleFinding[];
}

/** The time of cases that do not set one. */
const someday = Date.parse('2026-01-01T12:00:00Z');

/** The decision about each case in enforce mode. Pure. */
export function runCases(
  { agents, cases }: Cases,
  policy: CompiledPolicy,
  isNative: (tool: string) => boolean,
): CaseResult[] {
  const whole = Object.keys(agents).length === 0 ? policy : withAgents(policy, agents);
  return cases.map((one) => runCase(one, whole, isNative));
}

function withAgents({ document }: CompiledPolicy, more: JsonObject): CompiledPolicy {
  const agents = { ...(document.agents as JsonObject | undefined), ...more };
  return compilePolicy({ ...document, agents });
}

function runCase(
  one: PlacedCase,
  policy: CompiledPolicy,
  isNative: (tool: string) => boolean,
): CaseResult {
  const now = one.now === undefined ? someday : Date.parse(one.now);
  const question = questionOf(one, policy, isNative(one.tool));
  const rows = caseRows(one, question, now);
  const { verdict, wouldBe, said } = decide(prepare(question), rows, now, 'prop_case');
  const spoke = said.filter((rule) => rule.verdict !== 'warn').map(({ rule }) => rule);
  const got = { verdict: wouldBe ?? verdict, rules: spoke };
  const expected = { verdict: one.expect, ...(one.rules ? { rules: one.rules } : {}) };
  const isSame =
    !one.rules || canonicalJson([...one.rules].sort()) === canonicalJson(spoke.toSorted());
  return {
    name: one.name,
    line: one.line,
    ok: got.verdict === one.expect && isSame,
    expected,
    got,
    said,
  };
}

function questionOf(one: PolicyCase, policy: CompiledPolicy, isNative: boolean): DecisionInput {
  const actor = one.actor as Actor;
  const given = one.arguments as JsonObject;
  const contract = policy.contracts.get(one.tool) ?? null;
  return {
    actor,
    tool: one.tool,
    arguments: given,
    argumentsHash: sha256(canonicalJson(given)),
    facts: {},
    task: one.task?.id,
    key: undefined,
    reported: one.reported,
    policy,
    contract,
    agent: agentOf(actor, policy),
    isNative,
    reads: one.reads as JsonObject,
    readProblem: missingRead(one, contract),
  };
}

/** A read that the case does not give counts as failed, which can be the point of a case. */
function missingRead({ reads }: PolicyCase, contract: CompiledContract | null): string | null {
  const missing = contract?.reads.find(({ name }) => !Object.hasOwn(reads, name));
  return missing ? `the case says nothing under reads.${missing.name}` : null;
}
