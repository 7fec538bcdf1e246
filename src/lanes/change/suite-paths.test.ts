import { expect, test } from 'vitest';
import { parseConfig } from '../../system/index.ts';
import { suitePaths } from './suite-paths.ts';

const services =
  'services: { orders: { command: node main.ts, port: 4001, paths: [services/orders] } }\n';

test.each<[string, string, string[]]>([
  [
    'the file of a suite and its folder',
    '{ command: node suites/flow.ts }',
    ['suites/flow.ts', 'suites'],
  ],
  [
    'the file that an interpreter runs for a suite',
    '{ command: python3 -m s suites/a.py }',
    ['suites/a.py', 'suites'],
  ],
  ['the directory of a suite', '{ command: npx playwright test, directory: checks }', ['checks']],
  [
    'a file in the directory of a suite',
    '{ command: ./run.sh --all, directory: checks }',
    ['checks/run.sh', 'checks'],
  ],
  [
    'only the file of a suite at the top of the repository',
    '{ command: node flow.mjs }',
    ['flow.mjs'],
  ],
  [
    'the file of a suite but not the service around it',
    '{ command: node services/orders/a.ts }',
    ['services/orders/a.ts'],
  ],
  [
    'the file of a suite but not the folder of all services',
    '{ command: node services/flow.ts }',
    ['services/flow.ts'],
  ],
  ['nothing outside the repository', '{ command: node ../flow.ts }', []],
  ['nothing for a suite that runs a program without files', '{ command: true }', []],
])('protects %s', (_, suite, expected) => {
  const text = `${services}suites: { flow: ${suite.replace('command: true', 'command: "true"')} }\n`;
  expect(suitePaths(parseConfig(text, { path: 'surety.yaml', environment: {} }))).toEqual(expected);
});
