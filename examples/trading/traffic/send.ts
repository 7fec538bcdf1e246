import { randomUUID } from 'node:crypto';
import type { Step, Token, Visit } from './plan.ts';
import type { Result } from './summary.ts';

export interface Target {
  baseUrl: string;
  tokens: Record<Token, string>;
  headers: Record<string, string>;
}

const TIMEOUT_MS = 10_000;

/** Sends a visit's steps one after the other and ends it at the first unexpected answer. */
export async function sendVisit(visit: Visit, target: Target): Promise<Result[]> {
  const results: Result[] = [];
  let id = '';
  for (const step of visit.steps) {
    const result = await sendStep(visit.kind, step, id, target);
    results.push(result);
    if (result.status !== step.expectedStatus) break;
    id = typeof result.body.id === 'string' ? result.body.id : id;
  }
  return results;
}

async function sendStep(kind: string, step: Step, id: string, target: Target): Promise<Result> {
  const requestId = `traffic-${randomUUID()}`;
  const started = performance.now();
  const { status, body } = await exchange(step, id, target, requestId).catch((error: Error) => ({
    status: 'none' as const,
    body: { error: error.message },
  }));
  return { kind, step, status, body, requestId, durationMs: performance.now() - started };
}

async function exchange(step: Step, id: string, target: Target, requestId: string) {
  const response = await fetch(new URL(step.path.replace('{id}', id), target.baseUrl), {
    method: step.method,
    headers: {
      authorization: `Bearer ${target.tokens[step.token]}`,
      'content-type': 'application/json',
      'x-request-id': requestId,
      ...target.headers,
    },
    body: step.body === undefined ? null : JSON.stringify(step.body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: response.status, body: (await response.json()) as Result['body'] };
}
