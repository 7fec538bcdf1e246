import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '../kernel/index.ts';
import { KnownNames, type SystemNamesUpdate } from './otlp/index.ts';

/** Names as the daemon told them last, also for a process that is started again without it. */
export function readNames(directory: string): KnownNames {
  const names = new KnownNames();
  try {
    names.tell(JSON.parse(readFileSync(pathIn(directory), 'utf8')));
  } catch {
    // Nothing was told yet; rows say addresses until then.
  }
  return names;
}

export function storeNames(directory: string, names: KnownNames, told: SystemNamesUpdate): void {
  names.tell(told);
  writePrivateFile(pathIn(directory), `${JSON.stringify(told)}\n`, { flush: false });
}

function pathIn(directory: string): string {
  return join(directory, 'telemetry-names.json');
}
