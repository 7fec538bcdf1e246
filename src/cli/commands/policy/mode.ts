import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type EditedLine, editText } from '../../../document/index.ts';
import { fault, isFault, nearest } from '../../../kernel/index.ts';
import {
  loadPolicyFile,
  ownPolicyFiles,
  policyPath,
  readPolicy,
} from '../../../runtime/compose/policy-source.ts';
import { loadConfig } from '../../../runtime/load-config.ts';
import type { Invocation, RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

type Mode = 'enforce' | 'observe';
type Sources = ReturnType<typeof ownPolicyFiles>;

interface Change extends EditedLine {
  readonly file: string;
}

/** Rewrites `mode` in the policy files and waits until the daemon has adopted it. */
export async function setMode(
  mode: Mode,
  { place, output, words: tools }: Invocation,
): Promise<undefined> {
  const config = loadConfig(place);
  const file = policyPath(place, config, undefined);
  loadPolicyFile(file, config);
  const changes = rewrite(ownPolicyFiles(file), file, mode, tools);
  const { hash } = readPolicy(place, config);
  const adopted = await isAdopted(hash, () => connectDaemon(place));
  output.value({ mode, tools, hash, adopted, changes });
  for (const { file: changed, line, key, before, after } of changes) {
    const where = output.tone('dim', `${relative(process.cwd(), changed)}:${line}`);
    output.line(`${where}  ${key}: ${before ?? '(none)'} → ${output.tone('bold', after)}`);
  }
  if (changes.length === 0) output.line(`It is already in ${mode} mode.`);
  output.line(adopted ? 'The daemon has adopted it.' : 'No daemon runs; the next one adopts it.');
}

function rewrite(sources: Sources, root: string, mode: Mode, tools: readonly string[]): Change[] {
  const places = tools.length > 0 ? toolPlaces(sources, tools) : allPlaces(sources, root);
  const byFile = Map.groupBy(places, ({ file }) => file);
  return [...byFile].flatMap(([file, members]) => {
    const before = readFileSync(file, 'utf8');
    const edits = members.map(({ path }) => ({ path, value: mode }));
    const { text, lines } = editText(before, edits);
    if (text !== before) writeFileSync(file, text);
    return lines.map((line) => ({ file, ...line }));
  });
}

interface ModePlace {
  readonly file: string;
  readonly path: readonly string[];
}

function toolPlaces(sources: Sources, tools: readonly string[]): ModePlace[] {
  const known = sources.flatMap((source) => source.tools);
  return tools.map((tool) => {
    const source = sources.find((one) => one.tools.includes(tool));
    if (source) return { file: source.path, path: ['tools', tool, 'mode'] };
    const meant = nearest(tool, known);
    const where = meant === undefined ? '' : `; did you mean ${meant}?`;
    throw fault('POLICY_NOT_HERE', { tool, where, known: known.join(', ') || 'none' });
  });
}

/** The whole policy, and each tool with its own mode. */
function allPlaces(sources: Sources, root: string): ModePlace[] {
  return [
    { file: root, path: ['mode'] },
    ...sources.flatMap(({ path: file, toolModes }) =>
      toolModes.map((tool) => ({ file, path: ['tools', tool, 'mode'] })),
    ),
  ];
}

const looksMax = 200;

/** False without a daemon. The daemon checks every second whether the policy has changed. */
async function isAdopted(
  hash: string,
  connect: () => ReturnType<typeof connectDaemon>,
): Promise<boolean> {
  try {
    const client = connect();
    for (let attempt = 0; attempt < looksMax; attempt++) {
      const policy = await client.call('GET /v1/policy', {});
      if (policy.hash === hash) return true;
      await delay(50);
    }
    throw fault('POLICY_NOT_ADOPTED', { hash });
  } catch (error) {
    if (isFault(error, 'DAEMON_NOT_RUNNING')) return false;
    throw error;
  }
}

export const enforcePolicy: RunCommand = (invocation) => setMode('enforce', invocation);

export const observePolicy: RunCommand = (invocation) => setMode('observe', invocation);
