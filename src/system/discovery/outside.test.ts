import { symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { discover } from './discover.ts';
import { draftConfig } from './draft.ts';
import { makeRepository } from './repository.fixture.ts';

const compose = (file: string) =>
  `services: { shop: { build: ., env_file: ${file}, ports: ['3000:3000'] } }\n`;
const program = JSON.stringify({ name: 'shop', scripts: { start: 'node main.js' } });

const draftIn = (root: string, file: string) => {
  writeFileSync(join(root, 'compose.yaml'), compose(file));
  return draftConfig(discover(root)).text;
};

test('values of files outside of the repository are not written to surety.yaml', () => {
  const outside = makeRepository({ 'private.env': 'STRIPE=outside-value\n' });
  const root = makeRepository({ 'package.json': program, 'own.env': 'OWN=inside-value\n' });
  symlinkSync(join(outside, 'private.env'), join(root, 'link.env'));
  expect(draftIn(root, 'own.env')).toContain('inside-value');
  const way = join('..', outside.slice(dirname(root).length), 'private.env');
  for (const file of [way, 'link.env']) expect(draftIn(root, file)).not.toContain('outside-value');
});
