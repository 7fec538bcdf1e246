import type { Path, Problem } from '../../../document/index.ts';
import {
  isJsonObject,
  isSecretName,
  type Json,
  type JsonObject,
  redactText,
} from '../../../kernel/index.ts';

/**
 * What the ledger would not keep as it is. A policy that came back without it would be another
 * one under the same name, and one that is kept with it would show it to everybody.
 */
export function secretProblems(document: JsonObject): Problem[] {
  const paths: Path[] = [];
  look(document, [], paths);
  return paths.map((path) => ({ path, message }));
}

const message =
  'this looks like a secret, and a policy is kept in the ledger: write ${NAME} under `run` to ' +
  'take it from the environment, or call it otherwise';

function look(value: Json, path: Path, found: Path[]): void {
  if (typeof value === 'string') {
    if (redactText(value) !== value) found.push(path);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) look(item, [...path, index], found);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) lookAt(name, member as Json, path, found);
  }
}

function lookAt(name: string, member: Json, path: Path, found: Path[]): void {
  const inner = [...path, name];
  const isNamedSo = isSecretName(name) && isValue(member, path);
  if (isNamedSo || redactText(name) !== name) found.push(inner);
  else look(member, inner, found);
}

/**
 * Under the name of a secret stands often what is none: the schema of an argument, a contract, an
 * expression. Variables alone are values whatever they are made of.
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
