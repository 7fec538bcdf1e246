/** Something that runs beside us until it is stopped. */
interface Running {
  stop(): Promise<void>;
}

/**
 * Opens it, works with it, and stops it, also when somebody ends us meanwhile: what we started
 * would outlive us. What is under way then is left as it is; a second signal ends us at once.
 */
export async function untilEnded<Opened extends Running, Result>(
  open: () => Promise<Opened>,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  // While it is being opened nobody looks at it yet.
  ended.catch(() => undefined);
  const end = (signal: string): void => reject(new Error(`ended by ${signal}`));
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, end);
  const opened = await open();
  try {
    await Promise.race([ended, Promise.resolve()]);
    return await Promise.race([ended, work(opened)]);
  } finally {
    await opened.stop();
    for (const signal of signals) process.off(signal, end);
  }
}
