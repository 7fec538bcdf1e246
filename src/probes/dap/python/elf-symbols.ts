import { open, readFile } from 'node:fs/promises';

/** Where functions of a library are in a process. Only what the library exports is found. */
export async function findFunctions(
  pid: number,
  library: RegExp,
  names: readonly string[],
): Promise<ReadonlyMap<string, bigint> | undefined> {
  for (const { path, start } of await readMappedFiles(pid)) {
    if (!library.test(path)) continue;
    // By /proc: the process may be in a container, or its file may have been replaced.
    const found = await readExports(`/proc/${pid}/map_files/${start.range}`, path, names);
    if (found && names.every((name) => found.addresses.has(name))) {
      const bias = found.isMovable ? start.address : 0n;
      return new Map([...found.addresses].map(([name, address]) => [name, address + bias]));
    }
  }
  return undefined;
}

interface MappedFile {
  readonly path: string;
  readonly start: { readonly address: bigint; readonly range: string };
}

/** Files of which the beginning is mapped, in proc_pid_maps(5). */
async function readMappedFiles(pid: number): Promise<readonly MappedFile[]> {
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8');
  return [...maps.matchAll(/^(\w+)-(\w+) \S+ 0+ \S+ [1-9]\d*\s+(\/.*)$/gm)].map(
    ([, from = '', to = '', path = '']) => ({
      path: path.replace(/ \(deleted\)$/, ''),
      start: { address: BigInt(`0x${from}`), range: `${from}-${to}` },
    }),
  );
}

interface Exports {
  readonly isMovable: boolean;
  readonly addresses: ReadonlyMap<string, bigint>;
}

async function readExports(
  mapped: string,
  path: string,
  names: readonly string[],
): Promise<Exports | undefined> {
  const file = await open(mapped).catch(() => open(path).catch(() => undefined));
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    const read = async (offset: number, length: number): Promise<Buffer> => {
      if (offset + length > size) throw new RangeError('not in the file');
      return (await file.read(Buffer.alloc(length), 0, length, offset)).buffer;
    };
    return await readSymbols(read, new Set(names));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  } finally {
    await file.close();
  }
}

type ReadPart = (offset: number, length: number) => Promise<Buffer>;

const magic = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
const movableType = 3;
const exportsType = 11;

/** The dynamic symbols of a 64-bit little-endian ELF file, in elf(5). */
async function readSymbols(
  read: ReadPart,
  wanted: ReadonlySet<string>,
): Promise<Exports | undefined> {
  const header = await read(0, 64);
  if (!header.subarray(0, magic.length).equals(magic)) return undefined;
  const sections = await read(
    Number(header.readBigUInt64LE(0x28)),
    header.readUInt16LE(0x3a) * header.readUInt16LE(0x3c),
  );
  const section = (number: number): Buffer => sections.subarray(number * 64, number * 64 + 64);
  const count = header.readUInt16LE(0x3c);
  const numbers = Array.from({ length: count }, (_, number) => number);
  const symbolsAt = numbers.find((number) => section(number).readUInt32LE(4) === exportsType);
  if (symbolsAt === undefined) return undefined;
  const symbols = await readSection(read, section(symbolsAt));
  const texts = await readSection(read, section(section(symbolsAt).readUInt32LE(40)));
  const addresses = new Map<string, bigint>();
  for (let at = 0; at + 24 <= symbols.length; at += 24) {
    const nameAt = symbols.readUInt32LE(at);
    const name = texts.toString('latin1', nameAt, texts.indexOf(0, nameAt));
    const address = symbols.readBigUInt64LE(at + 8);
    if (wanted.has(name) && address !== 0n) addresses.set(name, address);
  }
  return { isMovable: header.readUInt16LE(0x10) === movableType, addresses };
}

function readSection(read: ReadPart, section: Buffer): Promise<Buffer> {
  return read(Number(section.readBigUInt64LE(24)), Number(section.readBigUInt64LE(32)));
}
