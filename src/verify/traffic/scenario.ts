import { isJsonObject, type Json } from '../../kernel/index.ts';
import type { TakenRequest } from '../../lanes/index.ts';
import { readAnswer } from './answer-json.ts';

/** One request from outside, as it can be sent again to any lane. */
export interface ScenarioRequest {
  readonly method: string;
  readonly path: string;
  /** Without the key of a lane, and without what each sending has of its own. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | null;
  /** What it was answered with when it was recorded: later requests may need values of it. */
  readonly status: number;
  readonly answer: Json;
}

/** The requests of one run of a suite, or of one file, in their order. */
export interface Scenario {
  readonly name: string;
  readonly requests: readonly ScenarioRequest[];
}

/** Each sending has its own: who it is for, how long it is, by which key and id it is known. */
const ownOfEachSending = new Set([
  'host',
  'content-length',
  'traceparent',
  'tracestate',
  'x-request-id',
]);

export function scenarioOf(name: string, taken: readonly TakenRequest[]): Scenario {
  return { name, requests: taken.map(requestOf).filter(isPlain) };
}

/**
 * What is spoken otherwise than request by request is not sent again, nor what asks for a fault on
 * its way: that would be measured.
 */
function isPlain({ status, headers }: ScenarioRequest): boolean {
  const find = (wanted: string): string => headers.find(([name]) => name === wanted)?.[1] ?? '';
  const isRpc = find('content-type').startsWith('application/grpc');
  return status !== 101 && !isRpc && !find('baggage').includes('surety-fault');
}

function requestOf(taken: TakenRequest): ScenarioRequest {
  const { method, path, headers, body, status } = taken;
  return {
    method,
    path,
    headers: plainHeaders(headers),
    body: body === null ? null : Buffer.from(body, 'base64'),
    status,
    answer: jsonOf(taken),
  };
}

function plainHeaders(lines: readonly string[]): (readonly [string, string])[] {
  const names = lines.filter((_, index) => index % 2 === 0);
  return names.flatMap((name, index) => {
    const value = lines[2 * index + 1] ?? '';
    const small = name.toLowerCase();
    if (ownOfEachSending.has(small)) return [];
    if (small !== 'baggage') return [[small, value] as const];
    const others = value.split(',').filter((member) => !/^\s*surety-lane\s*=/.test(member));
    return others.length === 0 ? [] : [[small, others.join(',')] as const];
  });
}

export function jsonOf({
  answer,
  answerEncoding,
}: Pick<TakenRequest, 'answer' | 'answerEncoding'>): Json {
  if (answer === null) return null;
  const json = readAnswer(Buffer.from(answer, 'base64'), answerEncoding);
  return isJsonObject(json) || Array.isArray(json) ? json : null;
}
