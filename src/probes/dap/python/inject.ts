import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dapLimits } from '../limits.ts';
import { findFunctions } from './elf-symbols.ts';
import { Gdb, GdbTimeout } from './gdb.ts';

/**
 * Functions that Python enters before and after it waits, and for code that C calls. At their first
 * instruction no system call is interrupted, no lock is held, and no register but a parameter is in
 * use that a call may change.
 */
const safePoints = ['PyEval_RestoreThread', 'PyEval_SaveThread', '_PyEval_EvalFrameDefault'];
const called = ['PyMem_RawMalloc', 'Py_AddPendingCall', 'PyRun_SimpleString'];

export type Injection =
  | { readonly done: true }
  | { readonly done: false; readonly reason: string; readonly isIdle?: boolean };

const library = /\/(?:libpython[\d.]+\w*\.so[\d.]*|python[\d.]*\w*)$/;

/**
 * Makes the main thread run this code at its next safe place, as a pending call of Python's own.
 *
 * Debuggers usually call functions in a thread that they have interrupted anywhere. With gdb before
 * 14 on new processors such a call fails half-way, and the interrupted poll() returns an error that
 * ends many servers. This waits at a function's entry instead, and sets integer registers only.
 */
export async function injectPython(pid: number, code: string): Promise<Injection> {
  if (process.arch !== 'x64') return failed(`this needs an x86-64 processor, not ${process.arch}`);
  const functions = await findFunctions(pid, library, [...safePoints, ...called]);
  if (!functions) return failed('the functions of Python were not found in it');
  const folder = await mkdtemp(join(tmpdir(), 'surety-inject-'));
  try {
    const file = join(folder, 'code');
    await writeFile(file, `${code}\0`, { mode: 0o600 });
    const bytes = Buffer.byteLength(code) + 1;
    const entry = await readEntry(pid);
    return await injectFile({ pid, file, bytes, functions, entry });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface InjectionJob {
  readonly pid: number;
  readonly file: string;
  readonly bytes: number;
  readonly functions: ReadonlyMap<string, bigint>;
  /** Where the program began. No thread comes there again, so that a call may return to it. */
  readonly entry: string;
}

const stepMsMax = 5_000;
const entryKey = 9n;

/** AT_ENTRY of the auxiliary vector, in getauxval(3). */
async function readEntry(pid: number): Promise<string> {
  const vector = await readFile(`/proc/${pid}/auxv`);
  for (let at = 0; at + 16 <= vector.length; at += 16) {
    if (vector.readBigUInt64LE(at) === entryKey) return hex(vector.readBigUInt64LE(at + 8));
  }
  return hex(0n);
}

async function injectFile(job: InjectionJob): Promise<Injection> {
  const gdb = await Gdb.start();
  try {
    const attached = await gdb.run([`attach ${job.pid}`], dapLimits.dapAttachMsMax);
    const refusal = /ptrace: (.*?)\.?\n|(?:Could not|Unable to) attach[^\n]*/.exec(attached);
    if (refusal) return failed(refusal[1] ?? refusal[0]);
    return await injectAttached(gdb, job);
  } catch (error) {
    if (error instanceof GdbTimeout) return failed(error.message);
    throw error;
  } finally {
    await gdb.quit();
  }
}

async function injectAttached(gdb: Gdb, job: InjectionJob): Promise<Injection> {
  const thread = await waitAtSafePoint(gdb, job);
  if (thread === undefined) {
    await gdb.run(['interrupt -a', 'delete', 'detach'], stepMsMax);
    return { done: false, isIdle: true, reason: 'it ran no Python code meanwhile' };
  }
  await gdb.run([`thread ${thread}`, 'delete', ...saveRegisters], stepMsMax);
  try {
    return await addPendingCall(gdb, job, thread);
  } finally {
    // Stops the thread, if a call did not come back: it goes on where it was found in any case.
    const stop = ['interrupt -a', `thread ${thread}`, 'delete'];
    await gdb.run([...stop, ...restoreRegisters, 'detach'], stepMsMax);
  }
}

async function addPendingCall(gdb: Gdb, job: InjectionJob, thread: string): Promise<Injection> {
  const buffer = await callBy(gdb, job, thread, ['PyMem_RawMalloc', String(job.bytes)]);
  if (!buffer) return failed('Python gave no memory');
  await gdb.run([`restore ${job.file} binary ${buffer}`], stepMsMax);
  const run = address(job, 'PyRun_SimpleString');
  const added = await callBy(gdb, job, thread, ['Py_AddPendingCall', run, String(buffer)]);
  return added === 0 ? { done: true } : failed('Python took no pending call');
}

/** The number of a thread that stands at one of the entries; nothing if none came there in time. */
async function waitAtSafePoint(gdb: Gdb, job: InjectionJob): Promise<string | undefined> {
  const signals = ['handle all nostop noprint pass', 'handle SIGTRAP nostop noprint nopass'];
  const breakpoints = safePoints.map((name) => `break *${address(job, name)}`);
  const from = gdb.output.length;
  await gdb.run([...signals, ...breakpoints, 'continue -a &'], stepMsMax);
  try {
    const hit = /Thread (\d+)(?:\.\d+)?[^\n]* hit Breakpoint|\nBreakpoint \d+, /;
    const match = await gdb.waitFor(hit, dapLimits.dapSafePointMsMax, from);
    return match[1] ?? '1';
  } catch (error) {
    if (error instanceof GdbTimeout) return undefined;
    throw error;
  }
}

const registers = ['rdi', 'rsi', 'rdx', 'rcx', 'r8', 'r9', 'r10', 'r11', 'rax', 'rsp', 'rip'];
const saveRegisters = registers.map((name) => `set $saved_${name} = (unsigned long)$${name}`);
const restoreRegisters = registers.map((name) => `set $${name} = $saved_${name}`);

/** Calls a function by hand and gives its result. */
async function callBy(
  gdb: Gdb,
  job: InjectionJob,
  thread: string,
  [name, ...parameters]: readonly [string, ...string[]],
): Promise<number | undefined> {
  const from = gdb.output.length;
  const setUp = [
    // Below what the caller may use of the stack, and aligned as after a call instruction.
    'set $frame = (($saved_rsp - 512) & ~0xfUL) - 8',
    `set *(unsigned long*)$frame = ${job.entry}`,
    'set $rsp = $frame',
    ...parameters.map((value, index) => `set $${registers[index]} = ${value}`),
    `set $rip = ${address(job, name)}`,
  ];
  await gdb.run([...setUp, `break *${job.entry}`, 'continue &'], stepMsMax);
  await gdb.waitFor(/hit Breakpoint \d+|\nBreakpoint \d+, /, stepMsMax, from);
  await gdb.run([`thread ${thread}`, 'delete'], stepMsMax);
  const isBack = await readNumber(gdb, '(unsigned long)$rsp == $frame + 8');
  return isBack === 1 ? await readNumber(gdb, '$rax') : undefined;
}

async function readNumber(gdb: Gdb, expression: string): Promise<number | undefined> {
  const printed = await gdb.run([`printf "value=%ld\\n", (long)(${expression})`], stepMsMax);
  const number = /value=(-?\d+)/.exec(printed)?.[1];
  return number === undefined ? undefined : Number(number);
}

function address({ functions }: InjectionJob, name: string): string {
  return hex(functions.get(name) ?? 0n);
}

function hex(number: bigint): string {
  return `0x${number.toString(16)}`;
}

function failed(reason: string): Injection {
  return { done: false, reason };
}
