import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fault, type MakeIdentifier } from '../../kernel/index.ts';
import type { Trees } from '../../lanes/index.ts';
import type { Config, SuiteConfig } from '../../system/index.ts';
import type { SubmittedTest } from '../api-schema.ts';

/** Only names that mean the same to Surety, git and a shell. */
const safePath = /^[A-Za-z0-9_][\w./-]{0,199}$/;

/** Adds the test to a separate tree of the base, and removes the tree after use. */
export async function withTest<Result>(
  { path, code }: SubmittedTest,
  base: string,
  deps: { trees: Trees; config: Config; makeIdentifier: MakeIdentifier },
  use: (suite: SuiteConfig, root: string) => Promise<Result>,
): Promise<Result> {
  const { tests } = deps.config;
  if (!tests) throw fault('TEST_BROKEN', { reason: 'surety.yaml has no `tests` command' });
  if (!safePath.test(path) || normalize(path) !== path || path.split('/').includes('..')) {
    throw fault('TEST_BROKEN', { reason: `"${path}" is not a path inside the system` });
  }
  const name = deps.makeIdentifier('test');
  const { root } = await deps.trees.open(base, name);
  try {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
    return await use({ ...tests, command: `${tests.command} ${path}` }, root);
  } finally {
    await deps.trees.remove(name);
  }
}
