import { expect, test } from 'vitest';
import { parseConfig } from '../../system/index.ts';
import { checkPreload } from './start-way.ts';

const system = (more: string) =>
  parseConfig(`services: { shop: { command: node shop.mjs, port: 4000${more} } }`, {
    path: 'surety.yaml',
    environment: {},
  });

test('a service with a built-in port is not started without the preload that moves it', () => {
  expect(() => checkPreload(system(', builtInPort: 3000'))).toThrow(
    expect.objectContaining({ code: 'PRELOAD_NEEDED', values: { service: 'shop' } }),
  );
  expect(() => checkPreload(system(', builtInPort: 3000, tagging: none'))).not.toThrow();
  expect(() => checkPreload(system(''))).not.toThrow();
});
