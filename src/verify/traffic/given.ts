import type { GivenRequest } from '../api-schema.ts';
import type { Scenario, ScenarioRequest } from './scenario.ts';

const givenName = 'given';

/** Requests from elsewhere, as a scenario of their own. None needs what another one brought. */
export function givenScenarios(requests: readonly GivenRequest[] = []): readonly Scenario[] {
  return requests.length > 0 ? [{ name: givenName, requests: requests.map(requestOf) }] : [];
}

export function isGiven({ name }: Scenario): boolean {
  return name === givenName;
}

function requestOf({ method, path, headers = {}, body, status }: GivenRequest): ScenarioRequest {
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
