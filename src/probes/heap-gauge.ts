import { type Attachment, attach } from './attachment.ts';
import { detach } from './detach.ts';
import { checkTarget } from './target.ts';

/** Tells what Node processes hold that is no garbage. */
export interface HeapGauge {
  /** In bytes, of all of them together; null when one does not answer any more. */
  read(): Promise<number | null>;
  /** Leaves the processes as they were found. */
  close(): Promise<void>;
}

/**
 * Of all Node processes among these; null if there is none that can be asked. Each reading has them
 * collect all garbage, which takes them some 10 ms: for copies that nobody else works with.
 */
export async function openHeapGauge(pids: readonly number[]): Promise<HeapGauge | null> {
  const tried = await Promise.allSettled(pids.map(async (pid) => attach(await checkTarget(pid))));
  const attached = tried.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (attached.length === 0) return null;
  return {
    async read() {
      const bytes = await Promise.all(attached.map(readHeap));
      return bytes.reduce(
        (sum: number | null, one) => (sum === null || one === null ? null : sum + one),
        0,
      );
    },
    async close() {
      await Promise.all(attached.map((one) => detach(one, false)));
    },
  };
}

/**
 * Twice: what only finalizers or a first collection let go of is gone after the second. What lies
 * outside of the heap, such as buffers, counts as well.
 */
const expression = `(() => {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--expose-gc');
  const collect = process.getBuiltinModule('node:vm').runInNewContext('gc');
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
})()`;

async function readHeap({ session }: Attachment): Promise<number | null> {
  try {
    const params = { expression, returnByValue: true, silent: true };
    const { result } = (await session.call('Runtime.evaluate', params)) as {
      readonly result?: { readonly value?: unknown };
    };
    return typeof result?.value === 'number' ? result.value : null;
  } catch {
    return null;
  }
}
