import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { harnesses } from '../../../hook/index.ts';
import { fault, sha256, tryOr, writePrivateFile } from '../../../kernel/index.ts';
import type { WorkspacePlace } from '../../../runtime/place.ts';
import { exitCodes, type Invocation, type RunCommand } from '../../command.ts';
import { readAgent } from '../../options/agent-name.ts';
import { confirm } from '../../options/confirm.ts';
import { readClientFile, replaceClientFile } from '../mcp/clients/index.ts';
import { addHooks, hookedEvents, removeHooks } from './edit-hooks.ts';
import { readHarness } from './harness-name.ts';
import { type HookFile, hookCommand, hookFiles } from './hook-files.ts';

/** The file belongs to another program: the change is shown, confirmed, and made after a backup. */
export const add: RunCommand = async (invocation) => {
  const { place, options, output } = invocation;
  const { name, file, path } = readTarget('hook add', invocation);
  const agent = readAgent('hook add', options.agent);
  const command = hookCommand(name, agent, place, options.failOpen === true);
  const before = readClientFile(path);
  const after = edited(path, () => addHooks(before ?? '', file, command));
  const result = { harness: name, path, command, events: file.events };
  if (after === before) {
    output.value({ ...result, changed: false, backup: null });
    output.line(`${titleOf(name)} has it already, in ${path}`);
    return exitCodes.ok;
  }
  output.line(`${path} gets hooks for ${file.events.join(', ')}:\n  ${command}`);
  if (options.yes !== true && !(await confirm(`Add them to ${titleOf(name)}?`, '--yes'))) {
    output.value({ ...result, changed: false, backup: null });
    return exitCodes.bad;
  }
  const backup = replaceClientFile(path, before, after);
  writePrivateFile(undoFile(place, name), JSON.stringify({ backup, written: sha256(after) }));
  output.value({ ...result, changed: true, backup });
  output.line(`${output.tone('good', 'added')}  hooks to ${path}`);
  if (backup !== null) output.line(`    backup  ${backup}`);
  if (file.note !== undefined) output.line(`    note    ${file.note}`);
  return exitCodes.ok;
};

/** Restores the file as it was, or takes only our entries out if it was changed since. */
export const remove: RunCommand = async (invocation) => {
  const { place, options, output } = invocation;
  const { name, file, path } = readTarget('hook remove', invocation);
  const before = readClientFile(path);
  const isThere = before !== null && edited(path, () => hookedEvents(before, file)).length > 0;
  if (!isThere) {
    output.value({ harness: name, path, changed: false });
    output.line(`${titleOf(name)} has no hooks of Surety in ${path}`);
    return exitCodes.ok;
  }
  if (options.yes !== true && !(await confirm(`Remove the hooks from ${path}?`, '--yes'))) {
    output.value({ harness: name, path, changed: false });
    return exitCodes.bad;
  }
  restore(path, before, file, readUndo(place, name));
  rmSync(undoFile(place, name), { force: true });
  output.value({ harness: name, path, changed: true });
  output.line(`${output.tone('good', 'removed')}  hooks from ${path}`);
  return exitCodes.ok;
};

/** Exits with 1 if a harness that was named has no hooks. */
export const status: RunCommand = async ({ place, words: [given], output }) => {
  const names = given === undefined ? Object.keys(hookFiles) : [readHarness('hook status', given)];
  const found = names.map((name) => {
    const file = hookFiles[name] as HookFile;
    const path = join(place.root, file.file);
    const text = readClientFile(path) ?? '';
    const events = edited(path, () => hookedEvents(text, file));
    return { harness: name, path, events, isComplete: events.length === file.events.length };
  });
  for (const one of found) {
    output.value(one);
    const state = one.isComplete ? 'hooked' : one.events.length > 0 ? 'in part' : 'no hooks';
    const tone = one.isComplete ? 'good' : 'dim';
    output.line(`${one.harness.padEnd(8)}${output.tone(tone, state.padEnd(10))}${one.path}`);
  }
  const isMissing = given !== undefined && found.some(({ isComplete }) => !isComplete);
  return isMissing ? exitCodes.bad : exitCodes.ok;
};

interface Undo {
  readonly backup: string | null;
  /** The hash of what `add` wrote. */
  readonly written: string;
}

function restore(path: string, before: string, file: HookFile, undo: Undo | undefined): void {
  const isAsWritten = undo !== undefined && sha256(before) === undo.written;
  if (isAsWritten && undo.backup === null) {
    rmSync(path);
    return;
  }
  const backup =
    isAsWritten && undo.backup !== null && existsSync(undo.backup) ? undo.backup : null;
  const after =
    backup === null ? edited(path, () => removeHooks(before, file)) : readFileSync(backup, 'utf8');
  replaceClientFile(path, before, after);
}

function undoFile({ state }: WorkspacePlace, harness: string): string {
  return join(state, 'hooks', `${harness}.json`);
}

function readUndo(place: WorkspacePlace, harness: string): Undo | undefined {
  const read = () => JSON.parse(readFileSync(undoFile(place, harness), 'utf8')) as Undo;
  return tryOr(read, undefined);
}

function readTarget(command: string, { place, words: [given] }: Invocation) {
  const name = readHarness(command, given);
  const file = hookFiles[name] as HookFile;
  return { name, file, path: join(place.root, file.file) };
}

function titleOf(name: string): string {
  return harnesses[name]?.title ?? name;
}

function edited<Value>(path: string, edit: () => Value): Value {
  try {
    return edit();
  } catch (error) {
    throw fault('CLIENT_FILE_INVALID', { path, reason: (error as Error).message }, error);
  }
}
