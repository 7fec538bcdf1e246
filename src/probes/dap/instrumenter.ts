import type { Clock } from '../../kernel/index.ts';
import type { AttachedProcess, Instrumenter } from '../port.ts';
import { descendantsOf } from '../target/process-tree.ts';
import { checkPlatform } from '../target/target.ts';
import {
  checkDebugTarget,
  countThreads,
  type DebugTarget,
  programOf,
  refusal,
} from './debug-target.ts';
import { failureFault } from './failure.ts';
import { connectDelve } from './go/connect.ts';
import { readGoBinary } from './go/go-binary.ts';
import { GoProcess } from './go/go-process.ts';
import { connectDebugpy } from './python/connect.ts';
import { PythonProcess } from './python/python-process.ts';

const pythonPrograms = /^python[\d.]*\w?$/;

type Runtime = 'Python' | 'Go' | 'Java';

/** Looks into processes of other languages with their debuggers: debugpy and delve. */
export function createDapInstrumenter(clock: Clock): Instrumenter {
  return {
    tier: 'development',
    async find(pid) {
      const all = [pid, ...(await descendantsOf(pid))];
      const runtimes = await Promise.all(all.map(runtimeOf));
      return all.filter((_, index) => runtimes[index] !== undefined);
    },
    async attach(pid) {
      checkPlatform(process.platform);
      const target = await checkDebugTarget(pid);
      const runtime = await runtimeOf(pid);
      if (runtime === 'Python') return attachPython(target);
      if (runtime === 'Go') return attachGo(target, clock);
      if (runtime === 'Java') throw javaRefusal(target);
      const reason = 'it is no Python or Go program';
      throw refusal(pid, target.program, reason, 'Name the process of the program itself.');
    },
  };
}

async function runtimeOf(pid: number): Promise<Runtime | undefined> {
  const program = await programOf(pid);
  if (pythonPrograms.test(program)) return 'Python';
  if (program === 'java') return 'Java';
  if (program === '') return undefined;
  return (await readGoBinary(`/proc/${pid}/exe`))?.isGo ? 'Go' : undefined;
}

async function attachPython(target: DebugTarget): Promise<AttachedProcess> {
  const threadsBefore = await countThreads(target.pid);
  try {
    const session = await connectDebugpy(target);
    return await PythonProcess.open(target, session, threadsBefore);
  } catch (error) {
    throw await failureFault(error, { target, debugger: 'debugpy' });
  }
}

async function attachGo(target: DebugTarget, clock: Clock): Promise<AttachedProcess> {
  try {
    return new GoProcess(target, await connectDelve(target), clock);
  } catch (error) {
    throw await failureFault(error, { target, debugger: 'delve' });
  }
}

/** Java's debug interface, JDWP, can only be opened when a JVM starts. */
function javaRefusal({ pid, program }: DebugTarget): Error {
  const reason = 'a running JVM cannot be debugged unless JDWP was enabled when it started';
  const remedy =
    'Use what a JVM offers late: jcmd PID Thread.print, jcmd PID JFR.start duration=30s. Or start it with the OpenTelemetry Java agent and read its spans: surety query';
  return refusal(pid, program, reason, remedy);
}
