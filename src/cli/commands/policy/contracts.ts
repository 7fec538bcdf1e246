import { isJsonObject, type Json, type JsonObject } from '../../../kernel/index.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const listContracts: RunCommand = async ({ place, output }) => {
  const listed = await connectDaemon(place).call('GET /v1/contracts', {});
  output.value(listed);
  for (const { tool, effect, mode, rules, evidence, approval } of listed.contracts) {
    const tone = mode === 'enforce' ? 'good' : 'warn';
    const parts = [
      ...rules.map(({ rule }) => rule),
      ...evidence.map((kind) => `evidence ${kind}`),
      ...(approval ? [`approval by ${approval}`] : []),
    ];
    const description = parts.length > 0 ? parts.join(', ') : 'arguments only';
    output.line(
      `${tool}  ${effect}  ${output.tone(tone, mode)}  ${output.tone('dim', description)}`,
    );
  }
  if (listed.contracts.length === 0) {
    output.line('No tool has a contract. docs/guard.md shows the way to the first one.');
  }
};

export const showContract: RunCommand = async ({ place, output, words: [tool = ''] }) => {
  const shown = await connectDaemon(place).call('GET /v1/contracts/{tool}', { path: { tool } });
  output.value(shown);
  const { mode, agents } = shown;
  const document = shown.document as JsonObject;
  const tone = mode === 'enforce' ? 'good' : 'warn';
  output.line(`${output.tone('bold', tool)}  ${document.effect}  ${output.tone(tone, mode)}`);
  if (document.description) output.line(`    ${document.description}`);
  output.line(`    agents    ${agents.join(', ') || 'none'}`);
  for (const { title, lines } of contractLines(document)) {
    output.line(output.tone('dim', title));
    for (const line of lines) output.line(`    ${line}`);
  }
};

export interface ContractPart {
  readonly title: string;
  readonly lines: readonly string[];
}

/** A contract in words, part by part; missing parts are left out. */
export function contractLines(contract: JsonObject): ContractPart[] {
  const parts: ContractPart[] = [
    { title: 'arguments', lines: argumentLines(contract.arguments) },
    { title: 'run by the runtime', lines: plainLines(contract.run) },
    { title: 'reads before it is decided', lines: entriesOf(contract.reads).map(readLine) },
    ...(['preconditions', 'invariants', 'results'] as const).map((title) => ({
      title,
      lines: listOf(contract[title]).map(ruleLine),
    })),
    { title: 'resources', lines: listOf(contract.resources).map(text) },
    { title: 'governance', lines: plainLines(contract.governance) },
    { title: 'produces', lines: listOf(contract.produces).map(text) },
    { title: 'recovery, when its outcome is in doubt', lines: recoveryLines(contract.recovery) },
  ];
  return parts.filter(({ lines }) => lines.length > 0);
}

function argumentLines(schema: Json | undefined): string[] {
  if (!isJsonObject(schema)) return [];
  const required = new Set(listOf(schema.required));
  return entriesOf(schema.properties).map(([name, declared]) => {
    const { type, ...bounds } = (isJsonObject(declared) ? declared : {}) as JsonObject;
    const more = Object.entries(bounds).map(([key, value]) => `${key} ${text(value)}`);
    const optional = required.has(name) ? '' : ' (optional)';
    return `${name}${optional}: ${[text(type ?? 'anything'), ...more].join(', ')}`;
  });
}

function readLine([name, read]: [string, Json]): string {
  const { tool, with: given } = read as JsonObject;
  return `${name} = ${tool}(${pairs(given)})`;
}

function ruleLine(rule: Json): string {
  const { rule: name, that, soft, message, remedy } = rule as JsonObject;
  const description = [message, remedy].filter((one) => one !== undefined).join(' ');
  return `${name}${soft ? ' (warns only)' : ''}: ${that}${description ? `  — ${description}` : ''}`;
}

function recoveryLines(recovery: Json | undefined): string[] {
  if (!isJsonObject(recovery)) return [];
  return listOf(recovery.steps).map((step, index) => `${index + 1}. ${pairs(step)}`);
}

function plainLines(value: Json | undefined): string[] {
  return entriesOf(value).map(([name, member]) => `${name}: ${text(member)}`);
}

function pairs(value: Json | undefined): string {
  return entriesOf(value)
    .map(([name, member]) => `${name}: ${text(member)}`)
    .join(', ');
}

/** Without JSON brackets: `kind order-seen, subject arguments.orderId`. */
function text(value: Json): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((item) => text(item as Json)).join('; ');
  if (!isJsonObject(value)) return String(value);
  return Object.entries(value)
    .map(([name, member]) => `${name} ${isJsonObject(member) ? `(${text(member)})` : text(member)}`)
    .join(', ');
}

function entriesOf(value: Json | undefined): [string, Json][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
