import { spawn } from 'node:child_process';

/** Runs a shell command with a text on its standard input; ends it, and all that it started. */
export function runNoticeCommand(command: string, text: string, msMax: number): Promise<void> {
  // A group of its own: killing the shell alone would leave what it waits for.
  const child = spawn(command, {
    shell: true,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const timer = setTimeout(() => endGroup(child.pid), msMax);
  child.stdin.on('error', () => undefined).end(text);
  return new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => {
      if (status === 0) resolve();
      else reject(new Error(`the command ended with ${status ?? signal}`));
    });
  }).finally(() => clearTimeout(timer));
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
