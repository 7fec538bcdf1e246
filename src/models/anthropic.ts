import type { ModelApi, ProviderRefusal } from './model-api.ts';
import { countOf, objectOf } from './usage.ts';

const types: Readonly<Record<ProviderRefusal['kind'], string>> = {
  budget: 'billing_error',
  rate: 'rate_limit_error',
  permission: 'permission_error',
  identity: 'authentication_error',
  request: 'invalid_request_error',
  upstream: 'api_error',
};

/** Messages. A stream begins with the input's tokens and ends with the output's. */
export const anthropic: ModelApi = {
  counted: ['/v1/messages'],
  free: ['/v1/models', '/v1/messages/count_tokens'],
  headers: ['anthropic-version', 'anthropic-beta'],
  keyHeaders: (key) => ({ 'x-api-key': key }),
  outputLimit: ({ max_tokens }) => countOf(max_tokens) || undefined,
  prepare: (_, body) => ({ body, hidesUsage: false }),
  usageOf: (answer) => {
    const usage = objectOf(answer.usage ?? objectOf(answer.message).usage);
    const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage;
    const { output_tokens } = usage;
    const cached = countOf(cache_read_input_tokens) + countOf(cache_creation_input_tokens);
    const input = input_tokens === undefined ? {} : { input: countOf(input_tokens) + cached };
    const output = output_tokens === undefined ? {} : { output: countOf(output_tokens) };
    const found = { ...input, ...output };
    return Object.keys(found).length === 0 ? undefined : found;
  },
  isUsageOnly: () => false,
  refusal: ({ message, kind }) => ({ type: 'error', error: { type: types[kind], message } }),
};
