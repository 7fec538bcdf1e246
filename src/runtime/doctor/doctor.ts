import { toFault } from '../../kernel/index.ts';
import type { WorkspacePlace } from '../place.ts';
import type { DoctorCheck } from './doctor-check.ts';
import {
  checkDisk,
  checkKernel,
  checkNode,
  checkPlatform,
  checkPrograms,
} from './doctor-machine.ts';
import { checkTelemetry } from './doctor-telemetry.ts';
import {
  checkConfig,
  checkLedger,
  checkLeftovers,
  checkPolicy,
  checkPort,
  checkProcesses,
  checkSecrets,
} from './doctor-workspace.ts';

export type { DoctorCheck };

export type Examine = (
  place: WorkspacePlace,
) => Promise<Omit<DoctorCheck, 'name'>> | Omit<DoctorCheck, 'name'>;

const examinations: Readonly<Record<string, Examine>> = {
  node: checkNode,
  platform: checkPlatform,
  kernel: checkKernel,
  disk: checkDisk,
  postgres: (place) => checkPrograms(place, 'PostgreSQL server', ['initdb'], postgresHint),
  chromium: (place) => checkPrograms(place, 'Chromium', chromiumNames, chromiumHint),
  config: checkConfig,
  policy: checkPolicy,
  secrets: checkSecrets,
  ledger: checkLedger,
  processes: checkProcesses,
  port: checkPort,
  telemetry: checkTelemetry,
  leftovers: checkLeftovers,
};

const chromiumNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const postgresHint = 'apt-get install postgresql (only if you want the ledger in a local Postgres)';
const chromiumHint = 'apt-get install chromium (only for checks in a browser)';

/** Every examination gives an answer; one that breaks is itself bad news. */
export async function checkAll(
  place: WorkspacePlace,
  onStart: (name: string) => void,
): Promise<DoctorCheck[]> {
  const checks: DoctorCheck[] = [];
  for (const [name, examine] of Object.entries(examinations)) {
    onStart(name);
    checks.push({ name, ...(await attempt(() => examine(place))) });
  }
  return checks;
}

async function attempt(examine: () => ReturnType<Examine>): Promise<Omit<DoctorCheck, 'name'>> {
  try {
    return await examine();
  } catch (error) {
    const { message, remedy } = toFault(error);
    return { level: 'bad', detail: message, remedy };
  }
}
