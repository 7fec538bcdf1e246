import { open } from 'node:fs/promises';

/** What the sections of an executable tell about it. */
export interface GoBinary {
  readonly isGo: boolean;
  /** Without it no line can be found: `go build -ldflags=-w` and `-s` leave it out. */
  readonly hasDebugInfo: boolean;
}

const sectionBytes = 64;
const namesBytesMax = 64 * 1024;

/** Reads the names of the sections of a 64-bit ELF file, in elf(5). */
export async function readGoBinary(path: string): Promise<GoBinary | undefined> {
  const file = await open(path).catch(() => undefined);
  if (!file) return undefined;
  try {
    const read = async (offset: number, length: number): Promise<Buffer> =>
      (await file.read(Buffer.alloc(length), 0, length, offset)).buffer;
    const header = await read(0, 64);
    if (header.toString('latin1', 1, 4) !== 'ELF' || header[4] !== 2) return undefined;
    const table = Number(header.readBigUInt64LE(0x28));
    const namesAt = header.readUInt16LE(0x3e);
    const names = await read(table + namesAt * sectionBytes, sectionBytes);
    const length = Math.min(Number(names.readBigUInt64LE(32)), namesBytesMax);
    const text = (await read(Number(names.readBigUInt64LE(24)), length)).toString('latin1');
    const has = (name: string): boolean => text.split('\0').includes(name);
    return {
      isGo: has('.go.buildinfo') || has('.note.go.buildid'),
      hasDebugInfo: has('.debug_info') || has('.zdebug_info'),
    };
  } finally {
    await file.close();
  }
}
