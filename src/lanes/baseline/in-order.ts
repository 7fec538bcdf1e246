/**
 * Works on all names concurrently, except that each waits for those that it follows. A failure
 * stops only those that wait for it; the first failure is thrown once all running work has ended.
 */
export async function inOrder(
  names: readonly string[],
  follows: (name: string) => readonly string[],
  work: (name: string) => Promise<void>,
): Promise<void> {
  const done = new Map<string, Promise<void>>();
  const begin = (name: string): Promise<void> => {
    const before = follows(name).filter((other) => names.includes(other));
    const begun = done.get(name) ?? Promise.all(before.map(begin)).then(() => work(name));
    done.set(name, begun);
    return begun;
  };
  const ends = await Promise.allSettled(names.map(begin));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}
