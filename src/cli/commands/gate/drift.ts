import type { OperationResponse } from '../../../http/index.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { neededOption } from '../../options/required-option.ts';

type Drift = OperationResponse<'GET /v1/drift'>['agents'][number];
type Compliance = OperationResponse<'GET /v1/compliance'>['agents'][number];

const actorOf = (name: string): string => (name.startsWith('agent:') ? name : `agent:${name}`);

const queryOf = (name: string | undefined) => ({ query: name ? { agent: actorOf(name) } : {} });

export const showDrift: RunCommand = async ({ place, output, words: [name] }) => {
  const { agents } = await connectDaemon(place).call('GET /v1/drift', queryOf(name));
  output.value({ agents });
  for (const agent of agents) printDrift(output, agent, name !== undefined);
  if (agents.length === 0) output.line('No agent has proposed anything yet.');
};

const tones = { normal: 'good', watch: 'warn', warn: 'warn', critical: 'bad' } as const;

function printDrift(output: Output, drift: Drift, isFull: boolean): void {
  const { agent, level, score, steps, isLearning, reasons, profile, comparedWith } = drift;
  const learning = isLearning ? ', still learning what is usual' : '';
  output.line(
    `${agent}  ${output.tone(tones[level], level)}  score ${score}, ${steps} steps${learning}`,
  );
  for (const reason of reasons) output.line(`    ${reason}`);
  if (comparedWith) output.line(`    ${profile || 'no profile'}, compared with ${comparedWith}`);
  else if (profile) output.line(`    ${profile}`);
  if (level !== 'normal') {
    output.line(`    accept it  surety drift accept ${agent.slice('agent:'.length)} --reason "…"`);
  }
  if (!isFull) return;
  for (const { dimension, divergence, p, isShifted, recent, changes } of drift.dimensions) {
    const shift = isShifted ? output.tone('bad', 'shifted') : 'usual';
    output.line(
      `    ${dimension}  ${shift}  divergence ${divergence}, by chance ${p}, ${recent} recent`,
    );
    if (!isShifted) continue;
    for (const { category, before, now } of changes) {
      output.line(`        ${category}: ${percent(before)} → ${percent(now)}`);
    }
  }
  for (const { signal, usual, hasRisen, since } of drift.signals) {
    const state = hasRisen ? `${output.tone('bad', 'rose')} after step ${since}` : 'usual';
    output.line(`    ${signal}  ${state}  mean ${usual ?? 'not learned yet'}`);
  }
}

export const acceptDrift: RunCommand = async ({ place, output, words: [name = ''], options }) => {
  const reason = neededOption('drift accept', '--reason', options.reason);
  const body = { agent: actorOf(name), reason };
  const drift = await connectDaemon(place).call('POST /v1/drift/accept', { body });
  output.value(drift);
  output.line(`${output.tone('good', 'accepted')}  ${drift.agent} is ${drift.level}`);
};

export const showCompliance: RunCommand = async ({ place, output, words: [name], options }) => {
  const client = connectDaemon(place);
  if (typeof options.task === 'string') {
    const path = { task: options.task };
    const task = await client.call('GET /v1/compliance/tasks/{task}', { path });
    output.value(task);
    output.line(`${task.task}  ${percent(task.compliance)} of ${task.steps} steps broke no rule`);
    return;
  }
  const { agents } = await client.call('GET /v1/compliance', queryOf(name));
  output.value({ agents });
  for (const agent of agents) printCompliance(output, agent);
  if (agents.length === 0) output.line('No agent has proposed anything yet.');
};

function printCompliance(output: Output, seen: Compliance): void {
  const { agent, compliance, steps, hard, prevented, soft, satisfies, reliability } = seen;
  const tone = satisfies === 'no' ? 'bad' : satisfies === 'yes' ? 'good' : 'warn';
  const shown = `${percent(compliance)} of ${steps} steps broke no rule`;
  output.line(`${agent}  ${output.tone(tone, `satisfied: ${satisfies}`)}  ${shown}`);
  output.line(`    violations: ${hard} ran, ${prevented} prevented, ${soft} soft`);
  const { sessions, cleanSessions, p, pLow, pHigh, softShortfall, unrecovered, episodes } = seen;
  output.line(
    `    sessions without a violation: ${cleanSessions} of ${sessions}, ` +
      `${percent(p)} (95 % interval: ${percent(pLow)} to ${percent(pHigh)})`,
  );
  output.line(
    `    steps with a soft violation: ${percent(softShortfall)}; ` +
      `${episodes - unrecovered} of ${episodes} episodes recovered`,
  );
  output.line(`    reliability: ${reliability}`);
  const { executed } = seen.withoutContracts;
  output.line(
    `    without contracts: ${executed} violations would have run, and none would be seen`,
  );
  for (const { tool, steps: calls, hard: ran, prevented: denied, soft: warned } of seen.contracts) {
    if (ran + denied + warned === 0) continue;
    output.line(`    ${tool}  ${calls} calls: ${ran} ran, ${denied} prevented, ${warned} soft`);
  }
}

const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`;
