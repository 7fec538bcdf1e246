import { fileURLToPath } from 'node:url';

/**
 * The file that Node loads into a service. It is next to this file, in the sources and in the
 * build.
 */
export const preloadFile: string = fileURLToPath(new URL('tag.cjs', import.meta.url));

export interface Tag {
  readonly service: string;
  /** Which run of which version: `pricing/baseline/…`, `pricing/lane_…/…`. */
  readonly instance: string;
  /** `127.0.0.1:port` */
  readonly router: string;
  /** Where the service listens instead of its own port. */
  readonly listenPort?: number;
  /** The service's port in surety.yaml, which says which of its servers to move. */
  readonly ownPort?: number;
  /** Lets the next version listen on the same port before this one has left it. */
  readonly reusePort?: boolean;
  /** The service's own NODE_OPTIONS. */
  readonly nodeOptions?: string;
  /** A header that may carry the key in addition to the standard ones. */
  readonly header?: string;
  /** 32 bytes in hex that verify the signature in trace ids. */
  readonly traceSecret?: string;
  /** Where hard-coded host names lead: `pricing:80` or `pricing:*` to `host:port`. */
  readonly hosts?: Readonly<Record<string, string>>;
  /** The key of the candidate's lane, for applications that want to know it. */
  readonly lane?: string;
  /** `127.0.0.1:port` of the receiver of reports; without it, nothing is reported. */
  readonly telemetry?: string;
}

/** The environment variables of a tagged service. */
export function tagEnvironment(tag: Tag): Record<string, string> {
  const { service, instance, router, reusePort, nodeOptions = '' } = tag;
  return {
    SURETY_SERVICE: service,
    SURETY_INSTANCE: instance,
    SURETY_ROUTER: router,
    ...given('SURETY_LISTEN_PORT', tag.listenPort),
    ...given('SURETY_OWN_PORT', tag.ownPort),
    ...given('SURETY_HEADER', tag.header),
    ...given('SURETY_TRACE_SECRET', tag.traceSecret),
    ...given('SURETY_HOSTS', tag.hosts && hostList(tag.hosts)),
    ...given('SURETY_LANE', tag.lane),
    ...given('SURETY_TELEMETRY', tag.telemetry),
    ...(reusePort ? { SURETY_REUSE_PORT: '1' } : {}),
    // First, so that it is loaded before the service's own preloads.
    NODE_OPTIONS: `--require ${quoted(preloadFile)} ${nodeOptions}`.trimEnd(),
  };
}

/**
 * The variables by which Python programs load what records coverage (by SURETY_COVERAGE) and moves
 * a built-in port (by SURETY_OWN_PORT and SURETY_LISTEN_PORT).
 */
export function pythonVariables(
  service: string,
  { SURETY_COVERAGE, PYTHONPATH = '' }: Readonly<Record<string, string>>,
  { isMoved }: { readonly isMoved: boolean },
): Record<string, string> {
  if (SURETY_COVERAGE === undefined && !isMoved) return {};
  const path = PYTHONPATH === '' ? pythonDirectory : `${pythonDirectory}:${PYTHONPATH}`;
  return { SURETY_SERVICE: service, PYTHONPATH: path };
}

const pythonDirectory = fileURLToPath(new URL('line-coverage/python', import.meta.url));

function given(name: string, value: string | number | undefined): Record<string, string> {
  return value === undefined || value === '' ? {} : { [name]: String(value) };
}

function hostList(hosts: Readonly<Record<string, string>>): string {
  return Object.entries(hosts)
    .map(([name, address]) => `${name}=${address}`)
    .join(',');
}

/** Node splits its options at blanks that are not between quotes. */
function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&')}"`;
}
