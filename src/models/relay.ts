import { type Act, fault, type Identity, type Json, type Outcome } from '../kernel/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { type ModelCall, readModelCall } from './model-call.ts';
import { passOn } from './pass-on.ts';
import { refusalResponse } from './refusal.ts';
import { type ModelTarget, readTarget, type TargetDeps } from './target.ts';
import type { ReportedUsage } from './usage.ts';

export interface RelayDeps extends TargetDeps {
  readonly act: Act;
  readonly ledger: Pick<Ledger, 'append'>;
}

/** Answers a request that an agent sends to a model, or says in the provider's words why not. */
export function createModelRelay(
  deps: RelayDeps,
): (request: Request, enter: () => Identity) => Promise<Response> {
  return async (request, enter) => {
    let target: ModelTarget | undefined;
    try {
      target = readTarget(request, deps);
      const caller = enter();
      if (target.isFree) return await passFree(request, target);
      return await relay(await readModelCall(request, target, caller), deps);
    } catch (error) {
      return refusalResponse(error, target?.api);
    }
  };
}

async function passFree(request: Request, target: ModelTarget): Promise<Response> {
  const body = request.method === 'GET' ? null : await request.text();
  const answer = await send(target, { method: request.method, body, signal: request.signal });
  return new Response(answer.body, { status: answer.status, headers: answerHeaders(answer) });
}

/** The answer begins as soon as the provider's does; the call is settled when it has ended. */
function relay(call: ModelCall, deps: RelayDeps): Promise<Response> {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const settled = deps.act(call.proposal, () => exchange(call, resolve, deps));
  const refuse = (error: unknown): void => resolve(refusalResponse(error, call.target.api));
  settled.then((outcome: Outcome) => {
    if (outcome.status === 'failed') refuse(outcome.fault);
  }, refuse);
  return promise;
}

async function exchange(
  call: ModelCall,
  respond: (response: Response) => void,
  deps: RelayDeps,
): Promise<Json> {
  const { target, body, signal } = call;
  const answer = await send(target, { method: 'POST', body, signal });
  const { status } = answer;
  const headers = answerHeaders(answer);
  if (!answer.ok || answer.body === null) {
    respond(new Response(answer.body, { status, headers }));
    throw fault('MODEL_REFUSED', { provider: target.name, status });
  }
  const { stream, ended } = passOn(answer.body, call.readerOf(answer));
  respond(new Response(stream, { status, headers }));
  return record(call, await ended, deps);
}

/** What nobody has counted counts as it was reserved. */
async function record(
  { target, model, reserved, proposal: { actor, task } }: ModelCall,
  { usage, isWhole }: { readonly usage: ReportedUsage; readonly isWhole: boolean },
  { ledger }: RelayDeps,
): Promise<Json> {
  const input = usage.input ?? reserved.input;
  const said = usage.output ?? reserved.output;
  const output = isWhole ? said : Math.max(said, reserved.output);
  const isCounted = isWhole && usage.input !== undefined && usage.output !== undefined;
  const body = {
    ...{ provider: target.name, model, input, output, isCounted },
    ...(task === undefined ? {} : { task }),
  };
  await ledger.append({ kind: 'model-called', actor, body });
  return { input, output, isCounted, actualCost: { tokens: input + output } };
}

async function send(
  { name, url, headers }: ModelTarget,
  init: { readonly method: string; readonly body: string | null; readonly signal: AbortSignal },
): Promise<Response> {
  try {
    return await fetch(url, { ...init, headers, redirect: 'error' });
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw fault('MODEL_UNREACHABLE', { provider: name, reason }, error);
  }
}

const passedOn = /^(?:content-type|retry-after|request-id|x-request-id|openai-.*|anthropic-.*)$/;

/** Not the length or the encoding: the answer comes decoded, and perhaps without its usage. */
function answerHeaders(answer: Response): Headers {
  return new Headers([...answer.headers].filter(([name]) => passedOn.test(name)));
}
