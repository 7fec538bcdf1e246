import { sha256 } from '../../kernel/index.ts';

/** Set by the bridge: its client speaks over stdio, where there are no headers. */
export const bridgeHeader = 'surety-bridge';

/** Prefix of Surety's own tools; no upstream may take it. */
export const ownPrefix = 'surety.';

/** Surety's own tool, as it is listed; calls may also use the dot of earlier releases. */
export const approvalStatusName = 'surety_approval_status';

export function isOwnName(name: string): boolean {
  return name === approvalStatusName || name === `${ownPrefix}approval_status`;
}

/** The names of tools that model providers accept. */
const acceptedName = /^[A-Za-z0-9_-]{1,64}$/;
const listedPrefix = '__';

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

/**
 * The name under which tools are listed with several servers: `files__read_file` for
 * `files.read_file`, because model providers refuse dots. A single server's names are its own.
 */
export function listedName(outside: string, isOnly: boolean): string {
  if (isOnly) return outside;
  const listed = outside.replace('.', listedPrefix);
  if (acceptedName.test(listed)) return listed;
  const plain = listed.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 55);
  return `${plain}_${sha256(outside).slice(0, 8)}`;
}

/** The name behind a listed one, unless only a list of all names can tell. */
export function unlistedName(listed: string, servers: readonly string[]): string {
  const [server = '', ...rest] = listed.split(listedPrefix);
  const isPrefixed = servers.length > 1 && rest.length > 0 && servers.includes(server);
  return isPrefixed ? `${server}.${rest.join(listedPrefix)}` : listed;
}
