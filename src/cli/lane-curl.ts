import { fault } from '../kernel/index.ts';
import { exitCodes, type Invocation, type Run } from './command.ts';
import { connectDaemon } from './daemon-client.ts';

export const run: Run = async (invocation) => {
  const { place, output } = invocation;
  const [lane = '', path = '/'] = invocation.arguments;
  const client = connectDaemon(place);
  const { address } = await client.call('GET /v1/lanes/{lane}/reach', { path: { lane } });
  const response = await fetch(new URL(path, address), requestOf(lane, invocation.options));
  const body = await response.text();
  const headers = Object.fromEntries(response.headers);
  output.value({ status: response.status, headers, body });
  output.line(output.tone('dim', `HTTP ${response.status}`));
  output.line(body);
  return response.ok ? exitCodes.ok : exitCodes.bad;
};

function requestOf(lane: string, options: Invocation['options']): RequestInit {
  const data = options.data === undefined ? undefined : String(options.data);
  const json = data === undefined ? {} : { 'content-type': 'application/json' };
  return {
    method: String(options.method ?? (data === undefined ? 'GET' : 'POST')),
    headers: { ...json, ...headerOf(options.header), baggage: `surety-lane=${lane}` },
    ...(data === undefined ? {} : { body: data }),
  };
}

function headerOf(line: string | boolean | undefined): Record<string, string> {
  if (line === undefined) return {};
  const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(String(line)) ?? [];
  if (name !== undefined && value !== undefined) return { [name]: value };
  throw fault('USAGE', { reason: '--header takes "name: value"', help: 'surety lane curl --help' });
}
