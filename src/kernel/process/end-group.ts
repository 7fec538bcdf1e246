/** Ends a process with all that it started; nothing happens if they have ended by themselves. */
export function endGroup(pid: number | undefined, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // They are gone.
  }
}
