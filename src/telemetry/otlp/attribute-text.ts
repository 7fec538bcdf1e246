import { isSecretName, type Json, limits, redactSecrets, redactText } from '../../kernel/index.ts';
import type { Value } from './drafts.ts';

interface KnownKey {
  /** As it stands in JSON, with the colon. */
  readonly text: string;
  readonly isSecret: boolean;
}

/** The same keys come with every span; who makes up new ones all the time gets no place here. */
const knownKeys = new Map<string, KnownKey>();
const knownKeysMax = 4_096;

function keyOf(key: string): KnownKey {
  const known = knownKeys.get(key);
  if (known) return known;
  const text = `${JSON.stringify(cut(key, limits.telemetryNameCharsMax))}:`;
  const made = { text, isSecret: isSecretName(key) };
  if (knownKeys.size < knownKeysMax && key.length <= limits.telemetryNameCharsMax) {
    knownKeys.set(key, made);
  }
  return made;
}

/**
 * A JSON object out of keys and values, without secrets. The text is looked through as a whole:
 * most have none, and only where something is found every value is looked at by itself.
 */
export class AttributeText {
  #text = '';
  readonly #keys: string[] = [];
  readonly #values: Value[] = [];

  get isEmpty(): boolean {
    return this.#keys.length === 0;
  }

  add(key: string, value: Value): void {
    this.#keys.push(key);
    this.#values.push(value);
    const { text, isSecret } = keyOf(key);
    const said = isSecret ? '"[redacted]"' : valueText(value);
    this.#text += this.#text === '' ? text + said : `,${text}${said}`;
  }

  /** The object, with members before its own that were made by `finish` and have no braces. */
  finish(before = ''): string {
    let text = this.#text;
    if (text !== '' && redactText(text) !== text) text = this.#redacted();
    this.#text = '';
    this.#keys.length = 0;
    this.#values.length = 0;
    if (before === '') return `{${text}}`;
    return text === '' ? `{${before}}` : `{${before},${text}}`;
  }

  #redacted(): string {
    return this.#keys
      .map((key, index) => {
        const { text, isSecret } = keyOf(key);
        if (isSecret) return `${text}"[redacted]"`;
        return text + valueText(redactSecrets(this.#values[index] as Json) as Value);
      })
      .join(',');
  }
}

function valueText(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(cut(value, limits.telemetryValueCharsMax));
  if (typeof value !== 'object' || value === null) return String(value);
  const safe = redactSecrets(value as Json);
  const text = JSON.stringify(safe);
  // A cut list or map is no JSON any more, but still a text that can be read.
  return text.length <= limits.telemetryValueCharsMax
    ? text
    : JSON.stringify(cut(text, limits.telemetryValueCharsMax));
}

export function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`;
}
