import { sharedLimits } from '../../kernel/index.ts';
import type { Hop, Lane, Routes } from '../../lanes/index.ts';
import { type Answer, routeOf } from '../compare/index.ts';
import { filledRoutes } from './route-literals.ts';

/** Ways in that are meant for operators. They are only looked at, and nothing is sent there. */
const internalPaths = ['/metrics', '/internal', '/admin', '/debug', '/env', '/actuator/env'];
const routesMax = 12;
const lookMsMax = 3_000;

/**
 * What somebody without any credentials would get: everything that a suite has just read from
 * outside is read again without them, and with wrong ones; and a few ways in are tried that should
 * lead nowhere.
 */
export async function scanFromOutside(
  { lane }: Lane,
  seen: readonly Hop[],
  routes: Routes,
): Promise<Answer[]> {
  const read = seen.filter(({ from, method }) => from === null && method === 'GET');
  const [entrance] = seen.filter(({ from }) => from === null);
  if (!entrance) return [];
  const latest = new Map(read.map((hop) => [routeOf(hop.path), hop.path]));
  const own = [...latest.values()].slice(-routesMax);
  const address = await routes.address();
  const looks = [...own, ...internalPaths].map((path) =>
    look(new URL(path, address), { lane, service: entrance.to }),
  );
  const wrong = own.map((path) =>
    look(new URL(path, address), { lane, service: entrance.to, token: wrongToken }),
  );
  return Promise.all([...looks, ...wrong]);
}

/** What suites themselves got: pages behind a login are guarded as well, or are not. */
export function servedAnswers(hops: readonly Hop[]): Answer[] {
  return hops.flatMap(({ from, to, method, path, status, guards }) =>
    from !== null || guards === undefined
      ? []
      : [{ ...unread, service: to, method, path, status, headers: guards }],
  );
}

const unread = { hasCredentials: true, body: '', tls: null };
/** What nobody ever gave out. */
const wrongToken = { authorization: 'Bearer given-out-by-nobody' };

/** Fields by which things are found again. */
const idField = /"(?:id|\w*Id|\w*_id)":"([^"\\]{1,80})"/g;
const idsMax = 2;
const insideMax = 16;

/**
 * Ways in that nobody used: what services serve to each other, and the routes that the patch names.
 * Who has opened one of them to everybody did it here, or nowhere that can be seen.
 */
export async function scanRoutes(
  { lane }: Lane,
  { hops, literals }: { readonly hops: readonly Hop[]; readonly literals: readonly string[] },
  routes: Routes,
): Promise<Answer[]> {
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
    asked.map((path) => look(new URL(path, address), { lane, service: entrance.to })),
  );
}

/** Where one thing is, often all of them are. */
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

interface Look {
  readonly lane: string;
  readonly service: string;
  readonly token?: typeof wrongToken;
}

async function look(url: URL, { lane, service, token }: Look): Promise<Answer> {
  const how = { hasCredentials: token !== undefined, isWrong: token !== undefined };
  const common = { service, method: 'GET', path: url.pathname, ...how, tls: null };
  try {
    // Some tell only strangers who may read an answer: nobody is at that place, ever.
    const from = { baggage: `surety-lane=${lane}`, origin: 'https://surety.invalid' };
    const signal = AbortSignal.timeout(lookMsMax);
    const response = await fetch(url, {
      headers: { ...from, ...token },
      redirect: 'manual',
      signal,
    });
    const { status } = response;
    return { ...common, status, headers: listsOf(response.headers), body: await textOf(response) };
  } catch {
    // Nobody answered: that is no way in.
    return { ...common, status: 0, headers: {}, body: '' };
  }
}

function listsOf(headers: Headers): Record<string, string[]> {
  const lists = Object.fromEntries([...headers].map(([name, value]) => [name, [value]]));
  return { ...lists, 'set-cookie': headers.getSetCookie() };
}

/** As much as is kept of a hop: it may be a download without end. */
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
