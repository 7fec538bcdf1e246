import type { DaemonGateOptions } from './daemon-gate.ts';
import type { EmbeddedGateOptions, GuardedGate } from './gate-options.ts';
import type { EmbeddedGate } from './own-gate.ts';

/**
 * A gate for the functions of this program: with its own directory, or as a client of a daemon.
 * Each kind is loaded when it is used; a client needs neither a database nor a policy.
 */
export function openGate(options: EmbeddedGateOptions): Promise<EmbeddedGate>;
export function openGate(options: DaemonGateOptions): Promise<GuardedGate>;
export async function openGate(
  options: EmbeddedGateOptions | DaemonGateOptions,
): Promise<EmbeddedGate | GuardedGate> {
  if ('directory' in options) {
    const { openOwnGate } = await import('./own-gate.ts');
    return openOwnGate(options);
  }
  const { openDaemonGate } = await import('./daemon-gate.ts');
  return openDaemonGate(options);
}
