import { expect, test } from 'vitest';
import { confinementLimits } from '../../confinement/index.ts';
import { parseConfig } from '../../system/index.ts';
import { configurationChange } from './configuration-change.ts';

const read = (text: string) => parseConfig(text, { path: 'surety.yaml', environment: {} });

const written = (service: string, more = ''): string =>
  `services:\n  app: { port: 4001, ${service} }\n${more}`;

const plain = 'command: node ., limits: { memoryMb: 64 }';
const store = (migrate: string): string =>
  `datastores:\n  db: { kind: postgres, url: "postgres://a/b", variable: DB, migrations: { command: ${migrate} } }\n`;
const overlay = (text: string): string => `overlays:\n  fast: { services: { app: { ${text} } } }\n`;

const guardedBy = (before: string, after: string): readonly string[] =>
  configurationChange(read(before), read(after)).guarded;

// proves: lanes.confinement-fixed
test.each([
  [
    'another command',
    written(plain),
    written('command: sh -c x, limits: { memoryMb: 64 }'),
    'services.app.command',
  ],
  [
    'a directory outside',
    written(plain),
    written(`${plain}, directory: ../../..`),
    'services.app.directory',
  ],
  ['a build', written(plain), written(`${plain}, build: make`), 'services.app.build'],
  ['an install', written(plain), written(`${plain}, install: npm ci`), 'services.app.install'],
  [
    'a command in lanes',
    written(plain),
    written(`${plain}, lane: { command: x }`),
    'services.app.lane.command',
  ],
  [
    'more memory',
    written(plain),
    written('command: node ., limits: { memoryMb: 65 }'),
    'services.app.limits.memoryMb',
  ],
  [
    'no limit of memory',
    written(plain),
    written('command: node .'),
    'services.app.limits.memoryMb',
  ],
  [
    'more processes than every service has',
    written(plain),
    written(
      `command: node ., limits: { memoryMb: 64, processes: ${confinementLimits.confinedProcesses + 1} }`,
    ),
    'services.app.limits.processes',
  ],
  [
    'a new service',
    written(plain),
    `${written(plain)}  b: { command: x, port: 4002 }\n`,
    'services.b',
  ],
  [
    'another migration',
    written(plain, store('a')),
    written(plain, store('b')),
    'datastores.db.migrations',
  ],
  [
    'a command of an overlay',
    written(plain),
    written(plain, overlay('command: x')),
    'overlays.fast.services.app.command',
  ],
  [
    'more memory in an overlay',
    written(plain),
    written(plain, overlay('limits: { memoryMb: 65 }')),
    'overlays.fast.services.app.limits.memoryMb',
  ],
  ['the level', written(plain), written(plain, 'confine: off\n'), 'confine'],
  [
    'what confined programs read',
    written(plain),
    written(plain, 'confine: { read: [/] }\n'),
    'confine',
  ],
])('a change that declares %s needs a person', (_, before, after, what) => {
  expect(guardedBy(before, after)).toEqual([`surety.yaml (${what})`]);
});

test.each([
  ['a lower limit', written(plain), written('command: node ., limits: { memoryMb: 63 }')],
  ['another variable', written(plain), written(`${plain}, environment: { A: b }`)],
  ['no build any more', written(`${plain}, build: make`), written(plain)],
])('a change that declares %s needs nobody', (_, before, after) => {
  expect(guardedBy(before, after)).toEqual([]);
});
