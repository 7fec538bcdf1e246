import { changeId, findBlocks, type Lanes, type Trees } from '../../lanes/index.ts';
import { type Config, servicesOf } from '../../system/index.ts';
import type { ChangedLines } from '../api-schema.ts';
import { diffOf, type VerifyRequest } from '../pipeline/request.ts';
import { type Suspicion, suspectLines } from './suspect-lines.ts';

/** What leads from a finding back to the change, and reproduces it. */
export interface Pointers {
  /** The changed lines that most likely cause a finding. */
  findLines(suspicion: Suspicion): readonly ChangedLines[];
  /** The command that runs one suite on the change again, or all of them. */
  reproduce(suite: string | null): string;
  /** The command that shows a trace; null where telemetry is off. */
  showTrace(traceId: string): string | null;
}

interface PointerContext {
  readonly lanes: Pick<Lanes, 'diffOf'>;
  readonly trees: Pick<Trees, 'relativeToSystem'>;
  readonly config: Pick<Config, 'services' | 'suites' | 'telemetry'>;
}

export async function pointersFor(
  request: VerifyRequest,
  { lanes, trees, config }: PointerContext,
): Promise<Pointers> {
  const blocks = findBlocks(await diffOf(request, lanes));
  const owners = new Map<string, string[]>();
  for (const file of new Set(blocks.map((block) => block.file))) {
    const own = await trees.relativeToSystem([file]);
    const found = servicesOf(config, own);
    // Code that several services share may be at fault in each of them.
    owners.set(file, found.length > 0 ? found : Object.keys(config.services));
  }
  return {
    findLines: (suspicion) => suspectLines(suspicion, blocks, (file) => owners.get(file) ?? []),
    reproduce: (suite) => reproduction(request, suite, config),
    showTrace: (traceId) => (config.telemetry.enabled ? `surety traces ${traceId}` : null),
  };
}

/** The ledger stores the change under its id, so the command works anywhere. */
function reproduction(
  request: VerifyRequest,
  suite: string | null,
  { suites }: Pick<Config, 'suites'>,
): string {
  const isSuite = suite !== null && Object.hasOwn(suites, suite);
  const words = ['surety verify --change', changeId(request)];
  if (isSuite) words.push('--suite', suite);
  else if (request.traffic?.length) words.push('--traffic <the file given>');
  // A quick run would not show what only load shows.
  if (request.profile === 'full') words.push('--profile full');
  return words.join(' ');
}
