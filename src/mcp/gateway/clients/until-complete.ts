import type { JsonObject } from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import type { ClientExchange } from './exchange.ts';

/** Asks the client what an upstream wants to know, and goes on with the answers until it ends. */
export async function untilComplete(
  params: JsonObject,
  exchange: ClientExchange | undefined,
  send: (params: JsonObject) => Promise<JsonObject>,
): Promise<JsonObject> {
  let answer = await send(params);
  for (let round = 0; answer.resultType === 'input_required'; round++) {
    if (!exchange) throw new Error('it asks for input, and there is nobody to ask');
    if (round >= mcpLimits.inputRoundsMax) throw new Error('it asks for input without an end');
    const inputResponses = await answerAll(answer.inputRequests as JsonObject, exchange);
    const { requestState } = answer;
    const state = requestState === undefined ? {} : { requestState };
    answer = await send({ ...params, inputResponses, ...state });
  }
  return answer;
}

async function answerAll(requests: JsonObject = {}, exchange: ClientExchange): Promise<JsonObject> {
  const answers = Object.entries(requests).map(async ([key, request]) => {
    const { method, params } = request as { method: string; params?: JsonObject };
    return [key, await exchange.ask({ method, ...(params ? { params } : {}) }, key)] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}
