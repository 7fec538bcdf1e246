import type { Lane } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';

interface RunningService {
  readonly service: string;
  readonly instance: string;
  /** Its name on the host. */
  readonly name: string;
}

export interface MemoryObservation {
  readonly baseline: readonly RunningService[];
  readonly lanes: readonly Pick<Lane, 'lane' | 'candidates'>[];
  readonly states: ReadonlyMap<string, { readonly memoryBytes: number | null }>;
}

/**
 * The memory of services without our preload, in the baseline and in lanes, as the keeper measures
 * it from outside. Other services report theirs.
 */
export function serviceMemory(
  { baseline, lanes, states }: MemoryObservation,
  config: Config,
  now: number,
) {
  const candidates = lanes.flatMap(({ lane, candidates }) =>
    candidates.map((candidate) => ({ ...candidate, lane })),
  );
  const all = [...baseline.map((one) => ({ ...one, lane: '' })), ...candidates];
  return all.flatMap(({ service, instance, name, lane }) => {
    const memoryBytes = states.get(name)?.memoryBytes ?? null;
    return memoryBytes === null || !isSilent(service, config)
      ? []
      : {
          service,
          instance,
          lane,
          atNs: `${now}000000`,
          name: 'container.memory.usage',
          unit: 'By',
          value: memoryBytes,
        };
  });
}

const isSilent = (service: string, { services }: Config): boolean =>
  services[service]?.tagging !== 'preload';

/** Measuring costs something, so it is done only if there is such a service. */
export function mustLook(config: Config): boolean {
  return Object.keys(config.services).some((service) => isSilent(service, config));
}
