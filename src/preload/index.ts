import { fileURLToPath } from 'node:url';

/** What Node loads into a service. Beside this file, built or not. */
export const preloadFile: string = fileURLToPath(new URL('tag.cjs', import.meta.url));

export interface Tag {
  readonly service: string;
  /** Which run of which version: `pricing/baseline/…`, `pricing/lane_…/…`. */
  readonly instance: string;
  /** `127.0.0.1:port` */
  readonly router: string;
  /** Where the service listens instead of its own port. */
  readonly listenPort?: number;
  /** The port that it has in surety.yaml: which of its servers is to be moved. */
  readonly ownPort?: number;
  /** Lets the next version listen on the same port before this one has left it. */
  readonly reusePort?: boolean;
  /** What the service has in NODE_OPTIONS by itself. */
  readonly nodeOptions?: string;
  /** A header that may carry the key besides the standard ones. */
  readonly header?: string;
  /** 32 bytes in hex, by which the tags of trace ids are known to be real. */
  readonly traceSecret?: string;
  /** Where hard-coded names lead: of `pricing:80`, or of `pricing:*`, the `host:port`. */
  readonly hosts?: Readonly<Record<string, string>>;
  /** The key of the lane whose candidate this is, for applications that want to know. */
  readonly lane?: string;
  /** `127.0.0.1:port` of who takes reports; without it, nothing is reported. */
  readonly telemetry?: string;
}

/** The variables of a service that is to be tagged. */
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
    // First, so that it is there before whatever the service itself preloads.
    NODE_OPTIONS: `--require ${quoted(preloadFile)} ${nodeOptions}`.trimEnd(),
  };
}

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
