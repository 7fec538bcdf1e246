import { type Fault, toFault } from '../kernel/index.ts';
import type { ModelApi, ProviderRefusal } from './model-api.ts';
import { openai } from './openai.ts';

/** Why something was refused, in the form of the provider that the client believes it talks to. */
export function refusalResponse(error: unknown, api: ModelApi = openai): Response {
  const refused = toFault(error);
  const { message, remedy } = refused.report();
  const { kind, status } = kindOf(refused);
  const body = api.refusal({ status, kind, message: `${message} ${remedy}` });
  return Response.json(body, { status, headers: headersOf(refused, kind) });
}

type Kind = Pick<ProviderRefusal, 'kind' | 'status'>;

const kinds: Readonly<Record<string, Kind>> = {
  UNAUTHORIZED: { kind: 'identity', status: 401 },
  AGENT_TOO_FAST: { kind: 'rate', status: 429 },
  MODEL_UNREACHABLE: { kind: 'upstream', status: 502 },
  PROPOSAL_HELD: { kind: 'permission', status: 403 },
};

function kindOf(refused: Fault): Kind {
  const known = kinds[refused.code];
  if (known) return known;
  const { status } = refused.definition;
  if (refused.code !== 'PROPOSAL_DENIED') return { kind: 'request', status };
  const rule = String(refused.details?.rule);
  if (rule.startsWith('loop.')) return { kind: 'request', status: 400 };
  if (!rule.startsWith('budget/')) return { kind: 'permission', status: 403 };
  // Clients repeat a 429 by themselves, which helps only if the budget comes again.
  return refused.details?.retryAt === undefined
    ? { kind: 'budget', status: 400 }
    : { kind: 'rate', status: 429 };
}

function headersOf({ values }: Fault, kind: Kind['kind']): Record<string, string> {
  if (kind !== 'rate') return { 'x-should-retry': 'false' };
  return 'seconds' in values ? { 'retry-after': String(values.seconds) } : {};
}
