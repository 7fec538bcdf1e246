import {
  isJsonObject,
  isSecretName,
  type Json,
  type JsonObject,
  redactText,
  tryOr,
} from '../../kernel/index.ts';
import type { RawRequest } from '../../lanes/index.ts';
import type { RecordingRules, StoredRequest } from './api-schema.ts';
import { isSecretField } from './secret-field.ts';

/** Headers that may affect the answer and do not identify the client. */
const keptHeaders = ['accept', 'accept-language', 'content-type'];
const credentialHeader =
  /^(?:cookie|.*(?:auth|token|api-?key|session|csrf|xsrf|signature|secret).*)$/;
/** Shorter parts of a credential are common words: `Bearer`, `path=/`. */
const tokenCharsMin = 8;

type RedactedRequest = Omit<StoredRequest, 'answer'>;

/**
 * The request without credentials, of which only the names of headers stay, and with stand-ins for
 * secrets in path and body. Null for a body that can't be searched for secrets.
 */
export function redactRequest(
  { method, path, headers, body, status }: RawRequest,
  rules: Pick<RecordingRules, 'headers' | 'replace'>,
): RedactedRequest | null {
  const lines = linesOf(headers);
  const credentialLines = lines.filter(
    ([name]) => credentialHeader.test(name) || isSecretName(name),
  );
  const redaction = new Redaction(tokensOf(credentialLines), rules.replace);
  const type = lines.find(([name]) => name === 'content-type')?.[1] ?? '';
  const text = body === null ? null : redaction.body(Buffer.from(body, 'base64'), type);
  if (text === undefined) return null;
  const [route = '', query] = path.split('?');
  const named = query === undefined ? '' : `?${redaction.fields(query)}`;
  const kept = [...keptHeaders, ...rules.headers.map((name) => name.toLowerCase())];
  return {
    method,
    path: `${redaction.text(route, 'the path')}${named}`,
    headers: lines
      .filter((line) => kept.includes(line[0]) && !credentialLines.includes(line))
      .map(([name, value]) => [name, redaction.text(value, name)]),
    credentials: [...new Set(credentialLines.map(([name]) => name))],
    body: text,
    withheld: [...redaction.withheld],
    status,
  };
}

class Redaction {
  /** Places of secrets without a stand-in. */
  readonly withheld = new Set<string>();
  readonly #tokens: readonly string[];
  readonly #replace: RecordingRules['replace'];

  constructor(tokens: readonly string[], replace: RecordingRules['replace']) {
    this.#tokens = tokens;
    this.#replace = replace;
  }

  text(text: string, where: string, tokens = this.#tokens): string {
    let redacted = redactText(text);
    for (const token of tokens) {
      redacted = redacted.replaceAll(token, '[redacted]');
    }
    if (redacted !== text) this.withheld.add(where);
    return redacted;
  }

  /** `a=1&b=2`, as in a query and in a form. */
  fields(text: string): string {
    const parts = text.split('&').map((part) => {
      const [name = '', ...rest] = part.split('=');
      const key = decoded(name);
      const value = decoded(rest.join('='));
      const safe = this.#value(key, value);
      return safe === value ? part : `${name}=${encodeURIComponent(String(safe))}`;
    });
    return parts.join('&');
  }

  /** Undefined if the body can't be parsed. */
  body(bytes: Buffer, type: string): string | undefined {
    const text = bytes.toString('utf8');
    if (/^application\/x-www-form-urlencoded\b/i.test(type)) return this.fields(text);
    try {
      const json = JSON.parse(text) as Json;
      const safe = this.#json(json, '');
      // Unchanged if possible: services may depend on spaces, and on numbers of 20 digits.
      return safe === json ? this.#keys(text, 'the body') : JSON.stringify(safe);
    } catch {
      return undefined;
    }
  }

  /** Field names stay: a cookie named `customers` does not make that word a secret. */
  #keys(text: string, where: string): string {
    const tokens = this.#tokens.filter((token) => !/^[a-z_-]+$/i.test(token));
    return this.text(text, where, tokens);
  }

  #json(json: Json, name: string): Json {
    if (Array.isArray(json))
      return same(
        json,
        json.map((item) => this.#json(item, name)),
      );
    if (!isJsonObject(json)) return this.#value(name, json);
    const copy: Record<string, Json> = {};
    for (const [key, value] of Object.entries(json)) {
      const isWhole = isSecretField(key) || Object.hasOwn(this.#replace, key);
      copy[this.#keys(key, key)] = isWhole
        ? this.#value(key, value ?? null)
        : this.#json(value ?? null, key);
    }
    const isSame = Object.entries(copy).every(
      ([key, value]) => (json as JsonObject)[key] === value,
    );
    return isSame ? json : copy;
  }

  #value(name: string, value: Json): Json {
    if (value === null || value === '' || typeof value === 'boolean') return value;
    if (Object.hasOwn(this.#replace, name)) return this.#replace[name] ?? null;
    if (isSecretField(name)) {
      this.withheld.add(name);
      return '[redacted]';
    }
    return typeof value === 'string' ? this.text(value, name) : value;
  }
}

function same(items: readonly Json[], copy: Json[]): Json {
  return copy.every((item, index) => item === items[index]) ? items : copy;
}

export function linesOf(headers: readonly string[]): (readonly [string, string])[] {
  const names = headers.filter((_, index) => index % 2 === 0);
  return names.map((name, index) => [name.toLowerCase(), headers[2 * index + 1] ?? ''] as const);
}

/** Credentials may also occur elsewhere, completely or in part. */
function tokensOf(credentialLines: readonly (readonly [string, string])[]): string[] {
  const parts = credentialLines.flatMap(([name, value]) => [
    value,
    ...(name === 'cookie' ? cookieValues(value) : value.split(/[\s;,=:"]+/)),
  ]);
  const long = [...new Set(parts)].filter((part) => part.length >= tokenCharsMin);
  const forms = long.flatMap((part) => [part, encodeURIComponent(part)]);
  return [...new Set(forms)].sort((one, other) => other.length - one.length);
}

/** Without the names, which are not secret and often equal field names. */
function cookieValues(cookie: string): string[] {
  const values = cookie.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim());
  const plain = values.map((value) => value.replace(/^"(.*)"$/, '$1'));
  const all = [...plain, ...plain.map(decoded)];
  return [...all, ...all.flatMap((value) => value.split(/[\s,:"]+/))];
}

function decoded(text: string): string {
  return tryOr(() => decodeURIComponent(text.replaceAll('+', ' ')), text);
}
