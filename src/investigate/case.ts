import {
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  sha256,
} from '../kernel/index.ts';
import type { Hop } from '../lanes/index.ts';

/** A request of the incident, and what it is answered when all is well. */
export type CaseCheck = {
  readonly method: string;
  readonly path: string;
  readonly body: Json;
  readonly expected: JsonObject;
};

export type RegressionCase = {
  readonly id: string;
  readonly checks: readonly CaseCheck[];
  /** A program in the manner of a suite: one JSON line per check. */
  readonly code: string;
};

const checksMax = 10;

/**
 * Makes a regression check from the requests that came from outside: those that the failing version
 * answered otherwise than the healthy one, in fields that are not ids or times.
 */
export function makeCase(failing: readonly Hop[], healthy: readonly Hop[]): RegressionCase | null {
  const bad = failing.filter(fromOutside);
  const good = healthy.filter(fromOutside);
  const checks = good.flatMap((hop, index) => checkOf(bad[index], hop)).slice(0, checksMax);
  if (checks.length === 0) return null;
  const id = `case_${sha256(canonicalJson(checks)).slice(0, 16)}`;
  return { id, checks, code: program(id, checks) };
}

const fromOutside = ({ from }: Hop): boolean => from === null;

function checkOf(bad: Hop | undefined, good: Hop): CaseCheck[] {
  if (!bad || bad.method !== good.method || good.method === 'GET') return [];
  if (canonicalJson(bad.requestBody) !== canonicalJson(good.requestBody)) return [];
  const expected = differingFields(bad.responseBody, good.responseBody);
  if (Object.keys(expected).length === 0) return [];
  return [{ method: good.method, path: good.path, body: good.requestBody, expected }];
}

function differingFields(bad: Json, good: Json): JsonObject {
  if (!isJsonObject(bad) || !isJsonObject(good)) return {};
  const fields = Object.entries(good).filter(
    ([name, value]) => isStable(name, value) && bad[name] !== value,
  );
  return Object.fromEntries(fields);
}

/** Ids and times differ from one request to the next, whatever the version. */
function isStable(name: string, value: Json): boolean {
  if (/(?:^id|Id|_id|At|_at|time)$/.test(name)) return false;
  return typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string';
}

function program(id: string, checks: readonly CaseCheck[]): string {
  return `// Regression case ${id}, made from an incident.
const checks = ${JSON.stringify(checks, null, 2)};
const headers = { 'content-type': 'application/json', ...JSON.parse(process.env.HEADERS ?? '{}') };
if (process.env.TOKEN) headers.authorization = \`Bearer \${process.env.TOKEN}\`;
for (const { method, path, body, expected } of checks) {
  const url = new URL(path, process.env.BASE_URL);
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  const requestId = response.headers.get('x-request-id') ?? '';
  const answer = await response.json();
  for (const [field, value] of Object.entries(expected)) {
    const passed = answer[field] === value;
    const check = \`\${method} \${path} \${JSON.stringify(body)}: \${field}\`;
    const line = { check, passed, expected: value, actual: answer[field] ?? null, requestId };
    console.log(JSON.stringify(line));
    if (!passed) process.exitCode = 1;
  }
}
`;
}
