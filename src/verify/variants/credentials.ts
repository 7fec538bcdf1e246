import type { Scenario, ScenarioRequest } from '../traffic/index.ts';
import type { KnownRequest } from './known-requests.ts';
import { type VariantDraft, variantOf } from './variant.ts';

type Credential = readonly [string, string];

/** Headers by which a client says who it is. */
const credentialHeader = /^(?:authorization|cookie|.*(?:api-?key|token|session|auth).*)$/;

export function credentialsIn(scenarios: readonly Scenario[]): Credential[] {
  const all = scenarios.flatMap(({ requests }) => requests.flatMap(({ headers }) => headers));
  const found = all.filter(([name]) => credentialHeader.test(name));
  return [...new Map(found.map((one) => [one.join('\n'), one])).values()];
}

const othersMax = 6;

/** Everybody else's credential, a wrong one, one that is written otherwise, and none. */
export function credentialVariants(
  known: KnownRequest,
  credentials: readonly Credential[],
  rank: number,
): VariantDraft[] {
  const own = known.requests.at(-1)?.headers.filter(([name]) => credentialHeader.test(name)) ?? [];
  return own.flatMap(([name, value]) => {
    const others = credentials.filter(([other, held]) => other === name && held !== value);
    const numbered = others
      .slice(0, othersMax)
      .map(([, held], index) => [`with another ${name} (${index + 1})`, held] as const);
    const written: (readonly [string, string | null])[] = [
      [`without ${name}`, null],
      [`with a wrong ${name}`, wrong(value)],
      ...respelled(name, value),
      ...numbered,
    ];
    return written.map(([what, held]) =>
      variantOf(known, { what, rank }, (request) => withHeader(request, name, held)),
    );
  });
}

function wrong(value: string): string {
  const [scheme, ...rest] = value.split(' ');
  return rest.length > 0 ? `${scheme} given-out-by-nobody` : 'given-out-by-nobody';
}

/** `bearer` for `Bearer`: the name of a scheme may be written in any case. */
function respelled(name: string, value: string): (readonly [string, string])[] {
  const [scheme = '', ...rest] = value.split(' ');
  if (name !== 'authorization' || rest.length === 0) return [];
  return [[`with the scheme of ${name} in lower case`, [scheme.toLowerCase(), ...rest].join(' ')]];
}

function withHeader(request: ScenarioRequest, name: string, value: string | null): ScenarioRequest {
  const others = request.headers.filter(([held]) => held !== name);
  return { ...request, headers: value === null ? others : [...others, [name, value]] };
}
