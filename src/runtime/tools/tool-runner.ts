import { spawn } from 'node:child_process';
import { fillRunner, type RunTool, type ToolCall } from '../../gate/index.ts';
import { fault, type Json, parseStrictJson } from '../../kernel/index.ts';
import { runtimeLimits } from '../limits.ts';
import { callOverHttp } from './http-call.ts';
import { addressOf } from './tool-address.ts';

/** A function in this process that is a tool. */
export type ToolFunction = (call: ToolCall) => Promise<Json>;

export type ToolFunctions = Pick<ReadonlyMap<string, ToolFunction>, 'get'>;

/** Executes tools: functions of this process first, others as their contract says. */
export function createToolRunner(
  functions: ToolFunctions,
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

/** A refusal is a failure without an effect; any other error leaves the outcome unknown. */
async function request(runner: HttpRunner, call: ToolCall): Promise<Json> {
  const { contract } = call;
  const { url, rest } = addressOf(call, runner.url);
  const hasBody = runner.method !== 'GET' && runner.method !== 'DELETE';
  const address = hasBody ? url : withQuery(url, rest);
  const { status, text } = await callOverHttp(address, {
    method: runner.method,
    headers: { ...runner.headers, ...headersOf(call), ...(hasBody ? jsonType : {}) },
    ...(hasBody ? { body: JSON.stringify(rest) } : {}),
    signal: call.signal,
  });
  if (status >= 200 && status < 300) return readAnswer(text);
  const reason = `${status} ${text.slice(0, shownCharsMax)}`;
  if (isRefusal(status)) {
    throw fault('TOOL_FAILED', { tool: contract.tool, reason }).with({
      code: `HTTP_${status}`,
    });
  }
  throw fault('TOOL_IN_DOUBT', { reason });
}

/** A server that was too slow or is not sure may have begun. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 425;
}

/** The server has done its work, but its result cannot be read. */
function readAnswer(text: string): Json {
  if (text.trim() === '') return null;
  try {
    return parseStrictJson(text);
  } catch (error) {
    const reason = `its answer cannot be kept: ${(error as Error).message}`;
    throw fault('TOOL_IN_DOUBT', { reason }, error);
  }
}

const jsonType = { 'content-type': 'application/json' };
const shownCharsMax = 300;

/**
 * The same key for every attempt, the proposal, and the fence of each lock. Slots that several
 * calls may hold at once have no order, so their numbers as fences would refuse valid calls.
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

function withQuery(url: string, given: Record<string, Json>): string {
  const address = new URL(url);
  for (const [name, value] of Object.entries(given)) {
    address.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return address.href;
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
    if (output.length > runtimeLimits.toolResultBytesMax) child.kill('SIGKILL');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-shownCharsMax);
  });
  child.stdin.on('error', () => undefined).end(JSON.stringify(call.arguments));
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(commandFault(contract.tool, error, child.pid)));
    child.on('close', (status) => {
      if (status === null) reject(fault('TOOL_IN_DOUBT', { reason: 'it was ended by a signal' }));
      else if (status !== 0) reject(failed(contract.tool, status, errors));
      // In its own promise, because an error thrown here would have no handler.
      else resolve(Promise.resolve(output).then(readAnswer));
    });
  });
}

/**
 * By convention an exit code means a refusal; a program that was killed leaves the outcome unknown.
 */
function failed(tool: string, status: number, errors: string): Error {
  const reason = `exit ${status}: ${errors.trim()}`;
  return fault('TOOL_FAILED', { tool, reason }).with({ code: `EXIT_${status}` });
}

function commandFault(tool: string, error: Error, pid: number | undefined): Error {
  if (pid === undefined) return fault('TOOL_FAILED', { tool, reason: error.message }, error);
  return fault('TOOL_IN_DOUBT', { reason: error.message }, error);
}
