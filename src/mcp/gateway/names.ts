/** Set by the bridge: its client speaks over stdio, where there are no headers. */
export const bridgeHeader = 'surety-bridge';

/** Prefix of Surety's own tools; no upstream may take it. */
export const ownPrefix = 'surety.';

/**
 * The name under which clients see something of an upstream. A name of a server has no dot, so that
 * two servers never make the same name; with one server nobody has to learn a new one.
 */
export function nameOutside(server: string, name: string, isOnly: boolean): string {
  return isOnly ? name : `${server}.${name}`;
}

/** The server and its own name for something; undefined if no server has such a prefix. */
export function nameInside(
  outside: string,
  servers: readonly string[],
): { readonly server: string; readonly name: string } | undefined {
  const [only] = servers;
  if (servers.length === 1 && only !== undefined) return { server: only, name: outside };
  const dot = outside.indexOf('.');
  const server = outside.slice(0, Math.max(dot, 0));
  return servers.includes(server) ? { server, name: outside.slice(dot + 1) } : undefined;
}
