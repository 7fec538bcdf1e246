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
  /** Lets the next version listen on the same port before this one has left it. */
  readonly reusePort?: boolean;
  /** What the service has in NODE_OPTIONS by itself. */
  readonly nodeOptions?: string;
}

/** The variables of a service that is to be tagged. */
export function tagEnvironment(tag: Tag): Record<string, string> {
  const { service, instance, router, listenPort, reusePort, nodeOptions = '' } = tag;
  return {
    SURETY_SERVICE: service,
    SURETY_INSTANCE: instance,
    SURETY_ROUTER: router,
    ...(listenPort === undefined ? {} : { SURETY_LISTEN_PORT: String(listenPort) }),
    ...(reusePort ? { SURETY_REUSE_PORT: '1' } : {}),
    // First, so that it is there before whatever the service itself preloads.
    NODE_OPTIONS: `--require ${quoted(preloadFile)} ${nodeOptions}`.trimEnd(),
  };
}

/** Node splits its options at blanks that are not between quotes. */
function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&')}"`;
}
