import type { JsonObject } from '../kernel/index.ts';
import type { ModelApi, ProviderRefusal } from './model-api.ts';
import { countOf, objectOf, type ReportedUsage } from './usage.ts';

const codes: Readonly<Record<ProviderRefusal['kind'], string>> = {
  budget: 'insufficient_quota',
  rate: 'rate_limit_exceeded',
  permission: 'permission_denied',
  identity: 'invalid_api_key',
  request: 'invalid_request',
  upstream: 'upstream_failed',
};

/** Chat completions, responses, completions and embeddings, as many servers offer them. */
export const openai: ModelApi = {
  counted: ['/v1/chat/completions', '/v1/responses', '/v1/completions', '/v1/embeddings'],
  free: ['/v1/models'],
  headers: ['openai-beta', 'openai-organization', 'openai-project'],
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  outputLimit: (body) => {
    const { max_completion_tokens, max_output_tokens, max_tokens, n } = body;
    const limit = countOf(max_completion_tokens ?? max_output_tokens ?? max_tokens);
    return limit === 0 ? undefined : limit * Math.max(1, countOf(n));
  },
  prepare: (path, body) => {
    const asks = objectOf(body.stream_options);
    // Responses always report their usage; the others only if asked to.
    const isSilent = body.stream === true && asks.include_usage !== true;
    if (!isSilent || path === '/v1/responses') return { body, hidesUsage: false };
    const options = { ...asks, include_usage: true };
    return { body: { ...body, stream_options: options }, hidesUsage: true };
  },
  usageOf: (answer) => {
    const usage = objectOf(answer.usage ?? objectOf(answer.response).usage);
    return Object.keys(usage).length === 0 ? undefined : readUsage(usage);
  },
  isUsageOnly: ({ choices, usage }) =>
    Array.isArray(choices) && choices.length === 0 && Boolean(usage),
  refusal: ({ message, kind }) => {
    const type = kind === 'budget' ? 'insufficient_quota' : `${kind}_error`;
    return { error: { message, type, param: null, code: codes[kind] } };
  },
};

function readUsage(usage: JsonObject): ReportedUsage {
  return {
    input: countOf(usage.prompt_tokens ?? usage.input_tokens),
    output: countOf(usage.completion_tokens ?? usage.output_tokens),
  };
}
