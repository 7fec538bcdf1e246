import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tryOr } from '../../kernel/index.ts';

/** Files and directories of this machine that addresses of data lead to. */
export function dataPaths(addresses: Readonly<Record<string, string>>): string[] {
  const paths = Object.values(addresses).map(pathOf);
  return paths.filter((path) => path !== undefined).filter(existsSync);
}

/** `file:///data/shop`, or a socket: `postgres:///shop?host=/run/postgresql`, `unix:/run/x.sock`. */
export function pathOf(address: string): string | undefined {
  const url = tryOr(() => new URL(address), undefined);
  if (url?.protocol === 'file:') return decodeURIComponent(url.pathname);
  const socket =
    url?.searchParams.get('host') ?? /^(?:redis\+)?unix:(?:\/\/)?(\/[^?]*)/.exec(address)?.[1];
  if (!socket?.startsWith('/')) return undefined;
  const isFile = socket.endsWith('.sock');
  const directory = isFile ? dirname(socket) : socket.replace(/(?<=.)\/+$/, '');
  if (!sharedDirectories.has(directory)) return directory;
  return isFile ? socket : join(directory, `.s.PGSQL.${portOf(url)}`);
}

/** Of these, only the socket is shown: sockets and files of everything else are there, too. */
const sharedDirectories: ReadonlySet<string> = new Set([
  '/',
  '/dev/shm',
  '/run',
  '/tmp',
  '/var/run',
  '/var/tmp',
]);

function portOf(url: URL | undefined): string {
  return url?.port || url?.searchParams.get('port') || '5432';
}
