import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../tests/harness/free-ports.ts';
import { candidatePorts, doorPorts, Ports } from './ports.ts';

const nothing = new Set<number>();

describe('ports', () => {
  test('are of the range, and none is given twice before it came back', async () => {
    const first = await freePort();
    const ports = new Ports({ first, last: first });
    expect(await ports.reserve(nothing)).toBe(first);
    const exhausted = { code: 'PORTS_EXHAUSTED', message: expect.stringContaining(String(first)) };
    await expect(ports.reserve(nothing)).rejects.toMatchObject(exhausted);
    ports.release([first]);
    expect(await ports.reserve(nothing)).toBe(first);
  });

  test('are not those that are in use, whether somebody listens there or not', async () => {
    const { port, named } = { port: await listening(), named: await freePort() };
    const taken = { code: 'PORTS_EXHAUSTED' };
    const range = (first: number): Ports => new Ports({ first, last: first });
    await expect(range(port).reserve(nothing)).rejects.toMatchObject(taken);
    await expect(range(named).reserve(new Set([named]))).rejects.toMatchObject(taken);
  });

  test('of candidates are neither those of doors nor of outgoing connections', async () => {
    const candidates = new Ports();
    const given = await Promise.all(Array.from({ length: 20 }, () => candidates.reserve(nothing)));
    expect(new Set(given).size).toBe(given.length);
    expect(Math.min(...given)).toBeGreaterThanOrEqual(candidatePorts.first);
    expect(Math.max(...given)).toBeLessThan(firstOutgoing());
    expect(doorPorts.last).toBeLessThan(candidatePorts.first);
  });
});

/** As Linux says it; where it leaves too little below, all up to its usual one are taken. */
function firstOutgoing(): number {
  const file = '/proc/sys/net/ipv4/ip_local_port_range';
  const low = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 0;
  return low > candidatePorts.first + 1_000 ? low : 32_768;
}

/** A port that the operating system chose, as for a connection. */
async function listening(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
