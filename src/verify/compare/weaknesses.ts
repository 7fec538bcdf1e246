import { type Json, redactSecrets, redactText } from '../../kernel/index.ts';
import type { OutsideAnswer } from './recording.ts';

/** The weaknesses of an answer, in words that can be compared. */
export function weaknessesOf(answer: OutsideAnswer): string[] {
  return [
    ...weakTransport(answer),
    ...weakCookies(answer),
    ...openOrigins(answer),
    ...missingHeaders(answer),
    ...foreignScripts(answer),
    ...exposedInAnswer(answer),
  ];
}

export function exposedInAnswer({ body }: OutsideAnswer): string[] {
  return exposuresOf(body).map((what) => `${what} in the answer`);
}

function weakTransport({ tls }: OutsideAnswer): string[] {
  if (tls === null) return ['answers in plain text'];
  return tls === 'TLSv1.3' || tls === 'TLSv1.2' ? [] : [`speaks ${tls}`];
}

function weakCookies({ headers }: OutsideAnswer): string[] {
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

/** Which origins are right is unknown, but a new one is worth reporting. */
function openOrigins({ headers }: OutsideAnswer): string[] {
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

function missingHeaders({ headers }: OutsideAnswer): string[] {
  return guards.filter((name) => !headers[name]?.length).map((name) => `has no ${name}`);
}

interface Script {
  readonly source: string;
  readonly isForeign: boolean;
  readonly hasIntegrity: boolean;
}

function scriptsOf({ body }: OutsideAnswer): Script[] {
  return [...body.matchAll(/<script\b[^>]{0,2000}>/gi)].flatMap(([tag]) => {
    const source = /\bsrc\s*=\s*["']?([^"'\s>]{1,500})/i.exec(tag)?.[1];
    if (source === undefined) return [];
    const isForeign = /^(?:https?:)?\/\//i.test(source);
    return [{ source, isForeign, hasIntegrity: /\bintegrity\s*=/i.test(tag) }];
  });
}

/** Scripts of other sites, whoever changes them there; which of them are right is unknown. */
function foreignScripts(answer: OutsideAnswer): string[] {
  const foreign = scriptsOf(answer).filter(({ isForeign }) => isForeign);
  return foreign.map((script) =>
    script.hasIntegrity ? ofAnotherSite(script) : withoutIntegrity(script),
  );
}

/** What an answer may do because others of its kind did: a script may be checked from now on. */
export function acceptedIn(answer: OutsideAnswer): string[] {
  const foreign = scriptsOf(answer).filter(({ isForeign }) => isForeign);
  return [...weaknessesOf(answer), ...foreign.map(ofAnotherSite)];
}

/** Scripts whose contents the browser checked in all known answers, and no longer does. */
export function uncheckedScripts(were: readonly OutsideAnswer[], answer: OutsideAnswer): string[] {
  const known = were.flatMap(scriptsOf);
  const wasChecked = ({ source }: Script): boolean => {
    const same = known.filter((one) => one.source === source);
    return same.length > 0 && same.every(({ hasIntegrity }) => hasIntegrity);
  };
  const unchecked = scriptsOf(answer).filter(({ hasIntegrity }) => !hasIntegrity);
  return unchecked.filter(wasChecked).map(withoutIntegrity);
}

function withoutIntegrity({ source }: Script): string {
  return `runs ${source} without integrity`;
}

function ofAnotherSite({ source }: Script): string {
  // The version of a script may change, and with it its name.
  return `runs the script ${source.replace(/[\w.-]*\d[\w.-]*/g, '(version)')} of another site`;
}

const stackTrace =
  /\bat [^\n]{1,200}?:\d+:\d+|Traceback \(most recent call last\)|\bFile \\?"[^"\n]{1,200}", line \d+|\.java:\d+\)|\bgoroutine \d+ \[/;

/** Secrets and stack traces in a text, in words that can be compared. */
export function exposuresOf(text: string): string[] {
  const redacted = redactedText(text);
  const marks = [...redacted.matchAll(/\[redacted(?: ([\w-]+))?\]/g)];
  const secrets = marks.map(([, kind = 'named as such']) => `a secret (${kind})`);
  return [...new Set([...secrets, ...(stackTrace.test(text) ? ['a stack trace'] : [])])];
}

/** Field names reveal secrets only in structured texts. */
function redactedText(text: string): string {
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.stringify(redactSecrets(JSON.parse(text) as Json));
    } catch {
      // Truncated, or not JSON after all.
    }
  }
  return redactText(text);
}
