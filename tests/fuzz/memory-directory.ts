import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Where a write waits for no disk: the disk is the part of other tests. */
export const memoryDirectory: string = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
