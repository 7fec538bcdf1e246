import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tryOr } from '../../kernel/index.ts';

/** A port that a process takes connections on. */
export interface ListeningPort {
  readonly address: string;
  readonly port: number;
}

const listenState = '0A';

/** Of a process and all that it started. Of one that is gone, or not ours to look at, none. */
export function listeningOf(pid: number): ListeningPort[] {
  const inodes = new Set(descendants(pid).flatMap(socketsOf));
  if (inodes.size === 0) return [];
  const tables = ['tcp', 'tcp6'].flatMap((name) => linesOf(`/proc/${pid}/net/${name}`).slice(1));
  const found = tables.flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    return state === listenState && inodes.has(inode) ? [addressOf(local)] : [];
  });
  return [...new Map(found.map((one) => [`${one.address}:${one.port}`, one])).values()];
}

function descendants(pid: number): number[] {
  const children = linesOf(`/proc/${pid}/task/${pid}/children`).join(' ').split(/\s+/);
  return [pid, ...children.filter(Boolean).map(Number).flatMap(descendants)];
}

function socketsOf(pid: number): string[] {
  const directory = `/proc/${pid}/fd`;
  return tryOr(() => readdirSync(directory), []).flatMap((name) => {
    // Closed meanwhile.
    return tryOr(
      () => /^socket:\[(\d+)\]$/.exec(readlinkSync(`${directory}/${name}`))?.[1] ?? [],
      [],
    );
  });
}

/** `0100007F:10CC` as the kernel writes it: bytes of each word in this machine's order. */
function addressOf(local: string): ListeningPort {
  const [hex = '', port = '0'] = local.split(':');
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => [...Buffer.from(word, 'hex')].reverse());
  const isAny = bytes.every((byte) => byte === 0);
  const isLocal = bytes.at(-1) === 1 && bytes.slice(0, -1).every((byte) => byte === 0);
  const isMapped = bytes.length === 4 ? bytes[0] === 127 : isLocal;
  const address = isAny ? 'every address' : isMapped ? 'this machine' : hex;
  return { address, port: Number.parseInt(port, 16) };
}

function linesOf(file: string): string[] {
  return tryOr(() => readFileSync(file, 'utf8').split('\n'), []);
}
