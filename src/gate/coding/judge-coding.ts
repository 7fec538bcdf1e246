import type { CodingSettings } from '../language/index.ts';
import type { CodingCall, CodingEffect } from './coding-call.ts';
import type { CodingRuling } from './coding-ruling.ts';
import { adviceOf } from './remedies.ts';

/**
 * Judges the effects of a call. Pure, and its work is bounded by the limits on the arguments: an
 * expression over the same lists would need more steps than expressions may take.
 */
export function judgeCoding(call: CodingCall, settings: CodingSettings): CodingRuling[] {
  const roots = settings.writes.map((path) => rootOf(path, call.project));
  const findings = call.effects.flatMap((effect) => findingsOf(effect, roots, call, settings));
  const unknown = call.unknown.filter((name) => !settings.programs.includes(name));
  findings.push(['unknown-program', unknown], ['unresolved', call.unresolved]);
  return findings
    .filter(([, values]) => values.length > 0)
    .flatMap(([rule, values]) => rulingOf(rule, values, settings));
}

/** A rule, and the values that it objects to. */
type Finding = readonly [rule: CodingRuling['rule'], values: readonly string[]];

function rulingOf(
  rule: CodingRuling['rule'],
  values: readonly string[],
  settings: CodingSettings,
): CodingRuling[] {
  // Nobody can allow an agent to change what holds it.
  const verdict = rule === 'control' ? 'deny' : settings.rules[rule];
  return verdict === 'allow' ? [] : [{ rule, verdict, ...adviceOf(rule, values, settings) }];
}

const simple: Readonly<Record<string, CodingRuling['rule']>> = {
  'secret.read': 'secret',
  'package.publish': 'publish',
  'git.history': 'git-history',
  'git.remote': 'git-remote',
  'cloud.change': 'cloud',
  'cluster.change': 'cluster',
  'infrastructure.change': 'infrastructure',
  'machine.change': 'machine',
  'container.run': 'container',
  'code.inline': 'inline-code',
  'shell.unconfined': 'unconfined',
  'surety.control': 'control',
};

const harmless = new Set(['file.read', 'infrastructure.plan']);

function findingsOf(
  effect: CodingEffect,
  roots: readonly string[],
  { project }: CodingCall,
  settings: CodingSettings,
): Finding[] {
  const { kind, on } = effect;
  const outside = () => on.filter((path) => !roots.some((root) => isWithin(path, root)));
  const rule = Object.hasOwn(simple, kind) ? simple[kind] : undefined;
  if (rule) return [[rule, on.length > 0 ? on : [kind]]];
  switch (kind) {
    case 'file.write':
      return [['write-outside', outside()], untested(effect, project)];
    case 'file.delete':
      return [
        ['delete-outside', outside()],
        ['delete-all', on.filter((path) => roots.some((root) => coversAll(path, root)))],
        untested(effect, project),
      ];
    case 'network.connect':
      return [['host', on.filter((host) => !settings.hosts.some((one) => isHost(host, one)))]];
    case 'code.run':
      return [['code-outside', on.filter((path) => !isWithin(path, project))]];
    case 'tool.use':
      return [
        ['unknown-tool', on.filter((name) => !settings.tools.some((one) => fits(name, one)))],
      ];
    case 'package.install':
      return installFindings(effect);
    case 'git.commit':
      return [
        ['git-commit', on.length > 0 ? on : [kind]],
        ['unverified-commit', effect.flags.includes('verified') ? [] : ['the working tree']],
      ];
    case 'git.push':
      return pushFindings(effect, settings);
    case 'database.change':
      return databaseFindings(effect);
    default:
      return harmless.has(kind) ? [] : [['unresolved', [`the effect ${kind} is not known`]]];
  }
}

const testName =
  /(?:^|\/)(?:tests?|__tests__|spec)\/|(?:[._-](?:test|spec)|(?:^|\/)test_[^/]*)\.\w+$/;

/** Tests come first, so they may be written at any time. */
function untested({ on, flags }: CodingEffect, project: string): Finding {
  const inProject = on.filter((path) => isWithin(path, project));
  const isDue = flags.includes('changeIsDue');
  return ['edit-untested', isDue ? [] : inProject.filter((path) => !testName.test(path))];
}

function installFindings({ on, flags }: CodingEffect): Finding[] {
  const packages = on.length > 0 ? on : ['packages'];
  return [
    ['global-package', flags.includes('isGlobal') ? packages : []],
    ['new-package', flags.includes('runsScripts') ? on : []],
  ];
}

function pushFindings({ on, flags }: CodingEffect, settings: CodingSettings): Finding[] {
  const isProtected = (ref: string): boolean =>
    settings.protectedBranches.some(
      (branch) => ref === branch || ref.endsWith(`:${branch}`) || ref.endsWith(`/${branch}`),
    );
  const what = on.length > 0 ? on : ['the current branch'];
  return [
    ['force-push', flags.includes('force') ? what : []],
    ['remote-delete', flags.includes('deletes') ? what : []],
    ['protected-branch', on.filter(isProtected)],
    ['git-push', what],
    ['unverified-push', flags.includes('verified') ? [] : what],
  ];
}

function databaseFindings({ on, flags }: CodingEffect): Finding[] {
  const what = on.length > 0 ? on : ['a statement'];
  return [
    ['database-unbounded', flags.includes('unbounded') ? what : []],
    ['database-change', flags.includes('withoutTransaction') ? what : []],
  ];
}

function rootOf(path: string, project: string): string {
  const joined = path.startsWith('/') ? path : path === '.' ? project : `${project}/${path}`;
  return joined.length > 1 ? joined.replace(/\/+$/, '') : joined;
}

/** Paths are absolute and normal; `*` in them stands for characters of one name. */
function isWithin(path: string, root: string): boolean {
  if (root === '' || path.split('/').includes('..')) return false;
  return path === root || path.startsWith(root === '/' ? '/' : `${root}/`);
}

/** Whether deleting the path deletes the directory, or everything in it. */
function coversAll(path: string, root: string): boolean {
  return isWithin(root, path.replace(/(?:\/\*+)+$/, '') || '/');
}

function isHost(host: string, allowed: string): boolean {
  return allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed;
}

function fits(name: string, allowed: string): boolean {
  return allowed.endsWith('*') ? name.startsWith(allowed.slice(0, -1)) : name === allowed;
}
