import { type JsonObject, sha256 } from '../kernel/index.ts';
import type { AgentAction } from './action.ts';
import { type CommandEffect, EffectList, type EffectValues } from './effect.ts';
import { hookLimits } from './limits.ts';
import { hostOf } from './programs/network.ts';
import { guardedBy } from './protected-paths.ts';
import { secretsAt } from './secret-paths.ts';
import { analyzeCommand, type CommandPlace } from './shell/analyze.ts';
import { isConfined } from './shell/confined-command.ts';
import { exact } from './shell/field.ts';
import type { FileFacts } from './shell/file-facts.ts';
import { absolutePaths } from './shell/path.ts';

/** The proposal that a call of a harness's tool becomes. */
export interface HookProposal {
  readonly tool: 'shell.run' | 'file.edit' | 'file.read' | 'web.fetch' | 'harness.use';
  readonly arguments: JsonObject;
}

/** Null for a tool that has no effect outside of the harness. */
export function proposalOf(
  action: AgentAction,
  place: CommandPlace,
  files: FileFacts,
): HookProposal | null {
  switch (action.kind) {
    case 'shell': {
      const directory = action.directory ?? place.directory;
      const effects = analyzeCommand(action.command, { ...place, directory }, files);
      if (!isConfined(action.command))
        effects.add({ kind: 'shell.unconfined', values: { operations: ['this command'] } });
      const more = { command: shownCommand(action.command) };
      return { tool: 'shell.run', arguments: argumentsOf(effects, { ...place, directory }, more) };
    }
    case 'edit':
    case 'delete':
      return { tool: 'file.edit', arguments: fileArguments(action, place, files) };
    case 'read':
      return { tool: 'file.read', arguments: fileArguments(action, place, files) };
    case 'fetch':
      return { tool: 'web.fetch', arguments: fetchArguments(action.addresses, place) };
    case 'harmless':
      return null;
    case 'unknown':
      return { tool: 'harness.use', arguments: toolArguments(action.tool, place) };
  }
}

function argumentsOf(effects: EffectList, place: CommandPlace, more: JsonObject): JsonObject {
  const { directory, project } = place;
  const list = effects.list().map((effect) => shownEffect(effect, project, effects.unresolved));
  return {
    ...more,
    directory,
    project,
    effects: list,
    unknown: clip([...effects.unknownPrograms]),
    unresolved: clip([...effects.unresolved]),
  };
}

function shownCommand(command: string): string {
  const limit = hookLimits.shownCommandCharsMax;
  if (command.length <= limit) return command;
  return `${command.slice(0, limit).toWellFormed()}… (sha256 ${sha256(command)})`;
}

function clip(texts: readonly string[]): string[] {
  const { effectValuesMax, effectValueCharsMax } = hookLimits;
  return texts
    .slice(0, effectValuesMax)
    .map((text) => text.slice(0, effectValueCharsMax).toWellFormed());
}

/** Lists that rules look at. Others, such as the directory of a push, are left out. */
const judgedLists = ['paths', 'hosts', 'operations', 'packages', 'refs', 'languages', 'images'];

/** What does not fit into a proposal is not judged, so a person has to look. */
function shownEffect(
  { kind, values }: CommandEffect,
  project: string,
  unresolved: Set<string>,
): JsonObject {
  const on = judgedLists.flatMap((name) => listIn(values, name));
  const clipped = clip(on);
  const isWhole = clipped.length === on.length && clipped.every((text, at) => text === on[at]);
  if (!isWhole) unresolved.add(`${kind} has more or longer values than can be judged`);
  const flags = Object.keys(values).filter((name) => values[name] === true);
  // Of a commit or a push: below the project there may be another repository.
  const isElsewhere = listIn(values, 'directories').some((directory) => directory !== project);
  return { kind, on: clipped, flags: isElsewhere ? [...flags, 'elsewhere'] : flags };
}

function listIn(values: EffectValues, name: string): readonly string[] {
  const value = values[name];
  return Array.isArray(value) ? value : [];
}

function fileArguments(
  action: Extract<AgentAction, { kind: 'edit' | 'delete' | 'read' }>,
  place: CommandPlace,
  files: FileFacts,
): JsonObject {
  const { kind, paths } = action;
  const { directory, home } = place;
  const effects = new EffectList();
  const effect = ({ edit: 'file.write', delete: 'file.delete', read: 'file.read' } as const)[kind];
  for (const given of paths) {
    const [path = given] = absolutePaths(exact(given), [directory]) ?? [];
    const real = files.realPath(path);
    effects.add({ kind: effect, values: { paths: [real] } });
    if (kind !== 'read') {
      const verb = kind === 'edit' ? 'write' : 'delete';
      for (const one of [...guardedBy(path, home, verb), ...guardedBy(real, home, verb)])
        effects.add(one);
    } else if (secretsAt(real, place, false) || secretsAt(path, place, false))
      effects.add({ kind: 'secret.read', values: { paths: [real] } });
  }
  if (paths.length === 0) effects.unresolved.add('the tool names no file');
  const content = action.kind === 'edit' ? { content: sha256(action.content).slice(0, 32) } : {};
  return argumentsOf(effects, place, content);
}

function fetchArguments(addresses: readonly string[], place: CommandPlace): JsonObject {
  const effects = new EffectList();
  for (const address of addresses) {
    const host = /^https?:/i.test(address) ? hostOf(address) : undefined;
    if (host === undefined) effects.unresolved.add(`${address.slice(0, 200)} names no host`);
    else effects.add({ kind: 'network.connect', values: { hosts: [host] } });
  }
  if (addresses.length === 0) effects.unresolved.add('the tool names no address');
  return argumentsOf(effects, place, {});
}

const toolNameCharsMax = 200;

function toolArguments(tool: string, { directory, project }: CommandPlace): JsonObject {
  const name = tool.slice(0, toolNameCharsMax).toWellFormed();
  return { directory, project, tool: name, effects: [{ kind: 'tool.use', on: [name], flags: [] }] };
}
