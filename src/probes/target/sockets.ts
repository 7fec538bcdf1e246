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

export interface Network {
  /** What the process itself has open. */
  readonly own: readonly TcpSocket[];
  /** What everybody else in the same network has open. */
  readonly others: readonly TcpSocket[];
}

export async function readNetwork(pid: number): Promise<Network> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readTable(pid, name)));
  const rows = tables.flatMap((table) => table.split('\n').slice(1).filter(Boolean));
  const sockets = rows.map(parseSocket);
  // Only after the tables: a socket of its own that is new in them must not look like another's.
  const inodes = await readInodes(pid);
  return {
    own: sockets.filter(({ inode }) => inodes.has(inode)),
    others: sockets.filter(({ inode }) => !inodes.has(inode)),
  };
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
