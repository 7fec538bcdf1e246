import { isSecretName, type Json, redactSecrets, redactText } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import type { AttributeValue } from './drafts.ts';

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
  const text = `${JSON.stringify(cut(key, telemetryLimits.telemetryNameCharsMax))}:`;
  const made = { text, isSecret: isSecretName(key) };
  if (knownKeys.size < knownKeysMax && key.length <= telemetryLimits.telemetryNameCharsMax) {
    knownKeys.set(key, made);
  }
  return made;
}

/**
 * A JSON object out of keys and values, without those that are secrets by their name. Others are
 * found when the row is on its way to the store, like those of all rows.
 */
export class AttributeText {
  #text = '';

  add(key: string, value: AttributeValue): void {
    const { text, isSecret } = keyOf(key);
    const encoded = isSecret ? '"[redacted]"' : valueText(value);
    this.#text += this.#text === '' ? text + encoded : `,${text}${encoded}`;
  }

  /** The object, with members before its own that were made by `finish` and have no braces. */
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
  // A cut list or map is no JSON any more, but still a text that can be read.
  return text.length <= telemetryLimits.telemetryValueCharsMax
    ? text
    : JSON.stringify(cut(text, telemetryLimits.telemetryValueCharsMax));
}

/** Half a secret would be found by nobody, so they are taken out before anything is cut off. */
export function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const redacted = redactText(text);
  return redacted.length <= charsMax ? redacted : `${redacted.slice(0, charsMax - 1)}…`;
}
