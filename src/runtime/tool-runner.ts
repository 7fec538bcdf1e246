import { spawn } from 'node:child_process';
import { fillRunner, type RunTool, type ToolCall } from '../gate/index.ts';
import { fault, type Json, limits, parseStrictJson } from '../kernel/index.ts';

/** A function in this process that is a tool. */
export type ToolFunction = (call: ToolCall) => Promise<Json>;

/** Executes tools: functions of this process first, else as their contract says. */
export function createToolRunner(
  functions: ReadonlyMap<string, ToolFunction>,
  environment: NodeJS.ProcessEnv,
): RunTool {
  return async (call) => {
    const { tool, run } = call.contract;
    const own = functions.get(tool);
    if (own) return own(call);
    if (!run) throw fault('TOOL_NOT_RUNNABLE', { tool });
    const filled = fillRunner(tool, run, environment);
    return filled.kind === 'http' ? request(filled, call) : command(filled.command, call);
  };
}

interface HttpRunner {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Refusals are failures without an effect; everything else that is no success is in doubt. */
async function request(runner: HttpRunner, call: ToolCall): Promise<Json> {
  const { contract } = call;
  const { url, rest } = fillPath(runner.url, call.arguments);
  const hasBody = runner.method !== 'GET' && runner.method !== 'DELETE';
  const address = hasBody ? url : withQuery(url, rest);
  const response = await fetch(address, {
    method: runner.method,
    headers: { ...runner.headers, ...headersOf(call), ...(hasBody ? jsonType : {}) },
    ...(hasBody ? { body: JSON.stringify(rest) } : {}),
    signal: call.signal,
    redirect: 'error',
  });
  const text = await readText(response);
  if (response.ok) return text === '' ? null : parseStrictJson(text);
  const reason = `${response.status} ${text.slice(0, shownCharsMax)}`;
  if (response.status >= 400 && response.status < 500) {
    throw fault('TOOL_FAILED', { tool: contract.tool, reason }).with({
      code: `HTTP_${response.status}`,
    });
  }
  throw fault('TOOL_IN_DOUBT', { reason });
}

const jsonType = { 'content-type': 'application/json' };
const shownCharsMax = 300;

/**
 * The same key for every attempt, who asked, and the fence of each lock it writes under. Places
 * that several may have at once have no order among them: their numbers would refuse good calls.
 */
function headersOf({ key, proposal, leases }: ToolCall): Record<string, string> {
  const fences = leases
    .filter(({ resource }) => resource.startsWith('lock:'))
    .map(({ resource, fence }) => `${resource}=${fence}`)
    .join(', ');
  return {
    'surety-proposal': proposal,
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(fences === '' ? {} : { 'surety-fence': fences }),
  };
}

/** `{name}` in the path is an argument; the others are sent as query or body. */
function fillPath(template: string, given: ToolCall['arguments']) {
  const rest: Record<string, Json> = { ...given };
  const url = template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    if (!Object.hasOwn(given, name)) return whole;
    delete rest[name];
    return encodeURIComponent(String(given[name]));
  });
  return { url, rest };
}

function withQuery(url: string, given: Record<string, Json>): string {
  const address = new URL(url);
  for (const [name, value] of Object.entries(given)) {
    address.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return address.href;
}

/** Counted while it arrives: a tool that never stops answering must not fill the memory. */
async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > limits.toolResultBytesMax) {
      const reason = `its answer is larger than ${limits.toolResultBytesMax} bytes`;
      throw fault('TOOL_IN_DOUBT', { reason });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Arguments as JSON on standard input, the result as JSON on standard output. */
function command([program = '', ...options]: readonly string[], call: ToolCall): Promise<Json> {
  const { contract, signal } = call;
  const environment = {
    ...process.env,
    SURETY_PROPOSAL: call.proposal,
    SURETY_KEY: call.key ?? '',
  };
  const child = spawn(program, options, { env: environment, signal, stdio: 'pipe' });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.length > limits.toolResultBytesMax) child.kill('SIGKILL');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-shownCharsMax);
  });
  child.stdin.on('error', () => undefined).end(JSON.stringify(call.arguments));
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(commandFault(contract.tool, error, child.pid)));
    child.on('close', (status) => {
      if (status === 0) resolve(output.trim() === '' ? null : parseStrictJson(output));
      else if (status === null)
        reject(fault('TOOL_IN_DOUBT', { reason: 'it was ended by a signal' }));
      else reject(failed(contract.tool, status, errors));
    });
  });
}

/** By convention an exit code says that it refused; one that began and was cut off is in doubt. */
function failed(tool: string, status: number, errors: string): Error {
  const reason = `exit ${status}: ${errors.trim()}`;
  return fault('TOOL_FAILED', { tool, reason }).with({ code: `EXIT_${status}` });
}

function commandFault(tool: string, error: Error, pid: number | undefined): Error {
  if (pid === undefined) return fault('TOOL_FAILED', { tool, reason: error.message }, error);
  return fault('TOOL_IN_DOUBT', { reason: error.message }, error);
}
