import { isJsonObject, type Json } from '../../kernel/index.ts';
import type { TakenRequest } from '../../lanes/index.ts';
import type { GivenRequest } from '../api-schema.ts';
import { readAnswer } from './answer-json.ts';

/** A request from outside that can be sent again to any lane. */
export interface ScenarioRequest {
  readonly method: string;
  readonly path: string;
  /** Without the lane's key and headers that differ for each request. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | null;
  /** The recorded answer; later requests may need values of it. */
  readonly status: number;
  readonly answer: Json;
}

/** The requests of one suite or client, in order. */
export interface Scenario {
  readonly name: string;
  readonly requests: readonly ScenarioRequest[];
}

/** Headers that differ for each request. */
const headersOfRequest = new Set([
  'host',
  'content-length',
  'traceparent',
  'tracestate',
  'x-request-id',
]);

export function scenarioOf(name: string, taken: readonly TakenRequest[]): Scenario {
  return { name, requests: taken.map(requestOf).filter(isPlain) };
}

/** Without upgrades and gRPC, and without requests for a fault, which would be measured. */
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
    if (headersOfRequest.has(small)) return [];
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

const givenName = 'given';

/** Given requests as a scenario of their own; none needs the answer of another. */
export function givenScenarios(requests: readonly GivenRequest[] = []): readonly Scenario[] {
  return requests.length > 0 ? [{ name: givenName, requests: requests.map(givenRequest) }] : [];
}

export function isGiven({ name }: Scenario): boolean {
  return name === givenName;
}

function givenRequest({ method, path, headers = {}, body, status }: GivenRequest): ScenarioRequest {
  const named = Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value] as const);
  const isJson = body !== undefined && typeof body !== 'string';
  const isTyped = named.some(([key]) => key === 'content-type');
  return {
    method,
    path,
    headers: isJson && !isTyped ? [...named, ['content-type', 'application/json']] : named,
    body: body === undefined ? null : Buffer.from(isJson ? JSON.stringify(body) : String(body)),
    status: status ?? 200,
    answer: null,
  };
}
