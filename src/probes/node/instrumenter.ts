import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Clock } from '../../kernel/index.ts';
import type { Instrumenter } from '../port.ts';
import { readProgram } from '../target/process-facts.ts';
import { descendantsOf } from '../target/process-tree.ts';
import { checkTarget, isNodeProgram } from '../target/target.ts';
import { attach } from './attach.ts';
import { NodeProcess } from './node-process.ts';
import { proveReadOnly } from './self-test.ts';

/** Looks into Node processes that nobody prepared, by an agent that never pauses them. */
export function createNodeInstrumenter(clock: Clock): Instrumenter {
  return {
    tier: 'production',
    find: findNodes,
    async attach(pid) {
      const attachment = await attach(await checkTarget(pid));
      try {
        return new NodeProcess(attachment, await proveReadOnly(attachment), clock);
      } catch (error) {
        await attachment.agent.call('close').catch(() => {});
        attachment.agent.cut();
        throw error;
      }
    },
  };
}

/** Programs in Node that only start another program. */
const launchers =
  /(?:^|\/)(?:npm|npx|npm-cli\.js|npx-cli\.js|yarn|yarn\.js|yarnpkg|pnpm|pnpm\.cjs|corepack|nodemon(?:\.js)?|concurrently(?:\.js)?|tsx(?:\/dist\/cli\.mjs)?|cli\.mjs)(?: |$)/;

async function findNodes(pid: number): Promise<readonly number[]> {
  const pids = [pid, ...(await descendantsOf(pid))];
  const isMeant = await Promise.all(pids.map(isApplication));
  return pids.filter((_, index) => isMeant[index]);
}

async function isApplication(pid: number): Promise<boolean> {
  if (!isNodeProgram(basename(await readProgram(pid)))) return false;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const words = command.split('\0').filter(Boolean);
  // npm writes its own title over its command line: one word with blanks.
  const script = words.slice(1).find((word) => !word.startsWith('-')) ?? '';
  const isTitle = words.length === 1 && words[0]?.includes(' ');
  return !launchers.test(isTitle ? (words[0] as string) : script);
}
