import type { Scenario } from './scenario.ts';

/** A header by which a client says who it is, and its value. */
export type Credential = readonly [string, string];

export const credentialHeader = /^(?:authorization|cookie|.*(?:api-?key|token|session|auth).*)$/;

export function credentialsIn(scenarios: readonly Scenario[]): Credential[] {
  const all = scenarios.flatMap(({ requests }) => requests.flatMap(({ headers }) => headers));
  const found = all.filter(([name]) => credentialHeader.test(name));
  return [...new Map(found.map((one) => [one.join('\n'), one])).values()];
}

/** The one by which clients were let in most often. */
export function acceptedCredential(scenarios: readonly Scenario[]): Credential | undefined {
  const accepted = scenarios
    .flatMap(({ requests }) => requests.filter(({ status }) => status >= 200 && status < 300))
    .flatMap(({ headers }) => headers.filter(([name]) => credentialHeader.test(name)));
  const groups = [...Map.groupBy(accepted, (one) => one.join('\n')).values()];
  return groups.toSorted((one, other) => other.length - one.length)[0]?.[0];
}
