/** A process of its own: counts effects in a SQLite file until whoever started it is gone. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { EffectStore } from './effect-store.ts';

const [file = '', port = '0'] = process.argv.slice(2);
const store = new EffectStore(file);

const server = createServer((request, response) => {
  answer(request, response).catch((error) => send(response, 500, { error: String(error) }));
});
server.listen(Number(port), '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.once('disconnect', () => process.exit());

const slowMs = 800;
/** What was asked for and has not come to its end, whoever asked may be gone or not. */
const underWay = new Set<Promise<void>>();

interface Wanted {
  readonly key: string;
  readonly fences: string;
  readonly mode: string;
  /** Whether a second effect under the same key is none. */
  readonly once: boolean;
  readonly effectAfterMs: number;
  readonly answerAfterMs: number;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse((await readText(request)) || '{}') as Record<string, unknown>;
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://effects');
  const [, root, name, action] = pathname.split('/').map(decodeURIComponent);
  const number = (wanted: string): number => Number(body[wanted] ?? searchParams.get(wanted) ?? 0);
  const wanted: Wanted = {
    key: name ?? header(request, 'idempotency-key'),
    fences: header(request, 'surety-fence'),
    mode: String(body.mode ?? 'ok'),
    once: searchParams.has('once'),
    effectAfterMs: body.mode === 'slow' ? slowMs : number('effectAfterMs'),
    answerAfterMs: number('answerAfterMs'),
  };
  const isKnown = root === 'effects' && (action === undefined || action === 'cancel');
  if (!isKnown) return send(response, 404, { error: `nothing is at ${pathname}` });
  if (request.method === 'POST') {
    const happening = happen(action ? { ...wanted, key: `${action}:${name}` } : wanted, response);
    underWay.add(happening);
    return happening.finally(() => underWay.delete(happening));
  }
  if (searchParams.has('underway')) return send(response, 200, { count: underWay.size });
  if (searchParams.has('settled')) await Promise.allSettled(underWay);
  if (name === undefined) return send(response, 200, store.counts());
  if (!store.pass(wanted.fences)) return tooLate(response);
  send(response, 200, store.state(name));
}

/**
 * What can go wrong with it: `refuse` and `break` do nothing, `stuck` does half of it, and after
 * `lost` all is done, but the connection breaks before the answer.
 */
async function happen(wanted: Wanted, response: ServerResponse): Promise<void> {
  const { key, mode, fences, once } = wanted;
  if (mode === 'refuse') return send(response, 422, { error: 'refused' });
  if (mode === 'break') return send(response, 500, { error: 'broken before anything was done' });
  // Time for others to come in between: the request is on its way, the effect is not.
  await delay(wanted.effectAfterMs);
  const isThere = once && store.state(key).count > 0;
  const hasPassed = isThere ? store.pass(fences) : store.add(key, mode === 'stuck', fences);
  if (!hasPassed) return tooLate(response);
  // Time for somebody to be killed between an effect and hearing of it.
  await delay(wanted.answerAfterMs);
  if (mode === 'lost') return void response.socket?.destroy();
  if (mode === 'stuck') return send(response, 500, { error: 'half of it was done' });
  send(response, 201, store.state(key));
}

function tooLate(response: ServerResponse): void {
  send(response, 409, { error: 'a later holder was here' });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function header(request: IncomingMessage, name: string): string {
  return String(request.headers[name] ?? '');
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}
