import { canonicalJson, type Json } from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';
import { systemSections } from '../baseline/running-config.ts';
import { loosened } from './loosened-confinement.ts';

export type ChangeKind = 'code' | 'configuration' | 'limits' | 'ingress';

export interface ConfigurationChange {
  /** What the lane's candidates are run by. */
  readonly config: Config;
  /** Those that are described in another way. */
  readonly services: readonly string[];
  readonly kinds: readonly ChangeKind[];
  /** Parts of surety.yaml that grant permissions, which agents must not change. */
  readonly guarded: readonly string[];
  /** It says what the one before says, in other words. */
  readonly isSame: boolean;
}

const open: ReadonlySet<string> = new Set(systemSections);

/**
 * What another surety.yaml means for a lane. Whatever it says about agents, people, quotas or
 * protected paths is not heeded: these are what the change is judged by.
 */
export function configurationChange(before: Config, after: Config): ConfigurationChange {
  if (before === after || same(before, after)) {
    return { config: before, services: [], kinds: [], guarded: [], isSame: true };
  }
  const names = Object.keys(after.services);
  const differ = (of: (config: Config) => unknown): boolean => !same(of(before), of(after));
  const limited = names.filter((name) => differ(({ services }) => services[name]?.limits));
  const told = names.filter((name) => differ((config) => toldOf(config, name)));
  const ingress = differ(({ ingress: at = null, frontDoorPort = null }) => [at, frontDoorPort]);
  const kinds: ChangeKind[] = [];
  if (told.length > 0) kinds.push('configuration');
  if (limited.length > 0) kinds.push('limits');
  if (ingress) kinds.push('ingress');
  const services = new Set([...told, ...limited]);
  if (ingress && after.ingress !== undefined) services.add(after.ingress);
  const sections = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof Config)[]);
  const guarded = [...sections]
    .filter((section) => !open.has(section) && differ((config) => config[section]))
    .map((section) => `surety.yaml (${section})`);
  if (differ(secretsIn)) guarded.push('surety.yaml (secrets)');
  guarded.push(...loosened(before, after).map((what) => `surety.yaml (${what})`));
  const { ingress: front, services: described, overlays } = after;
  const own = { services: described, overlays, ...(front ? { ingress: front } : {}) };
  const config = { ...before, ...own };
  return { config, services: [...services], kinds, guarded, isSame: false };
}

/** Also in the overlays: the system may run with one. */
function toldOf({ services, overlays }: Config, name: string): unknown {
  const overlaid = Object.entries(overlays).map(([overlay, { services: different }]) => [
    overlay,
    different[name] ?? null,
  ]);
  const relevant = overlaid.filter(([, different]) => different !== null);
  return [withoutLimits(services[name]), Object.fromEntries(relevant)];
}

/** Who gets which secret. A service that is new or gone without any is no difference. */
function secretsIn({ services, overlays }: Config): unknown {
  const named = (from: Readonly<Record<string, { readonly secrets?: object | undefined }>>) =>
    Object.entries(from).flatMap(([name, { secrets = {} }]) =>
      Object.keys(secrets).length > 0 ? [[name, secrets]] : [],
    );
  const overlaid = Object.entries(overlays).map(([name, one]) => [name, named(one.services)]);
  return [named(services), overlaid.filter(([, secrets]) => secrets?.length)];
}

function withoutLimits(service: Config['services'][string] | undefined): unknown {
  if (!service) return null;
  const { limits: _, ...rest } = service;
  return rest;
}

function same(left: unknown, right: unknown): boolean {
  return canonicalJson((left ?? null) as Json) === canonicalJson((right ?? null) as Json);
}
