import {
  type Credential,
  credentialHeader,
  isRead,
  type ScenarioRequest,
} from '../traffic/index.ts';
import type { KnownRequest } from './known-requests.ts';
import { type VariantDraft, variantOf } from './variant.ts';

const othersMax = 6;

/** Everybody else's credential, a wrong one, one that is written otherwise, and none. */
export function credentialVariants(
  known: KnownRequest,
  credentials: readonly Credential[],
  rank: number,
): VariantDraft[] {
  const last = known.requests.at(-1);
  // Reads first: whoever may read may then be taken for somebody who may write.
  const sooner = last && isRead(last) ? rank - 0.5 : rank;
  const own = last?.headers.filter(([name]) => credentialHeader.test(name)) ?? [];
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
      variantOf(known, { what, rank: sooner }, (request) => withHeader(request, name, held)),
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

const likeMax = 4;

/**
 * Pure: credentials that the changed files hold beside known ones, such as that of a closed
 * account: quoted words that end or begin like the known one, `carla-token` for `bob-token`.
 */
export function credentialsLike(
  known: readonly Credential[],
  texts: readonly string[],
): Credential[] {
  const held = new Set(known.map(([, value]) => value));
  const alike = known.flatMap(([name, value]) => {
    const [secret = '', ...scheme] = value.split(' ').toReversed();
    const pattern = likenessOf(secret);
    if (pattern === null) return [];
    return texts
      .filter((text) => pattern.test(text))
      .map((text): Credential => [name, [...scheme.toReversed(), text].join(' ')]);
  });
  const others = alike.filter(([, value]) => !held.has(value));
  return [...new Map(others.map((one) => [one.join('\n'), one])).values()].slice(0, likeMax);
}

/** A word before or after a separator is what such credentials have in common. */
function likenessOf(secret: string): RegExp | null {
  const last = /[-_][a-z]{3,20}$/i.exec(secret)?.[0];
  if (last !== undefined) return new RegExp(`^[\\w-]{1,80}${last}$`, 'i');
  const first = /^[a-z]{2,20}[-_]/i.exec(secret)?.[0];
  return first === undefined ? null : new RegExp(`^${first}[\\w-]{1,80}$`, 'i');
}
