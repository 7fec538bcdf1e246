import { execFile } from 'node:child_process';
import { fault } from '../../../kernel/index.ts';
import { type DebugTarget, refusal } from '../debug-target.ts';
import { dapLimits } from '../limits.ts';
import {
  type AdapterProcess,
  connectStream,
  startAdapter,
  streamOfProcess,
} from '../wire/adapter-process.ts';
import { DapClient } from '../wire/client.ts';
import { findDebugpy, listenAddressOf } from './debugpy.ts';
import { type Injection, injectPython } from './inject.ts';

/** A session with debugpy in a process. */
export interface DebugpySession {
  readonly client: DapClient;
  /** Absent if the process was started with debugpy: its adapter is its own child. */
  readonly adapter?: AdapterProcess;
}

/** justMyCode would leave out breakpoints in installed packages. */
const attachOptions = { justMyCode: false, redirectOutput: false, subProcess: false };

export async function connectDebugpy(target: DebugTarget): Promise<DebugpySession> {
  const address = listenAddressOf(target.command);
  if (!address) return injectDebugpy(target);
  const client = new DapClient(await connectStream(address.host, address.port));
  try {
    await initialize(client);
    const attached = client.request('attach', attachOptions);
    await configure(client, attached);
    return { client };
  } catch (error) {
    client.close();
    throw error;
  }
}

async function injectDebugpy(target: DebugTarget): Promise<DebugpySession> {
  const { python, folder } = await findDebugpy(target);
  await checkGdb();
  const adapter = await startAdapter(python, ['-m', 'debugpy.adapter']);
  const client = new DapClient(streamOfProcess(adapter));
  try {
    await initialize(client);
    const waiting = client.next('debugpyWaitingForServer', dapLimits.dapAnswerMsMax);
    const listen = { host: '127.0.0.1', port: 0 };
    const timeoutMs = dapLimits.dapAttachMsMax + dapLimits.dapSafePointMsMax;
    const attached = client.request('attach', { ...attachOptions, listen }, { timeoutMs });
    attached.catch(() => {});
    const { port } = await waiting;
    const ready = client.next('initialized', timeoutMs);
    ready.catch(() => {});
    checkInjection(target, await injectPython(target.pid, connectCode(folder, Number(port))));
    await ready;
    await client.request('configurationDone');
    await attached;
    return { client, adapter };
  } catch (error) {
    client.close();
    adapter.child.kill('SIGKILL');
    throw error;
  }
}

async function initialize(client: DapClient): Promise<void> {
  await client.request('initialize', {
    adapterID: 'surety',
    clientID: 'surety',
    linesStartAt1: true,
    columnsStartAt1: true,
    pathFormat: 'path',
  });
}

async function configure(client: DapClient, attached: Promise<unknown>): Promise<void> {
  const ready = client.next('initialized', dapLimits.dapAttachMsMax);
  // A refusal comes in place of the event.
  await Promise.race([ready, attached]);
  await client.request('configurationDone');
  await attached;
}

/**
 * Runs in the process, in a thread of its own: importing the debugger takes a while. A debugger
 * that somebody else brought is left alone. One of ours may still be leaving, on another thread: a
 * connection that begins before it is gone would end with it.
 */
function connectCode(folder: string, port: number): string {
  const code = `
import sys, threading
def connect():
    import os, time
    name = 'PYDEVD_DISABLE_FILE_VALIDATION'
    had = name in os.environ
    os.environ.setdefault(name, '1')
    others = 'pydevd' in sys.modules
    sys.path.insert(0, ${JSON.stringify(folder)})
    try:
        import debugpy
        import debugpy.server
        import pydevd
    finally:
        sys.path.remove(${JSON.stringify(folder)})
        if not had:
            os.environ.pop(name, None)
    old = pydevd.get_global_debugger()
    if old is not None:
        if others and not hasattr(debugpy, '_surety'):
            return
        old.dispose_and_kill_all_pydevd_threads(wait=True, timeout=2)
        for _ in range(100):
            if pydevd.get_global_debugger() is not old:
                break
            time.sleep(0.05)
    debugpy._surety = True
    debugpy.connect(('127.0.0.1', ${port}))
def start():
    try:
        connect()
    except BaseException:
        pass
threading.Thread(target=start, name='surety-probe', daemon=True).start()
`;
  // In a namespace of its own, so that no name appears in the program's.
  return `exec(bytes.fromhex('${Buffer.from(code).toString('hex')}').decode(), {})`;
}

function checkInjection({ pid, program }: DebugTarget, injection: Injection): void {
  if (injection.done) return;
  const { reason, isIdle } = injection;
  if (isIdle) throw refusal(pid, program, reason, 'Send it a request while the probe is placed.');
  const isForbidden = /not permitted|denied/i.test(reason);
  const rights =
    'Debugging another process needs the right to: run as root, or set kernel.yama.ptrace_scope=0, or start the container with --cap-add=SYS_PTRACE.';
  const alternative =
    'Or start the program with: python -m debugpy --listen 127.0.0.1:5678 program.py';
  const remedy = isForbidden ? `${rights} ${alternative}` : alternative;
  throw refusal(pid, program, `a debugger cannot be loaded: ${reason}`, remedy);
}

async function checkGdb(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  execFile('gdb', ['--nx', '--version'], (error) => resolve(error === null));
  if (await promise) return;
  throw fault('PROBE_DEBUGGER_MISSING', {
    debugger: 'gdb',
    language: 'a Python process that was not started with debugpy',
    remedy:
      'Install gdb with the package manager, or start the program with: python -m debugpy --listen 127.0.0.1:5678 program.py',
  });
}
