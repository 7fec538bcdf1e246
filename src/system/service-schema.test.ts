import { describe, expect, test } from 'vitest';
import { parseConfig } from './config.ts';
import { systemLimits } from './limits.ts';
import { withOverlay } from './overlay.ts';

const parse = (text: string) => parseConfig(text, { path: 'surety.yaml', environment: {} });
const two = (more: string, rest = '') =>
  `services:\n  a: { command: x, port: 1${more} }\n  b: { command: y, port: 2 }\n${rest}`;

describe('a service in surety.yaml', () => {
  test.each<[string, string, string]>([
    ['nowhere', 'services: { a: { port: 1 } }', 'services.a: say either command or address'],
    [
      'at two places',
      'services: { a: { command: x, address: "h:1" } }',
      'services.a: say either command or address',
    ],
    ['without a port', 'services: { a: { command: x } }', 'services.a.port: say its port'],
    [
      'with the port of its address',
      'services: { a: { address: "h:1", port: 1 } }',
      'the port is part of the address',
    ],
    ['at a bad address', 'services: { a: { address: "nowhere" } }', 'use host:port'],
    ['at port 0', 'services: { a: { address: "h:0" } }', 'its port is from 1 to 65535'],
    ['at port 65536', 'services: { a: { address: "h:65536" } }', 'its port is from 1 to 65535'],
    ['with a secret in the open', two(', secrets: { KEY: hunter2 }'), 'use env:NAME, file:path'],
    [
      'with too little memory',
      two(`, limits: { memoryMb: ${systemLimits.serviceMemoryMbMin - 1} }`),
      `use ${systemLimits.serviceMemoryMbMin} or more`,
    ],
    [
      'with too little CPU',
      two(`, limits: { cpu: ${systemLimits.serviceCpuMin / 2} }`),
      `use ${systemLimits.serviceCpuMin} or more`,
    ],
    [
      'that may take too long',
      two(`, startSeconds: ${systemLimits.serviceStartSecondsMax + 1}`),
      `use at most ${systemLimits.serviceStartSecondsMax}`,
    ],
    ['with a bad alias', two(', aliases: ["http://x"]'), 'use host or host:port'],
    ['with the name of another', two(', aliases: [b]'), '2:39  b already means b'],
    [
      'with the alias of another',
      two(', aliases: [x]').replace('port: 2', 'port: 2, aliases: ["x:*"]'),
      'x:* already means a',
    ],
    ['with a store that is not there', two(', stores: [db]'), 'there is no datastore db'],
    ['with a queue that is not there', two(', queues: [jobs]'), 'there is no queue jobs'],
    [
      'with a queue that it can’t be told of',
      two(', queues: [jobs]', 'queues: { jobs: { kind: nats, url: x } }'),
      'jobs has no variable',
    ],
    [
      'recorded without a port that clients use',
      two('', 'ingress: a\ntraffic: { record: {} }'),
      'recording needs a port that clients use',
    ],
    [
      'recorded for too long',
      two('', `traffic: { record: { keepDays: ${systemLimits.recordedDaysMax + 1} } }`),
      'traffic.record.keepDays',
    ],
    [
      'asked again with a credential in the open',
      two('', 'traffic: { credentials: { authorization: hunter2 } }'),
      'use env:NAME, file:path',
    ],
    [
      'behind a front door on its port',
      two('', 'ingress: { service: a, port: 2 }'),
      'b has port 2',
    ],
    ['behind a door to nobody', two('', 'ingress: { service: c, port: 3 }'), 'no service c'],
    ['in an overlay that is not there', two('', 'overlays: { p: { services: { c: {} } } }'), '4:'],
    [
      'in an overlay though it runs elsewhere',
      'services: { a: { address: "h:1" } }\noverlays: { p: { services: { a: {} } } }',
      "2:30  a runs already, at its address; an overlay can't change it",
    ],
    [
      'with a store that is branched in the wrong way',
      'datastores: { db: { kind: redis, url: x, variable: X, branch: template } }',
      'redis is branched by database or prefix',
    ],
    ['with a key in cookies', 'routing: { header: cookie }', 'has a meaning already'],
    ['with lanes that outlive their end', 'lanes: { ttlMinutes: 241 }', 'ttlMinutesMax is 240'],
  ])('%s is refused', (_, text, expected) => {
    expect(() => parse(text)).toThrow(expected);
  });

  test('accepts the lowest limits', () => {
    const { serviceMemoryMbMin: memoryMb, serviceCpuMin: cpu } = systemLimits;
    const slow = `startSeconds: ${systemLimits.serviceStartSecondsMax}`;
    const { services } = parse(two(`, ${slow}, limits: { memoryMb: ${memoryMb}, cpu: ${cpu} }`));
    expect(services.a?.limits).toEqual({ memoryMb, cpu });
  });

  test.each([
    ['10.0.0.5:4302', '10.0.0.5', 4302],
    ['pricing.staging:65535', 'pricing.staging', 65_535],
    ['[::1]:1', '::1', 1],
  ])('at %s runs elsewhere', (address, host, port) => {
    const { services } = parse(`services: { a: { address: "${address}" } }`);
    expect(services.a).toMatchObject({ host, port, isElsewhere: true });
  });

  test('at an address may have a command for its candidates', () => {
    const { services } = parse('services: { a: { address: "h:1", lane: { command: node a.js } } }');
    expect(services.a).toMatchObject({ lane: { command: 'node a.js' }, isElsewhere: true });
  });

  test('is entered by a front door of the router', () => {
    expect(parse(two('', 'ingress: { service: a, port: 3 }'))).toMatchObject({
      ingress: 'a',
      frontDoorPort: 3,
    });
  });
});

describe('an overlay', () => {
  const text = two(
    ', environment: { A: "1", B: "1" }, limits: { cpu: 1 }',
    'overlays: { prod-like: { services: { a: { environment: { B: "2" }, limits: { memoryMb: 64 } } } } }',
  );

  test('changes what it names and nothing else', () => {
    const plain = parse(text);
    const { services } = withOverlay(plain, 'prod-like');
    expect(services.a).toMatchObject({
      command: 'x',
      environment: { A: '1', B: '2' },
      limits: { cpu: 1, memoryMb: 64 },
    });
    expect(services.b).toEqual(plain.services.b);
    expect(withOverlay(plain, null)).toBe(plain);
  });

  test('that does not exist is refused with the closest name', () => {
    expect(() => withOverlay(parse(text), 'prodlike')).toThrow('no overlay "prodlike"');
    expect(() => withOverlay(parse(text), 'toString')).toThrow('no overlay');
  });
});
