import { exposuresOf } from './exposure.ts';
import type { Answer } from './recording.ts';

/** Everything about an answer that an attacker would like, in words that can be compared. */
export function weaknessesOf(answer: Answer): string[] {
  return [
    ...weakTransport(answer),
    ...weakCookies(answer),
    ...openOrigins(answer),
    ...missingHeaders(answer),
    ...unguardedScripts(answer),
    ...exposedIn(answer),
  ];
}

export function exposedIn({ body }: Answer): string[] {
  return exposuresOf(body).map((what) => `${what} in the answer`);
}

function weakTransport({ tls }: Answer): string[] {
  if (tls === null) return ['answers in plain text'];
  return tls === 'TLSv1.3' || tls === 'TLSv1.2' ? [] : [`speaks ${tls}`];
}

function weakCookies({ headers }: Answer): string[] {
  return (headers['set-cookie'] ?? []).flatMap((cookie) => {
    const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim());
    const name = pair.split('=')[0] ?? '';
    const given = new Map(
      attributes.map((one) => {
        const [key = '', value = ''] = one.toLowerCase().split('=');
        return [key, value] as const;
      }),
    );
    const isStrict = ['lax', 'strict'].includes(given.get('samesite') ?? '');
    return [
      ...(given.has('secure') ? [] : [`cookie ${name} without Secure`]),
      ...(given.has('httponly') ? [] : [`cookie ${name} without HttpOnly`]),
      ...(isStrict ? [] : [`cookie ${name} open to other sites`]),
    ];
  });
}

/** Which origins are right, we don't know; one that was not allowed before is worth a word. */
function openOrigins({ headers }: Answer): string[] {
  const [origin] = headers['access-control-allow-origin'] ?? [];
  if (origin === undefined) return [];
  const [withCredentials] = headers['access-control-allow-credentials'] ?? [];
  return [
    `is open to ${origin === '*' ? 'every origin' : `the origin ${origin}`}`,
    ...(withCredentials === 'true' ? ['is open to other origins with credentials'] : []),
  ];
}

const guards = [
  'content-security-policy',
  'strict-transport-security',
  'x-content-type-options',
  'x-frame-options',
];

function missingHeaders({ headers }: Answer): string[] {
  return guards.filter((name) => !headers[name]?.length).map((name) => `has no ${name}`);
}

/** Scripts of others that the browser would run whatever they have become. */
function unguardedScripts({ body }: Answer): string[] {
  const scripts = body.matchAll(/<script\b[^>]{0,2000}>/gi);
  return [...scripts].flatMap(([tag]) => {
    const source = /\bsrc\s*=\s*["']?((?:https?:)?\/\/[^"'\s>]{1,500})/i.exec(tag)?.[1];
    return source === undefined || /\bintegrity\s*=/i.test(tag)
      ? []
      : [`runs ${source} without integrity`];
  });
}
