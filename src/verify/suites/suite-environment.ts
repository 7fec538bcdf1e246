import type { SuiteConfig } from '../../system/index.ts';
import { foundBy } from './suite-module-path.ts';

export interface SuiteTarget {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Where the system's files are: the suites of this version are run. */
  readonly root: string;
  /** The lane that it looks at, which is also its key. */
  readonly lane?: string;
  /** Where the lane's data is, by the variables that services are told it by. */
  readonly stores?: (names: readonly string[]) => Readonly<Record<string, string>>;
  /** Variables of our own environment that are secrets of services: tests are written by agents. */
  readonly withheld?: readonly string[];
  /** Ends it when it aborts. */
  readonly signal?: AbortSignal;
  /** Opens what reads the logs of the lane's services; `address` is for the suite alone. */
  readonly openLogs?: () => Promise<{ readonly address: string; close(): Promise<void> }>;
}

interface Given {
  readonly suite: string;
  /** A directory for files in which it says what it saw. */
  readonly reports: string;
  readonly logs: string | undefined;
}

/** All that a suite is told, in whatever language it is. */
export function suiteEnvironment(
  config: SuiteConfig,
  { baseUrl, headers, lane, stores, withheld = [] }: SuiteTarget,
  { suite, reports, logs }: Given,
): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !withheld.includes(name));
  const chosen: Record<string, string | undefined> = {
    ...Object.fromEntries(inherited),
    ...config.environment,
  };
  return {
    ...chosen,
    ...stores?.(config.stores ?? []),
    ...foundBy(chosen),
    // Of the version that is looked at there is one copy for all suites: it stays as it is.
    PYTHONDONTWRITEBYTECODE: '1',
    BASE_URL: baseUrl,
    HEADERS: JSON.stringify(headers),
    SURETY_SUITE: suite,
    SURETY_REPORTS: reports,
    ...(lane === undefined ? {} : { SURETY_LANE: lane }),
    ...(logs === undefined ? {} : { SURETY_LOGS: logs }),
  };
}
