import type { ChangeFacts } from '../../lanes/index.ts';
import { type Config, isWithin, type SuiteConfig } from '../../system/index.ts';
import type { Profile } from '../pipeline/profile.ts';

export type NamedSuite = readonly [string, SuiteConfig];

/** What decides which suites are run for a change. */
export interface Occasion {
  /** Named by whoever asked; these and no others. */
  readonly wanted: readonly string[] | undefined;
  readonly profile: Profile;
  readonly change: ChangeFacts;
}

type Choices = Pick<Config, 'suites' | 'verifyInFull'>;

export interface Chosen {
  readonly suites: readonly NamedSuite[];
  /** What was left out, to be told. */
  readonly remarks: readonly string[];
}

export function namedSuites(
  { suites }: Pick<Config, 'suites'>,
  wanted: readonly string[] | undefined,
): NamedSuite[] {
  return Object.entries(suites).filter(([name]) => wanted?.includes(name) ?? true);
}

/** Whether it matters for the choice what the change is. */
export function dependsOnChange({ suites, verifyInFull }: Choices): boolean {
  return verifyInFull.length > 0 || Object.values(suites).some(({ when }) => when !== undefined);
}

/** At least what surety.yaml says: nobody chooses to be looked at less closely than that. */
export function profileFor(
  { verifyInFull }: Pick<Choices, 'verifyInFull'>,
  change: ChangeFacts,
  wanted: Profile | undefined,
): Profile {
  return verifyInFull.some((meant) => isOneOf(meant, change)) ? 'full' : (wanted ?? 'quick');
}

/** Pure. Where no suite is meant for a change, all are: nothing passes for want of a look. */
export function chooseSuites(config: Pick<Config, 'suites'>, occasion: Occasion): Chosen {
  const all = namedSuites(config, occasion.wanted);
  if (occasion.wanted) return { suites: all, remarks: [] };
  const suites = all.filter(([, { when }]) => isMeant(when, occasion));
  if (suites.length === 0 && all.length > 0) {
    return { suites: all, remarks: ['no suite is meant for this change: all were run'] };
  }
  const left = all.filter((one) => !suites.includes(one)).map(([name]) => name);
  if (left.length === 0) return { suites, remarks: [] };
  return {
    suites,
    remarks: [`suites not meant for this change were left out: ${left.join(', ')}`],
  };
}

function isMeant(when: SuiteConfig['when'], { profile, change }: Occasion): boolean {
  return (
    when === undefined || (isOneOf(when, change) && (when.profiles?.includes(profile) ?? true))
  );
}

/** All that is named has to hold, each by any of what it names. */
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
