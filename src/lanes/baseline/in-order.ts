/**
 * Works on all of them at once, except that each waits for those it is to follow. What fails stops
 * only those that wait for it; the first failure is told when nothing is under way any more.
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
