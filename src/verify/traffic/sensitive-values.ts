import { isJsonObject, type Json } from '../../kernel/index.ts';
import { readAnswer } from './answer-json.ts';
import type { Scenario, ScenarioRequest } from './scenario.ts';
import { isSecretField } from './secret-field.ts';

/** What a request carried in a field that must stay secret, whatever it looks like. */
export interface SensitiveValue {
  readonly field: string;
  readonly value: string;
}

export function sensitiveValues(scenarios: readonly Scenario[]): SensitiveValue[] {
  const found = scenarios
    .flatMap(({ requests }) => requests)
    .flatMap((request) => [...inHeaders(request), ...inJson(bodyOf(request), '')])
    .filter(({ field, value }) => isSecretField(field) && isDistinctive(value));
  return [...new Map(found.map((one) => [one.value, one])).values()];
}

/** A shorter value, or a plain word, is in many texts by chance. */
function isDistinctive(value: string): boolean {
  return value.length >= 6 && /[^a-z]/i.test(value);
}

/** Without a scheme: `Bearer abc` is abc. */
function inHeaders({ headers }: ScenarioRequest): SensitiveValue[] {
  return headers.map(([field, value]) => ({ field, value: value.split(' ').at(-1) ?? '' }));
}

function bodyOf({ body }: ScenarioRequest): Json {
  return body === null ? null : readAnswer(body, '');
}

function inJson(value: Json, field: string): SensitiveValue[] {
  if (typeof value === 'string') return [{ field, value }];
  if (typeof value === 'number') return [{ field, value: String(value) }];
  if (Array.isArray(value)) return value.flatMap((item) => inJson(item, field));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => inJson(member, name));
}
