import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fault } from '../../../kernel/index.ts';
import { type DebugTarget, refusal } from '../debug-target.ts';
import { dapLimits } from '../limits.ts';
import { type AdapterProcess, connectStream, startAdapter } from '../wire/adapter-process.ts';
import { DapClient, DapError } from '../wire/client.ts';
import { readGoBinary } from './go-binary.ts';

/** A session with delve, which has stopped the process and knows its files. */
export interface DelveSession {
  readonly client: DapClient;
  readonly adapter: AdapterProcess;
  readonly sources: readonly string[];
}

/** The process is stopped until `configurationDone`. */
export async function connectDelve(target: DebugTarget): Promise<DelveSession> {
  const { pid, program } = target;
  const binary = await readGoBinary(`/proc/${pid}/exe`);
  if (!binary?.hasDebugInfo) {
    const remedy = 'Build it without -ldflags=-s and -w: go build';
    throw refusal(pid, program, 'it was built without debug information', remedy);
  }
  const adapter = await startAdapter(await findDelve(), [
    'dap',
    '--listen=127.0.0.1:0',
    '--check-go-version=false',
  ]);
  try {
    const client = new DapClient(await connectStream('127.0.0.1', await readPort(adapter)));
    await attach(client, target);
    const sources = await listSources(client);
    await client.request('configurationDone');
    return { client, adapter, sources };
  } catch (error) {
    // Asked to end, delve lets go of the process first.
    adapter.child.kill('SIGTERM');
    throw error;
  }
}

async function attach(client: DapClient, { pid, program }: DebugTarget): Promise<void> {
  await client.request('initialize', {
    adapterID: 'surety',
    linesStartAt1: true,
    columnsStartAt1: true,
    pathFormat: 'path',
    supportsVariableType: true,
  });
  try {
    const options = { mode: 'local', processId: pid, stopOnEntry: false, stackTraceDepth: 20 };
    await client.request('attach', options, { timeoutMs: dapLimits.dapAttachMsMax });
  } catch (error) {
    const isRefused = error instanceof DapError && error.failure === 'refused';
    if (!isRefused || !/attach|permitted|ptrace/i.test(error.message)) throw error;
    const remedy =
      'Debugging another process needs the right to: run as root, or set kernel.yama.ptrace_scope=0, or start the container with --cap-add=SYS_PTRACE.';
    throw refusal(pid, program, `delve cannot attach: ${error.message}`, remedy);
  }
}

/** Only while it is stopped delve answers such a question. */
async function listSources(client: DapClient): Promise<readonly string[]> {
  const { result } = await client.request('evaluate', {
    expression: 'dlv sources',
    context: 'repl',
  });
  return String(result)
    .split('\n')
    .filter((line) => line.endsWith('.go'));
}

async function findDelve(): Promise<string> {
  const named = process.env.SURETY_DLV;
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    process.env.GOBIN ?? '',
    join(process.env.GOPATH ?? join(homedir(), 'go'), 'bin'),
  ];
  const candidates = named ? [named] : folders.filter(Boolean).map((one) => join(one, 'dlv'));
  for (const path of candidates) {
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  throw fault('PROBE_DEBUGGER_MISSING', {
    debugger: 'delve (dlv)',
    language: 'Go',
    remedy:
      'Install it: go install github.com/go-delve/delve/cmd/dlv@latest. Or set SURETY_DLV to its path.',
  });
}

async function readPort({ child, ended, errorText }: AdapterProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-1_000);
    const port = /listening at: \S*:(\d+)/.exec(text)?.[1];
    if (port) resolve(Number(port));
  });
  const late = `delve did not listen in ${dapLimits.dapAnswerMsMax} ms`;
  const timer = setTimeout(() => reject(new DapError('timeout', late)), dapLimits.dapAnswerMsMax);
  void ended.then(() => reject(new DapError('closed', `delve ended: ${errorText()}`)));
  return promise.finally(() => clearTimeout(timer));
}
