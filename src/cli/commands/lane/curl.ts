import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, OperationResponse } from '../../../http/index.ts';
import { fault } from '../../../kernel/index.ts';
import { exitCodes, type Invocation, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async (invocation) => {
  const { place, output } = invocation;
  const [lane = '', path = '/'] = invocation.words;
  const request = requestOf(lane, invocation.options);
  checkPath(path);
  const client = connectDaemon(place);
  const { address } = await client.call('GET /v1/lanes/{lane}', { path: { lane } });
  const response = await fetch(`${address}${path}`, request).catch((error: Error) => {
    const { message: reason } = error.cause instanceof Error ? error.cause : error;
    throw fault('ROUTER_UNREACHABLE', { reason }, error);
  });
  const body = await response.text();
  const headers = Object.fromEntries(response.headers);
  const reach = await reachOf(client, lane, request.headers['x-request-id'] ?? '');
  output.value({ status: response.status, headers, body, reach });
  output.line(output.tone('dim', `HTTP ${response.status}`));
  output.line(output.tone(reach.proven ? 'dim' : 'warn', formatReach(reach)));
  output.line(body);
  return response.status < 400 ? exitCodes.ok : exitCodes.bad;
};

type RequestReach = OperationResponse<'GET /v1/lanes/{lane}/reach'>['reach'];

const looksMax = 40;
const lookEveryMs = 25;

/** What became of this very request, which the router records a little after its answer. */
async function reachOf(client: Client, lane: string, id: string): Promise<RequestReach> {
  for (let look = 1; ; look++) {
    const input = { path: { lane }, query: { request: id } };
    const { reach } = await client.call('GET /v1/lanes/{lane}/reach', input);
    if (reach.hops > 0 || look === looksMax) return reach;
    await delay(lookEveryMs);
  }
}

function formatReach({ proven, reason, candidates }: RequestReach): string {
  const served = candidates.filter((one) => one.served > 0).map(({ service }) => service);
  if (proven) return `This request reached the candidate: ${served.join(', ')}.`;
  return `This request did not reach every candidate: ${reason ?? 'nobody saw it'}.`;
}

/** A full address would send the lane's key to another host than the router. */
function checkPath(path: string): void {
  if (path.startsWith('/')) return;
  const reason = `a path begins with /, not "${path}"; the lane knows the host`;
  throw fault('USAGE', { reason, help: 'surety lane curl --help' });
}

function requestOf(
  lane: string,
  options: Invocation['options'],
): RequestInit & { readonly headers: Record<string, string> } {
  const data = options.data === undefined ? undefined : String(options.data);
  const json = data === undefined ? {} : { 'content-type': 'application/json' };
  const method = String(options.method ?? (data === undefined ? 'GET' : 'POST'));
  if (!/^[A-Za-z-]+$/.test(method) || (data !== undefined && /^(?:GET|HEAD)$/i.test(method))) {
    const reason = `--method ${method} cannot be sent${data === undefined ? '' : ' with a body'}`;
    throw fault('USAGE', { reason, help: 'surety lane curl --help' });
  }
  return {
    method,
    headers: {
      ...json,
      'x-request-id': randomUUID(),
      ...headerOf(options.header),
      baggage: `surety-lane=${lane}`,
      // Kept by services that hand on only a trace, also if the given header begins one.
      tracestate: `surety=${lane}`,
    },
    ...(data === undefined ? {} : { body: data }),
    // As curl does. The target may be the baseline, whose answer would look like that of the lane.
    redirect: 'manual',
  };
}

function headerOf(line: string | boolean | undefined): Record<string, string> {
  if (line === undefined) return {};
  const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(String(line)) ?? [];
  if (name !== undefined && value !== undefined) return { [name.toLowerCase()]: value };
  throw fault('USAGE', { reason: '--header takes "name: value"', help: 'surety lane curl --help' });
}
