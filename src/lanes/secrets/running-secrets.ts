import { readFileSync } from 'node:fs';
import { rememberSecret, tryOr } from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';
import type { RunningInstance } from '../host/host.ts';

/**
 * After a restart the daemon no longer knows the secrets that running services were given. It reads
 * them again, so that they are redacted in what these services write.
 */
export function rememberRunningSecrets(
  { services, overlays }: Config,
  running: Iterable<RunningInstance>,
): void {
  const overlaid = Object.values(overlays);
  for (const { name, pid } of running) {
    for (const service of name.split('.').filter((part) => Object.hasOwn(services, part))) {
      const variables = [services[service], ...overlaid.map((one) => one.services[service])];
      const names = new Set(variables.flatMap((one) => Object.keys(one?.secrets ?? {})));
      for (const value of valuesOf(pid, names)) rememberSecret(value);
    }
  }
}

function valuesOf(pid: number, names: ReadonlySet<string>): string[] {
  if (names.size === 0) return [];
  return environmentOf(pid).flatMap((variable) => {
    const equals = variable.indexOf('=');
    const value = variable.slice(equals + 1);
    return names.has(variable.slice(0, equals)) && value !== '' ? [value] : [];
  });
}

function environmentOf(pid: number): string[] {
  // It has just ended, or there is no /proc.
  return tryOr(() => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0'), []);
}
