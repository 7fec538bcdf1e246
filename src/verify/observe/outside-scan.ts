import { sharedLimits } from '../../kernel/index.ts';
import type { Hop, Lane, Routes } from '../../lanes/index.ts';
import { type OutsideAnswer, routeOf } from '../compare/index.ts';
import type { Credential } from '../traffic/index.ts';
import { filledRoutes } from './route-literals.ts';

/** Routes for operators. They are only read. */
const internalPaths = ['/metrics', '/internal', '/admin', '/debug', '/env', '/actuator/env'];
const routesMax = 12;
const scanMsMax = 3_000;

/**
 * Reads what a suite has just read from outside again, without credentials and with wrong ones, and
 * a few routes that should not be reachable.
 */
export async function scanFromOutside(
  { lane }: Lane,
  seen: readonly Hop[],
  routes: Routes,
): Promise<OutsideAnswer[]> {
  const read = seen.filter(({ from, method }) => from === null && method === 'GET');
  const [entrance] = seen.filter(({ from }) => from === null);
  if (!entrance) return [];
  const latest = new Map(read.map((hop) => [routeOf(hop.path), hop.path]));
  const own = [...latest.values()].slice(-routesMax);
  const address = await routes.address();
  const scans = [...own, ...internalPaths].map((path) =>
    scan(new URL(path, address), { lane, service: entrance.to }),
  );
  const wrong = own.map((path) =>
    scan(new URL(path, address), { lane, service: entrance.to, token: wrongToken }),
  );
  return Promise.all([...scans, ...wrong]);
}

const credentialsMax = 4;

/**
 * Reads what suites read by an id once more, as everybody else who is known: what belongs to one
 * client is not for another. The ids are those of this lane.
 */
export async function readAsOthers(
  { lane }: Lane,
  {
    hops,
    credentials,
  }: { readonly hops: readonly Hop[]; readonly credentials: readonly Credential[] },
  routes: Routes,
): Promise<OutsideAnswer[]> {
  const read = hops.filter(
    ({ from, method, path, status, faults }) =>
      from === null &&
      method === 'GET' &&
      status === 200 &&
      faults === undefined &&
      /\d/.test(path),
  );
  const latest = new Map(read.map((hop) => [routeOf(hop.path), hop]));
  const address = await routes.address();
  const asked = [...latest.values()].slice(-routesMax).flatMap(({ path, to }) =>
    credentials.slice(0, credentialsMax).map(([name, value], index) =>
      scan(new URL(path, address), {
        lane,
        service: to,
        credential: { name, value, as: `as known client ${index + 1}` },
      }),
    ),
  );
  return Promise.all(asked);
}

/** The answers to suites: pages behind a login need security headers, too. */
export function servedAnswers(hops: readonly Hop[]): OutsideAnswer[] {
  return hops.flatMap(({ from, to, method, path, status, guards }) =>
    from !== null || guards === undefined
      ? []
      : [{ ...unread, service: to, method, path, status, headers: guards }],
  );
}

const unread = { hasCredentials: true, body: '', tls: null };
/** A token that nobody issued. */
const wrongToken = { authorization: 'Bearer given-out-by-nobody' };

/** Fields that hold ids. */
const idField = /"(?:id|\w*Id|\w*_id)":"([^"\\]{1,80})"/g;
const idsMax = 2;
const insideMax = 16;

/**
 * Reads routes that no suite used: those that services call, and those that the patch names. A
 * change that exposes a route most likely exposes one of these.
 */
export async function scanRoutes(
  { lane }: Lane,
  { hops, literals }: { readonly hops: readonly Hop[]; readonly literals: readonly string[] },
  routes: Routes,
): Promise<OutsideAnswer[]> {
  const entrance = hops.find(({ from }) => from === null);
  if (!entrance) return [];
  const inside = hops.filter(
    ({ from, to, instance, protocol }) =>
      from !== null && to !== entrance.to && instance !== 'external' && protocol !== 'message',
  );
  const named = literals.flatMap((route) => filledRoutes(route, latestIds(hops)));
  const paths = new Map([...inside.flatMap(waysOf), ...named].map((path) => [routeOf(path), path]));
  const address = await routes.address();
  const asked = [...paths.values()].slice(-insideMax - literals.length * idsMax);
  return Promise.all(
    asked.map((path) => scan(new URL(path, address), { lane, service: entrance.to })),
  );
}

/** The route itself, and the collection that it probably belongs to. */
function waysOf({ path }: Hop): string[] {
  const [route = ''] = path.split('?');
  return [`/${route.split('/')[1] ?? ''}`, route];
}

function latestIds(hops: readonly Hop[]): string[] {
  const texts = hops
    .filter(({ from }) => from === null)
    .map(({ responseBody }) => JSON.stringify(responseBody));
  const ids = texts.flatMap((text) => [...text.matchAll(idField)].map(([, id]) => id ?? ''));
  return [...new Set(ids.filter((id) => /\d/.test(id)))].slice(-idsMax);
}

interface ScanRequest {
  readonly lane: string;
  readonly service: string;
  readonly token?: typeof wrongToken;
  readonly credential?: { readonly name: string; readonly value: string; readonly as: string };
}

async function scan(
  url: URL,
  { lane, service, token, credential }: ScanRequest,
): Promise<OutsideAnswer> {
  const how = credential
    ? { hasCredentials: true, as: credential.as }
    : { hasCredentials: token !== undefined, isWrong: token !== undefined };
  const own = credential && { [credential.name]: credential.value };
  const common = { service, method: 'GET', path: url.pathname, ...how, tls: null };
  try {
    // Some services only answer a foreign origin with CORS headers; this one never exists.
    const from = { baggage: `surety-lane=${lane}`, origin: 'https://surety.invalid' };
    const signal = AbortSignal.timeout(scanMsMax);
    const response = await fetch(url, {
      headers: { ...from, ...token, ...own },
      redirect: 'manual',
      signal,
    });
    const { status } = response;
    return { ...common, status, headers: listsOf(response.headers), body: await textOf(response) };
  } catch {
    // No answer: not reachable.
    return { ...common, status: 0, headers: {}, body: '' };
  }
}

function listsOf(headers: Headers): Record<string, string[]> {
  const lists = Object.fromEntries([...headers].map(([name, value]) => [name, [value]]));
  return { ...lists, 'set-cookie': headers.getSetCookie() };
}

/** At most as much as is kept of a hop: a download may be endless. */
async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= sharedLimits.hopBodyBytesMax) break;
  }
  return Buffer.concat(chunks).subarray(0, sharedLimits.hopBodyBytesMax).toString('utf8');
}
