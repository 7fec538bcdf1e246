import { fault } from '../../kernel/index.ts';
import type { ChangeFacts } from '../../lanes/index.ts';
import { type Config, isWithin, type SuiteConfig } from '../../system/index.ts';
import type { Profile } from '../api-schema.ts';

type NamedSuite = readonly [string, SuiteConfig];

/** What decides which suites are run for a change. */
interface SuiteRequest {
  /** If given, these suites and no others. */
  readonly wanted: readonly string[] | undefined;
  readonly profile: Profile;
  readonly change: ChangeFacts;
}

type Choices = Pick<Config, 'suites' | 'verifyInFull'>;

interface SuiteChoice {
  readonly suites: readonly NamedSuite[];
  /** What was left out, in words. */
  readonly remarks: readonly string[];
}

export function namedSuites(
  { suites }: Pick<Config, 'suites'>,
  wanted: readonly string[] | undefined,
): NamedSuite[] {
  return Object.entries(suites).filter(([name]) => wanted?.includes(name) ?? true);
}

/** Whether the choice depends on the change. */
export function dependsOnChange({ suites, verifyInFull }: Choices): boolean {
  return verifyInFull.length > 0 || Object.values(suites).some(({ when }) => when !== undefined);
}

/** At least the profile of surety.yaml: a change can't ask for less. */
export function profileFor(
  { verifyInFull }: Pick<Choices, 'verifyInFull'>,
  change: ChangeFacts,
  wanted: Profile | undefined,
): Profile {
  return verifyInFull.some((meant) => isOneOf(meant, change)) ? 'full' : (wanted ?? 'quick');
}

/** Pure. If no suite is meant for a change, all are run: no change passes unchecked. */
export function chooseSuites(config: Pick<Config, 'suites'>, request: SuiteRequest): SuiteChoice {
  const all = namedSuites(config, request.wanted);
  if (request.wanted) return { suites: all, remarks: [] };
  const suites = all.filter(([, { when }]) => isMeant(when, request));
  if (suites.length === 0 && all.length > 0) {
    return { suites: all, remarks: ['no suite is meant for this change, so all were run'] };
  }
  const left = all.filter((one) => !suites.includes(one)).map(([name]) => name);
  if (left.length === 0) return { suites, remarks: [] };
  return {
    suites,
    remarks: [`left out, because not meant for this change: ${left.join(', ')}`],
  };
}

function isMeant(when: SuiteConfig['when'], { profile, change }: SuiteRequest): boolean {
  return (
    when === undefined || (isOneOf(when, change) && (when.profiles?.includes(profile) ?? true))
  );
}

/** Every condition that is given has to match, each by any of its entries. */
function isOneOf(
  { paths, services, kinds }: Config['verifyInFull'][number],
  change: ChangeFacts,
): boolean {
  const touches = (path: string): boolean => change.files.some((file) => isWithin(file, path));
  return (
    (paths?.some(touches) ?? true) &&
    (services?.some((service) => change.services.includes(service)) ?? true) &&
    (kinds?.some((kind) => change.kinds.includes(kind)) ?? true)
  );
}

export function checkSuites({ suites }: Pick<Config, 'suites'>, wanted: readonly string[]): void {
  const known = Object.keys(suites);
  const unknown = wanted.find((suite) => !known.includes(suite));
  if (unknown === undefined) return;
  throw fault('SUITE_UNKNOWN', { suite: unknown, known: known.join(', ') || 'none' });
}
