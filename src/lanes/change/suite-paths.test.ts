import { expect, test } from 'vitest';
import { parseConfig } from '../../system/index.ts';
import { suitePaths } from './suite-paths.ts';

const services =
  'services: { orders: { command: node main.ts, port: 4001, paths: [services/orders] } }\n';

test.each<[string, string, string[]]>([
  ['a file and its folder', '{ command: node suites/flow.ts }', ['suites/flow.ts', 'suites']],
  ['what an interpreter runs', '{ command: python3 -m s suites/a.py }', ['suites/a.py', 'suites']],
  ['its own directory', '{ command: npx playwright test, directory: checks }', ['checks']],
  ['a file there', '{ command: ./run.sh --all, directory: checks }', ['checks/run.sh', 'checks']],
  ['a file of the top only', '{ command: node flow.mjs }', ['flow.mjs']],
  ['a file, not its service', '{ command: node services/orders/a.ts }', ['services/orders/a.ts']],
  ['a file, not all services', '{ command: node services/flow.ts }', ['services/flow.ts']],
  ['nothing of others', '{ command: node ../flow.ts }', []],
  ['nothing of a program alone', '{ command: true }', []],
])('of a suite is protected %s', (_, suite, expected) => {
  const text = `${services}suites: { flow: ${suite.replace('command: true', 'command: "true"')} }\n`;
  expect(suitePaths(parseConfig(text, { path: 'surety.yaml', environment: {} }))).toEqual(expected);
});
