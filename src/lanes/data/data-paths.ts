import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { tryOr } from '../../kernel/index.ts';

/** Files and directories of this machine that addresses of data lead to. */
export function dataPaths(addresses: Readonly<Record<string, string>>): string[] {
  const paths = Object.values(addresses).map(pathOf);
  return paths.filter((path) => path !== undefined).filter(existsSync);
}

/** `file:///data/shop`, or a socket: `postgres:///shop?host=/run/postgresql`, `unix:/run/x.sock`. */
function pathOf(address: string): string | undefined {
  const url = tryOr(() => new URL(address), undefined);
  if (url?.protocol === 'file:') return decodeURIComponent(url.pathname);
  const socket =
    url?.searchParams.get('host') ?? /^(?:redis\+)?unix:(?:\/\/)?(\/[^?]*)/.exec(address)?.[1];
  if (!socket?.startsWith('/')) return undefined;
  return socket.endsWith('.sock') ? dirname(socket) : socket;
}
