import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSteps } from './steps.ts';

const manifest = 'tests/fixtures/collector.yaml';
const folder = '.cache/collector';
const builder = 'go.opentelemetry.io/collector/cmd/builder';

/** Where the OpenTelemetry Collector is. */
export const collector: string = join(folder, 'collector');

/**
 * Built once for what it is asked for, by its own builder; says why not, where it can't be. That
 * takes minutes, which nobody spends in CI: there it is used where it is at hand.
 */
export async function buildCollector(): Promise<string | undefined> {
  const text = readFileSync(manifest, 'utf8');
  const wanted = createHash('sha256').update(text).digest('hex');
  const stamp = join(folder, 'stamp');
  if (existsSync(collector) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted)
    return undefined;
  if (process.env.CI) return `it is not built (${collector}); npm run test:languages builds it`;
  if (spawnSync('go', ['version']).status !== 0) return 'there is no Go here to build it with';
  const version = /^ {2}version: (.+)$/m.exec(text)?.[1];
  const command = ['go', 'run', `${builder}@v${version}`, '--config', manifest];
  const built = await runSteps([{ name: 'Collector', command }]);
  if (built.some(({ ok }) => !ok)) return 'it could not be built';
  writeFileSync(stamp, wanted);
  return undefined;
}
