import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { agentToken, gatewayUrl } from './gateway-client.ts';
import { openGateway } from './gateway-workspace.ts';

const referenceServer = fileURLToPath(new URL('./reference/main.ts', import.meta.url));

/** The same server, once reached directly and once through the gateway. */
export interface ConformanceScene extends AsyncDisposable {
  readonly direct: string;
  readonly gateway: string;
}

export type Speaks = 'both' | 'older';

/** A server that the suite can reach itself, and how surety.yaml names it. */
export interface ConformanceServer {
  readonly direct: string;
  readonly upstream: object;
}

export type GatewayMode = 'enforce' | 'observe';

/** The reference server of this repository, in front of a gateway that enforces. */
export async function openConformance(speaks: Speaks): Promise<ConformanceScene> {
  const options = speaks === 'older' ? ['older'] : [];
  const child = spawn(process.execPath, [referenceServer, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const direct = `http://127.0.0.1:${line.toString().trim()}/mcp`;
  const scene = await openScene({ direct, upstream: { url: direct } }, 'enforce');
  return {
    ...scene,
    [Symbol.asyncDispose]: async () => {
      await scene[Symbol.asyncDispose]();
      child.kill('SIGKILL');
    },
  };
}

/** Any server, with a gateway before it. */
export async function openScene(
  { direct, upstream }: ConformanceServer,
  mode: GatewayMode,
): Promise<ConformanceScene> {
  const tools = mode === 'enforce' ? contracts() : {};
  const policy = { version: 1, mode, tools, agents: { ada: { tools: ['*'] } } };
  const workspace = await openGateway({ policy, servers: { reference: upstream } });
  const front = await openFront(gatewayUrl(workspace), agentToken(workspace, 'ada'));
  return {
    direct,
    gateway: `http://127.0.0.1:${(front.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      front.closeAllConnections();
      front.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

/** The suite knows no tokens: whoever comes here is the agent. Everything else stays as it is. */
async function openFront(url: string, token: string): Promise<Server> {
  const { port, pathname } = new URL(url);
  const front = createServer((incoming, outgoing) => {
    const { method = 'GET' } = incoming;
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const options = { host: '127.0.0.1', port, path: pathname, method, headers };
    const passed = request(options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return front;
}

const asked: readonly string[] = ['elicitation', 'sampling', 'list_roots', 'request_state'];
const rounds = ['tampered_state', 'multi_round', 'multiple_inputs', 'capabilities'];

/** Every tool that the suite calls has a contract: what is compared is a gateway that decides. */
function contracts(): Record<string, object> {
  const none = { type: 'object', properties: {} };
  const words = (name: string): object => ({
    type: 'object',
    required: [name],
    properties: { [name]: { type: 'string', maxLength: 200 } },
  });
  const plain = [
    ...['simple_text', 'image_content', 'audio_content', 'embedded_resource'],
    ...['multiple_content_types', 'error_handling', 'tool_with_logging', 'logging_tool'],
    ...['tool_with_progress', 'missing_capability', 'streaming_elicitation', 'reconnection'],
    ...['elicitation_sep1034_defaults', 'elicitation_sep1330_enums'],
    ...['trigger_tool_change', 'trigger_prompt_change'],
    ...['exact_numbers', 'introduction'],
    ...[...asked, ...rounds].map((name) => `input_required_result_${name}`),
  ].map((name) => [`test_${name}`, none] as const);
  const given = [
    ['test_sampling', words('prompt')],
    ['test_elicitation', words('message')],
    ['test_x_mcp_header', words('region')],
  ] as const;
  return Object.fromEntries(
    [...plain, ...given].map(([tool, schema]) => [
      tool,
      { effect: 'mutating', arguments: schema, governance: { timeout: '60s' } },
    ]),
  );
}
