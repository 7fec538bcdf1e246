import { isForPromoted } from '../../verify/index.ts';
import { loadConfig } from '../load-config.ts';
import type { WorkspacePlace } from '../place.ts';
import type { DoctorCheck } from './doctor-check.ts';

/** Whether a change that behaves well only in lanes would be noticed after its promotion. */
export function checkSuites(place: WorkspacePlace): Omit<DoctorCheck, 'name'> {
  const config = loadConfig(place);
  const suites = Object.values(config.suites);
  if (suites.length === 0) return { level: 'note', detail: 'none in surety.yaml' };
  const repeated = suites.filter((suite) => isForPromoted(suite, config));
  const detail = `${repeated.length} of ${suites.length} also run on a promoted version`;
  if (repeated.length > 0) return { level: 'ok', detail };
  return {
    level: 'warn',
    detail: `${detail}, so a change that behaves well only in lanes stays promoted`,
    remedy:
      'set `promoted: true` for a suite that may send requests to the baseline: docs/promotion.md',
  };
}
