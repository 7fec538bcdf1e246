import { realpathSync } from 'node:fs';
import { sha256, systemRandom } from '../../kernel/index.ts';

/**
 * Every child gets this variable and hands it down to whatever it starts. It is how a process is
 * recognised as ours when parent, group and session no longer tell: after setsid, or when the
 * keeper itself was killed.
 */
export const markVariable = 'SURETY_MARK';

export interface ProcessMark {
  /** Which keeper, that is: which state directory. */
  readonly keeper: string;
  readonly name: string;
  readonly instance: string;
}

export function keeperIdentifier(stateDirectory: string): string {
  return sha256(realpathSync(stateDirectory)).slice(0, 16);
}

export function newInstance(): string {
  return Buffer.from(systemRandom(8)).toString('hex');
}

export function formatMark({ keeper, name, instance }: ProcessMark): string {
  return `${keeper}/${name}/${instance}`;
}

export function parseMark(text: string): ProcessMark | undefined {
  const [, keeper, name, instance] = /^([0-9a-f]{16})\/([^/]+)\/([0-9a-f]{16})$/.exec(text) ?? [];
  return keeper && name && instance ? { keeper, name, instance } : undefined;
}
