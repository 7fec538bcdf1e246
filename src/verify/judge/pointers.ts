import { changeId, findBlocks, type Lanes, type Trees } from '../../lanes/index.ts';
import { type Config, servicesOf } from '../../system/index.ts';
import type { Profile } from '../pipeline/profile.ts';
import { diffOf, type LookedAt } from '../pipeline/subject.ts';
import type { SubmittedTest } from '../suites/submitted-test.ts';
import { likelyLines } from './suspect-lines.ts';
import type { Observed } from './verdict.ts';

interface PointerDeps {
  readonly lanes: Pick<Lanes, 'diffOf'>;
  readonly trees: Pick<Trees, 'relativeToSystem'>;
  readonly config: Pick<Config, 'services' | 'suites' | 'telemetry'>;
}

interface Judged extends LookedAt {
  readonly test?: SubmittedTest | undefined;
  readonly profile?: Profile | undefined;
  readonly traffic?: readonly unknown[] | undefined;
}

/** What leads from something that is wrong back to the change, and to seeing it again. */
export async function pointers(
  request: Judged,
  { lanes, trees, config }: PointerDeps,
): Promise<Pick<Observed, 'accuse' | 'reproduce' | 'showTrace'>> {
  const blocks = findBlocks(await diffOf(request, lanes));
  const owners = new Map<string, string[]>();
  for (const file of new Set(blocks.map((block) => block.file))) {
    const own = await trees.relativeToSystem([file]);
    owners.set(file, servicesOf(config, own));
  }
  return {
    accuse: (suspicion) => likelyLines(suspicion, blocks, (file) => owners.get(file) ?? []),
    reproduce: (suite) => reproduction(request, suite, config),
    showTrace: (traceId) => (config.telemetry.enabled ? `surety traces ${traceId}` : null),
  };
}

/** What was judged is kept under its name, so that this can be pasted anywhere. */
function reproduction(
  judged: Judged,
  suite: string | null,
  { suites }: Pick<Config, 'suites'>,
): string {
  const isSuite = suite !== null && Object.hasOwn(suites, suite);
  const words = ['surety verify --change', changeId(judged)];
  if (isSuite) words.push('--suite', suite);
  else if (judged.traffic?.length) words.push('--traffic <the file given>');
  // What only shows under load is not to be seen quickly.
  if (judged.profile === 'full') words.push('--profile full');
  return words.join(' ');
}
