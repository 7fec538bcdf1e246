import type { Identity } from '../kernel/index.ts';
import type { CallOptions, Client } from './client.ts';
import type { OperationKey } from './contract.ts';
import type { Given, OperationResult, Perform } from './perform.ts';

/** The serving half, apart from `index.ts` so that a client does not load it. */
export type { Call, Handlers, HandlersOf } from './handlers.ts';
export { openApiDocument } from './openapi.ts';
export { createPerform, type OnForbidden } from './perform.ts';
export { RateLimiter } from './rate-limiter.ts';
export { createApi } from './server.ts';

/** The client of somebody who is known already, in the daemon's own process. */
export function createInsideClient(perform: Perform, identity: Identity): Client {
  const begin = async (key: OperationKey, input: object, options: CallOptions) => {
    const signal = options.signal ?? new AbortController().signal;
    const call = { ...identity, key: options.key, signal };
    return perform(key, call, () => ({ path: {}, query: {}, ...(input as Given) }));
  };
  return {
    async call(key, input, options = {}) {
      const { answer } = await begin(key, input, options);
      return (await answer) as never;
    },
    async *stream(key, input, options = {}) {
      const { answer } = await begin(key, input, options);
      yield* answer as Exclude<OperationResult, Promise<unknown>> as AsyncIterable<never>;
    },
  };
}
