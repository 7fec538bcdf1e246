import {
  changedFiles,
  changeId,
  editedSuites,
  type Lane,
  readOverride,
} from '../../lanes/index.ts';
import type { SuiteConfig } from '../../system/index.ts';
import type { SuiteRun } from '../api-schema.ts';
import { markDisputedChecks } from '../judge/finding-id.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import { factsOf, type VerifyRequest } from '../pipeline/request.ts';
import { runSuite } from './run-suite.ts';
import { targetOf } from './suite-target.ts';

/** Suites that a change edits with the permission of a person, so that they judge the change. */
export interface EditedSuites {
  readonly names: readonly string[];
  /** Who allowed it, and why; in words. */
  readonly remarks: readonly string[];
}

export const noEditedSuites: EditedSuites = { names: [], remarks: [] };

export async function findEditedSuites(
  request: VerifyRequest,
  { config, ledger, lanes, trees }: VerifyContext,
): Promise<EditedSuites> {
  if (request.restarted) return noEditedSuites;
  const override = await readOverride(ledger, changeId(request));
  if (!override || override.suites === false) return noEditedSuites;
  const { files } = await factsOf(request, lanes);
  const names = editedSuites(config, await trees.relativeToSystem(files));
  const { by, reason } = override;
  const allowed = `was used as this change edits it; allowed by ${by}, reason: ${reason}`;
  return { names, remarks: names.map((name) => `suite "${name}" ${allowed}`) };
}

/** A suite of the change, run on both versions. */
export interface EditedRun {
  readonly control: SuiteRun;
  readonly candidate: SuiteRun;
}

/** As it is in the version of the change. */
export async function runEditedSuite(
  name: string,
  { control, candidate }: { readonly control: Lane; readonly candidate: Lane },
  context: VerifyContext,
): Promise<EditedRun> {
  const suite = context.config.suites[name] as SuiteConfig;
  const tree = await context.trees.open(candidate.commit);
  const runOn = async (lane: Lane): Promise<SuiteRun> =>
    runSuite(name, suite, await targetOf(lane, tree, context, context.requestedBy));
  const before = await runOn(control);
  const after = markDisputedChecks(await runOn(candidate), context.disputes);
  return { control: before, candidate: after };
}

/** The suites that a promoted change edits, which a person allowed before it was promoted. */
export async function promotedEdits(
  { base, commit }: { readonly base: string; readonly commit: string },
  { config, trees }: Pick<VerifyContext, 'config' | 'trees'>,
): Promise<readonly string[]> {
  const files = await changedFiles({ patch: await trees.diff(base, commit), base }, trees);
  return editedSuites(config, await trees.relativeToSystem(files));
}
