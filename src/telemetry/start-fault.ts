import { type Fault, fault, toFault } from '../kernel/index.ts';
import { troubleOf } from './store/trouble.ts';

/** Why the process could not start; a full disk is not a bug to be reported. */
export function startFault(error: unknown, directory: string): Fault {
  return troubleOf(error) === 'disk-full'
    ? fault('TELEMETRY_DISK_FULL', { directory }, error)
    : toFault(error);
}
