import { confinementLimits } from '../../confinement/index.ts';
import { canonicalJson, type Json } from '../../kernel/index.ts';
import type { Config, ServiceConfig } from '../../system/index.ts';

/**
 * What a change of surety.yaml adds, widens or redirects of that which confines the change: which
 * programs are started, where, and within which limits. Code it may change at will, since code
 * runs inside of the confinement.
 */
export function loosened(before: Config, after: Config): string[] {
  const services = Object.entries(after.services).flatMap(([name, service]) =>
    loosenedService(before.services[name], service).map((what) => `services.${name}${what}`),
  );
  const overlays = Object.entries(after.overlays).flatMap(([overlay, { services: told }]) =>
    Object.entries(told).flatMap(([name, service]) => {
      const known = before.overlays[overlay]?.services[name];
      const own = after.services[name];
      const what = [
        ...changed(['command'], known, service),
        ...widened({ ...own?.limits, ...known?.limits }, { ...own?.limits, ...service.limits }),
      ];
      return what.map((one) => `overlays.${overlay}.services.${name}.${one}`);
    }),
  );
  const stores = Object.entries(after.datastores).flatMap(([name, store]) =>
    changed(['migrations', 'seeds', 'branch'], before.datastores[name], store).map(
      (what) => `datastores.${name}.${what}`,
    ),
  );
  return [...services, ...overlays, ...stores];
}

function loosenedService(before: ServiceConfig | undefined, after: ServiceConfig): string[] {
  if (!before) return [''];
  const programs = changed(['command', 'install', 'build', 'directory'], before, after);
  const inLanes = changed(['command'], before.lane, after.lane).map((what) => `lane.${what}`);
  const fields = [...programs, ...inLanes, ...widened(before.limits, after.limits)];
  return fields.map((field) => `.${field}`);
}

/** A field that goes is no program more. */
function changed<Part extends object>(
  fields: readonly (keyof Part & string)[],
  before: Part | undefined,
  after: Part,
): string[] {
  const text = (value: unknown): string => canonicalJson((value ?? null) as Json);
  return fields.filter(
    (field) => after[field] !== undefined && text(before?.[field]) !== text(after[field]),
  );
}

type Limits = ServiceConfig['limits'];

/** What holds where surety.yaml says nothing. */
const defaults = {
  memoryMb: confinementLimits.confinedMemoryMb,
  processes: confinementLimits.confinedProcesses,
  cpu: Number.POSITIVE_INFINITY,
};

function widened(before: Limits, after: Limits): string[] {
  const names = Object.keys(defaults) as (keyof typeof defaults)[];
  const most = (limits: Limits, name: keyof typeof defaults): number =>
    limits[name] ?? defaults[name];
  return names
    .filter((name) => most(after, name) > most(before, name))
    .map((name) => `limits.${name}`);
}
