/**
 * How Node runs the daemon. Left alone, V8 lets the space for new objects grow to 128 MiB and then
 * collects it with several threads: all calls wait while two busy cores take turns, 8 ms every 300
 * calls. A small space that one thread collects makes them wait half a millisecond, for less CPU.
 */
export const daemonOptions: readonly string[] = [
  '--max-semi-space-size=8',
  '--no-parallel-scavenge',
];
