import { fault } from '../../../kernel/index.ts';
import { exitCodes, type Invocation, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async (invocation) => {
  const { place, output } = invocation;
  const [lane = '', path = '/'] = invocation.words;
  const request = requestOf(lane, invocation.options);
  checkPath(path);
  const client = connectDaemon(place);
  const { address } = await client.call('GET /v1/lanes/{lane}/reach', { path: { lane } });
  const response = await fetch(`${address}${path}`, request).catch((error: Error) => {
    const { message: reason } = error.cause instanceof Error ? error.cause : error;
    throw fault('ROUTER_UNREACHABLE', { reason }, error);
  });
  const body = await response.text();
  const headers = Object.fromEntries(response.headers);
  output.value({ status: response.status, headers, body });
  output.line(output.tone('dim', `HTTP ${response.status}`));
  output.line(body);
  return response.status < 400 ? exitCodes.ok : exitCodes.bad;
};

/** A full address would send the lane's key to another host than the router. */
function checkPath(path: string): void {
  if (path.startsWith('/')) return;
  const reason = `a path begins with /, not "${path}"; the lane knows the host`;
  throw fault('USAGE', { reason, help: 'surety lane curl --help' });
}

function requestOf(lane: string, options: Invocation['options']): RequestInit {
  const data = options.data === undefined ? undefined : String(options.data);
  const json = data === undefined ? {} : { 'content-type': 'application/json' };
  const method = String(options.method ?? (data === undefined ? 'GET' : 'POST'));
  if (!/^[A-Za-z-]+$/.test(method) || (data !== undefined && /^(?:GET|HEAD)$/i.test(method))) {
    const reason = `--method ${method} cannot be sent${data === undefined ? '' : ' with a body'}`;
    throw fault('USAGE', { reason, help: 'surety lane curl --help' });
  }
  return {
    method,
    headers: { ...json, ...headerOf(options.header), baggage: `surety-lane=${lane}` },
    ...(data === undefined ? {} : { body: data }),
    // As curl does. The target may be the baseline, whose answer would look like that of the lane.
    redirect: 'manual',
  };
}

function headerOf(line: string | boolean | undefined): Record<string, string> {
  if (line === undefined) return {};
  const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(String(line)) ?? [];
  if (name !== undefined && value !== undefined) return { [name]: value };
  throw fault('USAGE', { reason: '--header takes "name: value"', help: 'surety lane curl --help' });
}
