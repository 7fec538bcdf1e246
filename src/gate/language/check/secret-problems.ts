import type { Path, Problem } from '../../../document/index.ts';
import {
  isJsonObject,
  isSecretName,
  type Json,
  type JsonObject,
  redactText,
} from '../../../kernel/index.ts';

/**
 * Secrets in a policy. The ledger would redact them, which changes the policy under the same hash,
 * or would show them to everybody.
 */
export function secretProblems(document: JsonObject): Problem[] {
  const paths: Path[] = [];
  findSecrets(document, [], paths);
  return paths.map((path) => ({ path, message }));
}

const message =
  'this looks like a secret, and a policy is kept in the ledger: write ${NAME} under `run` to ' +
  'take it from the environment, or call it otherwise';

function findSecrets(value: Json, path: Path, found: Path[]): void {
  if (typeof value === 'string') {
    if (redactText(value) !== value) found.push(path);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) findSecrets(item, [...path, index], found);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value))
      findSecretsInMember(name, member as Json, path, found);
  }
}

function findSecretsInMember(name: string, member: Json, path: Path, found: Path[]): void {
  const inner = [...path, name];
  const isNamedSo = isSecretName(name) && isValue(member, path);
  if (isNamedSo || redactText(name) !== name) found.push(inner);
  else findSecrets(member, inner, found);
}

/**
 * A key with the name of a secret often contains no secret, but the schema of an argument, a
 * contract or an expression. Only variables always contain values.
 */
function isValue(member: Json, path: Path): boolean {
  if (path[0] === 'variables') return member !== null && typeof member !== 'boolean';
  if (typeof member !== 'string' || member === '') return false;
  if (expressionsByName.has(String(path.at(-1)))) return literal.test(member);
  return !fromEnvironment.test(member);
}

const expressionsByName = new Set(['with', 'cost', 'actualCost']);
const literal = /^\s*(?:"[^"]*"|'[^']*')\s*$/;
const fromEnvironment = /\$\{\w+\}/;
