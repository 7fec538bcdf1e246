import { isSecretName, type Json, redactSecrets, redactText } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import type { AttributeValue } from './drafts.ts';

interface KnownKey {
  /** The key in JSON, with the colon. */
  readonly text: string;
  readonly isSecret: boolean;
}

/** The same keys come with every span, so they are cached up to a limit. */
const knownKeys = new Map<string, KnownKey>();
const knownKeysMax = 4_096;

function keyOf(key: string): KnownKey {
  const known = knownKeys.get(key);
  if (known) return known;
  const text = `${JSON.stringify(cut(key, telemetryLimits.telemetryNameCharsMax))}:`;
  const made = { text, isSecret: isSecretName(key) };
  if (knownKeys.size < knownKeysMax && key.length <= telemetryLimits.telemetryNameCharsMax) {
    knownKeys.set(key, made);
  }
  return made;
}

/**
 * A JSON object of keys and values, without values whose keys name a secret. Other secrets are
 * removed from all rows before they are stored.
 */
export class AttributeText {
  #text = '';

  add(key: string, value: AttributeValue): void {
    const { text, isSecret } = keyOf(key);
    const encoded = isSecret ? '"[redacted]"' : valueText(value);
    this.#text += this.#text === '' ? text + encoded : `,${text}${encoded}`;
  }

  /** The object, with additional members at its start that `finish` made without braces. */
  finish(before = ''): string {
    const text = this.#text;
    this.#text = '';
    if (before === '') return `{${text}}`;
    return text === '' ? `{${before}}` : `{${before},${text}}`;
  }
}

function valueText(value: AttributeValue): string {
  if (typeof value === 'string')
    return JSON.stringify(cut(value, telemetryLimits.telemetryValueCharsMax));
  if (typeof value !== 'object' || value === null) return String(value);
  const safe = redactSecrets(value as Json);
  const text = JSON.stringify(safe);
  // A truncated list or map is not valid JSON, but still readable as text.
  return text.length <= telemetryLimits.telemetryValueCharsMax
    ? text
    : JSON.stringify(cut(text, telemetryLimits.telemetryValueCharsMax));
}

/** Secrets are removed before text is cut, because nothing would recognise half a secret. */
export function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const redacted = redactText(text);
  return redacted.length <= charsMax ? redacted : `${redacted.slice(0, charsMax - 1)}…`;
}
