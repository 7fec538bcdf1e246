import { type Fault, isJsonObject, type Json, type JsonObject, toFault } from '../kernel/index.ts';

/** In words for a model and in fields for a program; both say what would make the call pass. */
export function denialOf(
  error: unknown,
  tool: string,
  poll = 'surety_approval_status',
  rephrase = (text: string): string => text,
): JsonObject {
  const refused = toFault(error);
  const { code, message, details = {} } = refused;
  const content = {
    code,
    tool,
    rule: details.rule ?? null,
    message,
    remedy: rephrase(remedyOf(refused, poll)),
    retryable: refused.retryable || details.retryAt !== undefined,
    evidence_needed: rephrased(details.evidenceNeeded ?? [], rephrase),
    repeats: details.repeats ?? 0,
    final: details.final ?? false,
    ...pick(details, { proposal: 'proposal', doubt: 'doubt', mode: 'mode', retryAt: 'retry_at' }),
    ...pick(details, { approval: 'approval', expiresAt: 'expires_at' }),
    ...(code === 'PROPOSAL_IN_FLIGHT' ? { state: 'in_flight' } : {}),
  };
  const text = [
    `${code}: ${message}`,
    ...(typeof details.doubt === 'string' ? [details.doubt] : []),
    `Try: ${content.remedy}`,
    ...needed(content.evidence_needed),
  ];
  return {
    isError: true,
    content: [{ type: 'text', text: text.join('\n') }],
    structuredContent: content,
  };
}

function remedyOf({ code, remedy, details = {} }: Fault, poll: string): string {
  if (code === 'PROPOSAL_HELD') {
    const asked = `${poll} {"approval": "${details.approval}"}`;
    return `${remedy} To see whether they have: ${asked}.`;
  }
  if (details.rule === 'tool.unknown') {
    const draft = 'surety policy observe, let it be used, then surety policy draft';
    return `${remedy} An operator gets a contract for it by: ${draft}.`;
  }
  return remedy;
}

function rephrased(value: Json, rephrase: (text: string) => string): Json {
  if (typeof value === 'string') return rephrase(value);
  if (Array.isArray(value)) return value.map((one) => rephrased(one, rephrase));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, one]) => [name, rephrased(one, rephrase)]);
  return Object.fromEntries(members);
}

function needed(evidence: Json): string[] {
  if (!Array.isArray(evidence)) return [];
  return evidence.map((one) => {
    const { evidence: kind, tools } = one as { evidence: string; tools: readonly string[] };
    return `Missing evidence: ${kind}. These make it: ${tools.join(', ') || 'no tool here'}.`;
  });
}

function pick(details: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const found = Object.entries(names).filter(([name]) => details[name] !== undefined);
  return Object.fromEntries(found.map(([name, shown]) => [shown, details[name] as Json]));
}
