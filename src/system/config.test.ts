import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sharedLimits } from '../kernel/index.ts';
import { defaultConfig, parseConfig, readConfig } from './config.ts';
import { systemLimits } from './limits.ts';
import { startOrder } from './start-order.ts';

const parse = (text: string, environment = {}) =>
  parseConfig(text, { path: 'surety.yaml', environment });

// proves: config.mistakes, config.suggestion
describe('surety.yaml', () => {
  test('may be empty', () => {
    expect(parse('')).toEqual(defaultConfig());
    expect(parse('# nothing yet\n')).toEqual({
      workspace: 'default',
      ledger: { store: 'sqlite' },
      callers: 'auto',
      api: {
        port: 0,
        requestsPerMinute: systemLimits.agentRequestsPerMinute,
        requestsPerMinuteOf: {},
        tokenDays: 90,
      },
      services: {},
      suites: {},
      verifyInFull: [],
      verify: { undistinguished: 'notice', variants: 'all' },
      agents: {},
      alerts: {},
      slo: {},
      people: {},
      notify: [],
      mcp: { servers: {} },
      models: {},
      datastores: {},
      queues: {},
      overlays: {},
      routing: {},
      protected: [],
      confine: { level: 'standard', read: [], environment: [], connect: [] },
      traffic: { safe: [], credentials: {} },
      promotion: { watchSeconds: 60, passHours: 24 },
      lanes: { ttlMinutes: 30, ttlMinutesMax: 240, perAgent: 5, perMachine: 100 },
      probes: { blocked: [] },
      telemetry: { enabled: true, reports: true, retention: { hours: 72, megabytes: 2_048 } },
    });
  });

  test('accepts promotion.watchSeconds up to the limit', () => {
    const seconds = (count: number) => parse(`promotion: { watchSeconds: ${count} }\n`).promotion;
    const { promotionWatchSecondsMax: most } = systemLimits;
    expect(seconds(systemLimits.promotionWatchSecondsMax)).toMatchObject({ watchSeconds: most });
    expect(() => seconds(most + 1)).toThrow();
    expect(() => seconds(-1)).toThrow();
  });

  test('accepts promotion.passHours up to the limit', () => {
    const hours = (count: number) => parse(`promotion: { passHours: ${count} }\n`).promotion;
    const { promotionPassHoursMax: most } = systemLimits;
    expect(hours(systemLimits.promotionPassHoursMax)).toMatchObject({ passHours: most });
    expect(() => hours(most + 1)).toThrow();
    expect(hours(1)).toMatchObject({ passHours: 1 });
    expect(() => hours(0)).toThrow();
  });

  test('takes values from the environment', () => {
    const text = 'ledger:\n  store: postgres\n  url: postgres://app:${PASSWORD}@db/ledger\n';
    expect(parse(text, { PASSWORD: 'x' }).ledger.url).toBe('postgres://app:x@db/ledger');
  });

  test.each<[string, string, string]>([
    ['an unknown key', 'workspce: a\n', '1:1  unknown key "workspce"; did you mean "workspace"?'],
    [
      'an unknown key deeper down',
      'ledger:\n  store: sqlite\n  ulr: x\n',
      '3:3  unknown key "ulr" in ledger; did you mean "url"?',
    ],
    ['an unknown key like no other', 'zzzzzzzzzz: 1\n', '1:1  unknown key "zzzzzzzzzz"\n'],
    [
      'a pattern that would protect nothing',
      'protected: ["**/*.guard.ts"]\n',
      '1:13  protected.0: name a file or a folder',
    ],
    ['a value of the wrong type', 'api:\n  port: "80"\n', '2:9  api.port:'],
    ['a number out of range', 'api:\n  port: 65536\n', '2:9  api.port: use 0 to 65535'],
    [
      'two people at one client',
      'people:\n  a: { roles: [approver], clients: [ada] }\n  b: { roles: [viewer], clients: [ada] }\n',
      '3:35  a sits at the client of ada already',
    ],
    [
      'a server that is nowhere',
      'mcp: { servers: { a: {} } }\n',
      '1:22  mcp.servers.a: say either command or url',
    ],
    [
      'a server at two places',
      'mcp: { servers: { a: { command: [x], url: "http://x/" } } }\n',
      '1:22  mcp.servers.a: say either command or url',
    ],
    [
      'a server of our name',
      'mcp: { servers: { surety: { command: [x] } } }\n',
      '1:19  mcp.servers.surety: this name is taken',
    ],
    [
      'an objective of no service',
      'slo: { a: { service: shop, availability: 99 } }\n',
      '1:22  there is no service shop',
    ],
    [
      'an objective without a number',
      'slo: { a: { service: shop } }\n',
      '1:11  slo.a: say availability, latency or both',
    ],
    [
      'a burn rate that nothing reaches',
      'slo: { a: { service: shop, availability: 90 } }\n',
      '1:11  slo.a.burn.0.rate: 90 % allows so many failures that 14.4 times as many are more than all',
    ],
    [
      'an objective without telemetry',
      'telemetry: { enabled: false }\nservices: { a: { command: x, port: 1 } }\nslo: { b: { service: a, availability: 99 } }\n',
      '3:6  objectives need telemetry.enabled',
    ],
    ['a bad choice', 'ledger:\n  store: mysql\n', '2:10  ledger.store:'],
    ['a bad name', 'workspace: My Shop\n', '1:12  workspace: use 1 to 63 lower-case'],
    ['a missing variable', 'workspace: ${NOPE}\n', '1:12  the environment has no variable NOPE'],
    ['a key given twice', 'workspace: a\nworkspace: b\n', '2:1  '],
    ['broken syntax', 'ledger:\n  store: [\n', '3:1  '],
    ['a list instead of keys', '- a\n- b\n', '1:1  the file:'],
    ['an alias', 'workspace: &a b\napi: *a\n', '2:6  aliases are not supported'],
    [
      'a misspelt key of a service',
      'services:\n  edge:\n    comand: node x\n    port: 1\n',
      '3:5  unknown key "comand" in services.edge; did you mean "command"?',
    ],
    [
      'two services on one port',
      'services:\n  a: { command: x, port: 1 }\n  b: { command: x, port: 1 }\n',
      '3:26  a has port 1 too',
    ],
    [
      'a dependency that is not there',
      'services:\n  a: { command: x, port: 1, dependsOn: [b] }\n',
      '2:40  there is no service b',
    ],
    [
      'services that wait for each other',
      'services:\n  a: { command: x, port: 1, dependsOn: [b] }\n  b: { command: x, port: 2, dependsOn: [a] }\n',
      '2:3  these wait for each other: a → b → a',
    ],
    ['an ingress that is not there', 'ingress: edge\n', '1:10  there is no service edge'],
    ['postgres without an address', 'ledger:\n  store: postgres\n', '2:10  postgres needs'],
    ['an address without postgres', 'ledger:\n  url: postgres://a/b\n', '2:8  ledger.url needs'],
  ])('reports %s with line and column', (_, text, expected) => {
    expect(() => parse(text)).toThrow(`surety.yaml:${expected}`.trimEnd());
  });

  test('gives services their defaults', () => {
    const { services } = parse('services:\n  edge: { command: node edge.js, port: 4300 }\n');
    expect(services.edge).toEqual({
      command: 'node edge.js',
      port: 4300,
      host: '127.0.0.1',
      isElsewhere: false,
      protocol: 'http',
      startSeconds: 30,
      tagging: 'preload',
      directory: '.',
      environment: {},
      secrets: {},
      limits: {},
      aliases: [],
      paths: [],
      dependsOn: [],
      stores: [],
      queues: [],
      lane: { environment: {}, singletons: 'off' },
    });
  });

  test('reports all mistakes at once', () => {
    const text = 'workspce: a\nledger:\n  stor: sqlite\napi:\n  port: -1\n';
    expect(() => parse(text)).toThrow('has 3 error(s)');
  });

  test('accepts ports from 0 to 65535', () => {
    expect(parse('api:\n  port: 0\n').api.port).toBe(0);
    expect(parse('api:\n  port: 65535\n').api.port).toBe(65_535);
  });

  test(`a file may have ${sharedLimits.configBytesMax} bytes and no more`, () => {
    const directory = mkdtempSync(join(tmpdir(), 'surety-config-'));
    const path = join(directory, 'surety.yaml');
    writeFileSync(path, '#'.repeat(sharedLimits.configBytesMax));
    expect(readConfig(path, {})).toEqual(defaultConfig());
    writeFileSync(path, '#'.repeat(sharedLimits.configBytesMax + 1));
    expect(() => readConfig(path, {})).toThrow('at most');
    rmSync(directory, { recursive: true });
  });
});

test('services start after those that they depend on', () => {
  const services = {
    edge: { dependsOn: ['orders'] },
    orders: { dependsOn: ['pricing', 'payments'] },
    payments: { dependsOn: [] },
    pricing: { dependsOn: ['payments'] },
  };
  expect(startOrder(services)).toEqual({
    order: ['payments', 'pricing', 'orders', 'edge'],
    circle: [],
  });
});
