import { fault, isJsonObject, type Json } from '../../kernel/index.ts';
import { adversarialExpressions, compileAdversaries, trapsText } from '../expression/adversary.ts';
import type { ReadOnlyProof } from '../port.ts';
import type { Attachment } from './attach.ts';
import { snapshotOf } from './pause-snapshot.ts';

/** What was tried on a version of Node, and what it changed. */
export interface SelfTest {
  readonly expressions: number;
  readonly mutations: number;
}

/** Once for each version of Node, as long as this process runs. */
const proven = new Map<string, Promise<SelfTest>>();

/** Refuses a process in which an expression could change something. */
export async function proveReadOnly(attachment: Attachment): Promise<ReadOnlyProof> {
  const { version, target } = attachment;
  const known = proven.get(version) ?? runSelfTest(attachment, 3);
  proven.set(version, known);
  try {
    const selfTest = await known;
    if (selfTest.mutations === 0) return { ...readOnly, selfTest: { ...selfTest } };
    const reason = `${selfTest.mutations} of ${selfTest.expressions} test expressions changed it`;
    throw fault('PROBE_AGENT_REFUSED', { pid: target.pid, reason });
  } catch (error) {
    proven.delete(version);
    throw error;
  }
}

const readOnly = {
  beforePlacement:
    'parsed by acorn; an allow-list of syntax, compiled so that each property is read from its descriptor',
  inTarget:
    'evaluated as a breakpoint condition that never pauses; at exceptions with V8 throwOnSideEffect',
};

const chunkSize = 20;

/** Both ways of evaluation; of the second one every `step`th expression, as each takes a while. */
export async function runSelfTest({ agent, name }: Attachment, step: number): Promise<SelfTest> {
  const holder = `globalThis[${JSON.stringify(name)}]`;
  await evaluate(agent, `void (${holder}.traps=${trapsText})`);
  const compiled = compileAdversaries(name);
  for (let start = 0; start < compiled.length; start += chunkSize) {
    const tries = compiled.slice(start, start + chunkSize).map((text) => `try{(${text})}catch{}`);
    await evaluate(agent, `(T=>{${tries.join('')}})(${holder}.traps)`);
  }
  const raw = adversarialExpressions.filter((_, index) => index % step === 0);
  for (let start = 0; start < raw.length; start += chunkSize) {
    const chunk = raw.slice(start, start + chunkSize);
    const expressions = chunk.map((text) => `(T=>${snapshotOf(text)})(${holder}.traps)`);
    await agent.call('tryAll', { expressions });
  }
  const changes = await evaluate(agent, `${holder}.traps.state.changes`);
  await evaluate(agent, `void delete ${holder}.traps`);
  return { expressions: adversarialExpressions.length + raw.length, mutations: Number(changes) };
}

async function evaluate(agent: Attachment['agent'], expression: string): Promise<Json> {
  const answer = await agent.call('evaluate', { expression });
  return isJsonObject(answer) ? (answer.value ?? null) : null;
}
