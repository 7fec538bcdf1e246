import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../tests/harness/free-ports.ts';
import {
  isPortFree,
  leasePort,
  openOnPort,
  outsideEphemeral,
  type PortRange,
  reservePort,
} from './ports.ts';

/** Listens until the test ends. */
async function occupy(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
}

/** A range of one port that nobody leases: no other process is given the one that it is made of. */
async function oneFree(): Promise<PortRange> {
  for (;;) {
    const first = (await freePort()) - 8_000;
    if (await isPortFree(first)) return { first, last: first };
  }
}

describe.runIf(process.platform === 'linux')('a lease', () => {
  test('is held by one process, and ends when that is killed', async () => {
    const { first: port } = await oneFree();
    const url = JSON.stringify(new URL('./ports.ts', import.meta.url).href);
    const code = `import { leasePort } from ${url};
      console.log((await leasePort(${port})) ? 'leased' : 'refused');
      setInterval(() => {}, 1_000);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code]);
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(String(await once(child.stdout, 'data'))).toContain('leased');
    expect(await leasePort(port)).toBeUndefined();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const lease = await leasePort(port);
    expect(lease).toMatchObject({ port });
    expect(await leasePort(port)).toBeUndefined();
    lease?.release();
    (await leasePort(port))?.release();
    expect(await leasePort(port)).toBeDefined();
  });

  test('to start something on a port does not need the port to be reserved', async () => {
    const port = await freePort();
    const [reserved, starting] = [await leasePort(port), await leasePort(port, 'starting')];
    expect([reserved, starting]).toEqual([undefined, expect.objectContaining({ port })]);
    starting?.release();
  });
});

test('without abstract sockets, a lease is held by one asker of this process', async () => {
  const { platform } = process;
  onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }));
  Object.defineProperty(process, 'platform', { value: 'darwin' });
  const { first: port } = await oneFree();
  const lease = await leasePort(port);
  expect([lease?.port, await leasePort(port)]).toEqual([port, undefined]);
  (await leasePort(port, 'starting'))?.release();
  lease?.release();
  const next = await leasePort(port);
  lease?.release();
  expect([next?.port, await leasePort(port)]).toEqual([port, undefined]);
  next?.release();
});

describe('a reserved port', () => {
  test('is given to one asker at a time', async () => {
    const range = await oneFree();
    const lease = await reservePort(range);
    expect(lease.port).toBe(range.first);
    const exhausted = {
      code: 'PORTS_EXHAUSTED',
      message: expect.stringContaining(`${range.first}`),
    };
    await expect(reservePort(range)).rejects.toMatchObject(exhausted);
    lease.release();
    (await reservePort(range)).release();
  });

  test('is never a port in use, whether somebody listens there or not', async () => {
    const [range, other] = [await oneFree(), await oneFree()];
    const exhausted = { code: 'PORTS_EXHAUSTED' };
    await expect(reservePort(range, new Set([range.first]))).rejects.toMatchObject(exhausted);
    await occupy(other.first);
    expect([await isPortFree(range.first), await isPortFree(other.first)]).toEqual([true, false]);
    await expect(reservePort(other)).rejects.toMatchObject(exhausted);
    // What was not given is not kept either.
    (await leasePort(other.first))?.release();
  });
});

describe('the ephemeral ports of the operating system', () => {
  test.each<[string, PortRange, PortRange, PortRange]>([
    ['elsewhere', range(20, 29), range(32, 60), range(20, 29)],
    ['at the end of the range', range(20, 65), range(32, 60), range(20, 31)],
    ['from the beginning of the range on', range(20, 65), range(16, 60), range(10, 15)],
    ['all but the highest', range(18, 19), range(1, 60), range(61, 65)],
    ['all', range(18, 19), range(1, 65), range(18, 19)],
  ])('are avoided when they are %s', (_, wanted, ephemeral, expected) => {
    expect(outsideEphemeral(wanted, ephemeral)).toEqual(expected);
  });
});

/** From one thousand to the end of another. */
function range(first: number, last: number): PortRange {
  return { first: first * 1_000, last: Math.min(last * 1_000 + 999, 65_535) };
}

describe('a server that opens on a port', () => {
  const taken = new Error('taken');
  const isTaken = (error: unknown): boolean => error === taken;

  test('tries its previous port first, then others until one is free', async () => {
    const [{ first: former }, range] = [await oneFree(), await oneFree()];
    const tried: number[] = [];
    const open = async (port: number): Promise<number> => {
      if (tried.push(port) < 3) throw taken;
      return port;
    };
    expect(await openOnPort({ range, former }, open, isTaken)).toBe(range.first);
    expect(tried).toEqual([former, range.first, range.first]);
    // It has its port to itself; what it did not get is left to others.
    expect(await leasePort(range.first)).toBeUndefined();
    expect(await leasePort(former)).toBeDefined();
  });

  test('skips ports that another process leases', async () => {
    const range = await oneFree();
    await leasePort(range.first);
    const open = () => Promise.reject(new Error('it must not be tried'));
    const opening = openOnPort({ range, former: range.first }, open, isTaken);
    await expect(opening).rejects.toMatchObject({ code: 'PORTS_EXHAUSTED' });
  });

  test('fails at once for another reason than a port in use, and finally when no port is free', async () => {
    const where = { range: await oneFree() };
    const other = new Error('no permission');
    await expect(openOnPort(where, () => Promise.reject(other), isTaken)).rejects.toBe(other);
    const never = openOnPort(where, () => Promise.reject(taken), isTaken);
    await expect(never).rejects.toMatchObject({ code: 'PORTS_EXHAUSTED' });
  });
});
