import { readdir, readFile, readlink } from 'node:fs/promises';

export interface TcpSocket {
  readonly port: number;
  readonly remotePort: number;
  readonly state: 'listening' | 'connected' | 'other';
  readonly inode: string;
}

const states: Readonly<Record<string, TcpSocket['state']>> = {
  '0A': 'listening',
  '01': 'connected',
};

/** All of the network that the process is in, not only its own. */
export async function readSockets(pid: number): Promise<readonly TcpSocket[]> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readTable(pid, name)));
  return tables.flatMap((table) => table.split('\n').slice(1).filter(Boolean).map(parseSocket));
}

/** Those that the process itself has open. */
export async function ownSockets(pid: number): Promise<readonly TcpSocket[]> {
  const [sockets, inodes] = await Promise.all([readSockets(pid), readInodes(pid)]);
  return sockets.filter(({ inode }) => inodes.has(inode));
}

/** Who has this socket open, among the processes that we may look into. */
export async function findHolder(inode: string): Promise<number | undefined> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  for (const pid of pids) {
    if ((await readInodes(pid)).has(inode)) return pid;
  }
  return undefined;
}

/** A process that ended meanwhile has no sockets. */
function readTable(pid: number, name: string): Promise<string> {
  return readFile(`/proc/${pid}/net/${name}`, 'latin1').catch(() => '');
}

// `0: 0100007F:240D 00000000:0000 0A …`: addresses with port in hexadecimal, state, and the
// inode as the tenth field.
export function parseSocket(line: string): TcpSocket {
  const [, local = '', remote = '', state = '', , , , , , inode = ''] = line.trim().split(/\s+/);
  return {
    port: portOf(local),
    remotePort: portOf(remote),
    state: states[state] ?? 'other',
    inode,
  };
}

function portOf(address: string): number {
  return Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16);
}

async function readInodes(pid: number): Promise<ReadonlySet<string>> {
  const folder = `/proc/${pid}/fd`;
  const descriptors = await readdir(folder).catch(() => []);
  const targets = await Promise.all(
    descriptors.map((descriptor) => readlink(`${folder}/${descriptor}`).catch(() => '')),
  );
  return new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []));
}
