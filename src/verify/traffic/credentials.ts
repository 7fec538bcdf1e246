import type { Scenario } from './scenario.ts';

/** A header by which a client says who it is, and its value. */
export type Credential = readonly [string, string];

export const credentialHeader = /^(?:authorization|cookie|.*(?:api-?key|token|session|auth).*)$/;

export function credentialsIn(scenarios: readonly Scenario[]): Credential[] {
  const all = scenarios.flatMap(({ requests }) => requests.flatMap(({ headers }) => headers));
  const found = all.filter(([name]) => credentialHeader.test(name));
  return [...new Map(found.map((one) => [one.join('\n'), one])).values()];
}
