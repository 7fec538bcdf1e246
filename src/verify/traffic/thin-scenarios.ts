import { isJsonObject, type Json } from '../../kernel/index.ts';
import type { RecordedScenario, StoredRequest } from './api-schema.ts';
import { findCarried } from './carried-values.ts';
import { routeName } from './outward-routes.ts';
import { asScenario } from './sessions.ts';

/**
 * Keeps so many requests of each route and shape, the newest first, and those whose answers they
 * need. Scenarios are given and returned newest first.
 */
export function thinScenarios(
  scenarios: readonly RecordedScenario[],
  perRoute: number,
): RecordedScenario[] {
  const counts = new Map<string, number>();
  const isWanted = (request: StoredRequest): boolean => {
    const shape = shapeOf(request);
    const count = counts.get(shape) ?? 0;
    counts.set(shape, count + 1);
    return count < perRoute;
  };
  return scenarios.flatMap((scenario) => {
    const requests = withNeeded(scenario.requests, isWanted);
    if (requests.length === scenario.requests.length) return [scenario];
    return requests.length > 0 ? [{ ...scenario, requests }] : [];
  });
}

function withNeeded(
  requests: readonly StoredRequest[],
  isWanted: (request: StoredRequest) => boolean,
): readonly StoredRequest[] {
  const wanted = new Set(requests.flatMap((request, at) => (isWanted(request) ? [at] : [])));
  const carried = findCarried(requests.map(asScenario));
  // Backwards: a needed request may need an earlier one.
  for (let at = requests.length - 1; at >= 0; at--) {
    if (wanted.has(at)) for (const { from } of carried[at] ?? []) wanted.add(from);
  }
  return requests.filter((_, at) => wanted.has(at));
}

/** Requests of the same shape probably take the same path through a service. */
function shapeOf({ method, path, body, status, credentials }: StoredRequest): string {
  const [, query = ''] = path.split('?');
  const names = query.split('&').map((part) => part.split('=')[0]);
  const route = routeName(method, path);
  return JSON.stringify([route, names.sort(), fieldsOf(body), status, credentials]);
}

function fieldsOf(body: string | null): string[] {
  if (body === null) return [];
  try {
    return fields(JSON.parse(body) as Json, '');
  } catch {
    // A form.
    return body.split('&').map((part) => part.split('=')[0] ?? '');
  }
}

function fields(json: Json, place: string): string[] {
  if (Array.isArray(json)) return [...new Set(json.flatMap((item) => fields(item, `${place}[]`)))];
  if (!isJsonObject(json)) return [`${place}:${json === null ? 'null' : typeof json}`];
  return Object.keys(json)
    .sort()
    .flatMap((name) => fields(json[name] ?? null, `${place}.${name}`));
}
