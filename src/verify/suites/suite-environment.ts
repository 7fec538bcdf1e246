import type { Confinement } from '../../confinement/index.ts';
import type { VersionTree } from '../../lanes/index.ts';
import type { SuiteConfig } from '../../system/index.ts';
import type { SecretServer } from './secret-server.ts';
import { foundBy } from './suite-module-path.ts';

export interface SuiteTarget {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The files of the version whose suites are run. */
  readonly tree: VersionTree;
  readonly confinement: Confinement;
  /** The lane under test, which is also the key. */
  readonly lane?: string;
  /** Addresses of the lane's data, by the variables that services get them in. */
  readonly stores?: (names: readonly string[]) => Readonly<Record<string, string>>;
  /** Our environment variables that are secrets of services: agents write tests. */
  readonly withheld?: readonly string[];
  /** Ends it when it aborts. */
  readonly signal?: AbortSignal;
  /** Opens a reader of the lane's logs; only the suite gets its `address`. */
  readonly openLogs?: () => Promise<SecretServer>;
  /** Opens captures inside the lane's candidates, likewise. */
  readonly openCaptures?: (suite: string) => Promise<SecretServer>;
}

interface SuiteInputs {
  readonly suite: string;
  /** A directory for its report files. */
  readonly reports: string;
  readonly logs: string | undefined;
  readonly captures: string | undefined;
}

/** The environment of a suite, the same for every language. */
export function suiteEnvironment(
  config: SuiteConfig,
  { baseUrl, headers, lane, stores, confinement, withheld = [] }: SuiteTarget,
  { suite, reports, logs, captures }: SuiteInputs,
): Record<string, string | undefined> {
  const inherited = Object.entries(confinement.inherited()).filter(
    ([name]) => !withheld.includes(name),
  );
  const chosen: Record<string, string | undefined> = {
    ...Object.fromEntries(inherited),
    ...config.environment,
  };
  return {
    ...chosen,
    ...stores?.(config.stores ?? []),
    ...foundBy(chosen),
    // All suites share one copy of the files, which must not change.
    PYTHONDONTWRITEBYTECODE: '1',
    BASE_URL: baseUrl,
    HEADERS: JSON.stringify(headers),
    SURETY_SUITE: suite,
    SURETY_REPORTS: reports,
    ...(lane === undefined ? {} : { SURETY_LANE: lane }),
    ...(logs === undefined ? {} : { SURETY_LOGS: logs }),
    ...(captures === undefined ? {} : { SURETY_CAPTURES: captures }),
  };
}
