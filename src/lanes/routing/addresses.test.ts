import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { portRanges, reservePort } from '../../kernel/index.ts';
import { parseConfig, type ServiceConfig } from '../../system/index.ts';
import { inOrder } from '../baseline/in-order.ts';
import { bareHosts, calledBy, readdress } from './addresses.ts';
import { DoorPorts } from './doors.ts';

const config = parseConfig(
  `ingress: { service: report, port: 4400 }
routing: { header: x-lane }
services:
  pricing: { command: x, port: 4302, aliases: ["pricing:80", prices.internal] }
  vault: { address: "10.0.0.5:443", protocol: https }
  report:
    command: python3 report.py
    port: 4305
    tagging: baggage
    environment:
      PRICING_URL: http://127.0.0.1:4302/v1
      VAULT_URL: https://10.0.0.5:443
`,
  { path: 'surety.yaml', environment: {} },
);

describe('addresses in an environment', () => {
  const doorTo = (service: string) => ({ pricing: 5001, vault: 5002 })[service];

  test.each([
    ['http://127.0.0.1:4302/v1', 'http://127.0.0.1:5001/v1'],
    ['http://localhost:4302', 'http://127.0.0.1:5001'],
    ['127.0.0.1:4302', '127.0.0.1:5001'],
    ['http://pricing/quote', 'http://127.0.0.1:5001/quote'],
    ['http://pricing:80', 'http://127.0.0.1:5001'],
    ['http://user@pricing:80/', 'http://user@127.0.0.1:5001/'],
    ['a:1,localhost:4302,b:2', 'a:1,127.0.0.1:5001,b:2'],
    ['http://prices.internal', 'http://127.0.0.1:5001'],
    ['https://10.0.0.5:443/keys', 'http://127.0.0.1:5002/keys'],
  ])('%s is replaced by the address of a door', (text, expected) => {
    expect(readdress({ A: text }, config, doorTo)).toEqual({ A: expected });
  });

  test.each([
    'pricing',
    'the pricing: of things',
    'http://pricing.example.com',
    'http://127.0.0.1:43020',
    'http://my-pricing:80',
    '/srv/pricing:ro',
    'http://127.0.0.1:4303',
  ])('%s is left unchanged', (text) => {
    expect(readdress({ A: text }, config, doorTo)).toEqual({});
  });

  test('a host and a port in two variables are replaced by the address of a door', () => {
    const two = { PRICING_HOST: 'pricing', PRICING_PORT: '80', OTHER_HOST: 'pricing' };
    expect(readdress(two, config, doorTo)).toEqual({
      PRICING_HOST: '127.0.0.1',
      PRICING_PORT: '5001',
    });
  });

  test.each([
    ['PRICING_HOSTNAME', 'PRICING_SERVICE_PORT'],
    ['PRICING_SERVICE_HOST', 'PRICING_SERVICE_PORT'],
    ['pricing_addr', 'pricing_port'],
    ['PRICINGHOST', 'PRICINGPORT'],
  ])('%s and %s are replaced by the address of a door', (host, port) => {
    const two = { [host]: 'prices.internal', [port]: '4302', PORT: '80', OTHER_PORT: '4302' };
    expect(readdress(two, config, doorTo)).toEqual({ [host]: '127.0.0.1', [port]: '5001' });
  });

  test('that name a service without its port are listed', () => {
    const environment = {
      PRICING_SERVER: 'prices.internal',
      PRICING_NAME: 'pricing',
      RATES_HOST: 'pricing',
      RATES_PORT: '80',
      VAULT_URL: 'https://10.0.0.5:443',
      TITLE: 'report',
    };
    const report = { ...(config.services.report as ServiceConfig), environment };
    const edited = { ...config, services: { ...config.services, report } };
    expect(bareHosts('report', edited)).toEqual([
      { variable: 'PRICING_SERVER', service: 'pricing' },
      { variable: 'PRICING_NAME', service: 'pricing' },
    ]);
  });

  test('of services that speak no HTTP lead to no door', () => {
    const tcp = { ...(config.services.pricing as ServiceConfig), protocol: 'tcp' as const };
    const edited = { ...config, services: { ...config.services, pricing: tcp } };
    expect(calledBy('report', edited)).toEqual(['vault']);
  });

  test('show which services a service calls', () => {
    expect(calledBy('report', config)).toEqual(['pricing', 'vault']);
    expect(calledBy('pricing', config)).toEqual([]);
  });
});

describe('doors', () => {
  test('are opened only where needed, and keep their ports', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'doors-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'doors.json');
    const first = await new DoorPorts(file, config).open();
    expect(first.map(({ from, to }) => [from, to])).toEqual([
      ['report', 'pricing'],
      ['report', 'vault'],
      [null, 'report'],
    ]);
    expect(first.at(-1)?.port).toBe(4400);
    expect(new Set(first.map(({ port }) => port)).size).toBe(3);
    for (const { port } of first.slice(0, -1)) {
      expect(port).toBeGreaterThanOrEqual(portRanges.own.first);
      expect(port).toBeLessThanOrEqual(portRanges.own.last);
    }
    expect(await new DoorPorts(file, config).open()).toEqual(first);
  });

  test('are not opened for a service that lanes run copies of', async () => {
    const report = { ...(config.services.report as ServiceConfig), callers: 'own' as const };
    const own = { ...config, services: { ...config.services, report } };
    const doors = await new DoorPorts('/never/written', own).open();
    expect(doors).toEqual([{ port: 4400, from: null, to: 'report' }]);
  });

  test('are opened for addresses that are edited, and stay for programs that run', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'doors-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const live = { ...config };
    const doors = new DoorPorts(join(directory, 'doors.json'), live);
    const [pricing, vault] = await doors.open();
    const environment = { PRICING_URL: 'http://127.0.0.1:4306' };
    const report = { ...(config.services.report as ServiceConfig), environment };
    const rates = { ...(config.services.pricing as ServiceConfig), port: 4306, aliases: [] };
    Object.assign(live, { services: { ...config.services, report, rates } });
    const edited = await doors.open();
    expect(edited).toMatchObject([
      pricing,
      vault,
      { from: 'report', to: 'rates' },
      { to: 'report' },
    ]);
    const { rates: _, ...others } = live.services;
    Object.assign(live, { services: others });
    expect(await doors.open()).toEqual([pricing, vault, edited.at(-1)]);
  });

  test('move to another port when another Surety has taken theirs', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'doors-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'doors.json');
    const [mine, taken] = [await reservePort(portRanges.own), await reservePort(portRanges.own)];
    mine.release();
    onTestFinished(taken.release);
    const former = { 'report pricing': mine.port, 'report vault': taken.port };
    writeFileSync(file, JSON.stringify(former));
    const [pricing, vault] = await new DoorPorts(file, config).open();
    expect(pricing?.port).toBe(mine.port);
    expect(vault?.port).not.toBe(taken.port);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ 'report vault': vault?.port });
  });
});

describe('a task with dependencies', () => {
  const follows = (name: string) => ({ edge: ['orders'], orders: ['db'] })[name] ?? [];

  test('waits for its dependencies and for nothing else', async () => {
    const done: string[] = [];
    await inOrder(['edge', 'orders', 'db', 'other'], follows, async (name) => {
      if (name === 'db') await new Promise((resolve) => setImmediate(resolve));
      done.push(name);
    });
    expect(done).toEqual(['other', 'db', 'orders', 'edge']);
  });

  test('stops only its dependents when it fails', async () => {
    const done: string[] = [];
    const work = inOrder(['edge', 'orders', 'db', 'other'], follows, async (name) => {
      if (name === 'orders') throw new Error('no');
      done.push(name);
    });
    await expect(work).rejects.toThrow('no');
    expect(done.sort()).toEqual(['db', 'other']);
  });
});
