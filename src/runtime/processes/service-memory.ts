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
 * The memory of services that report nothing by our preload, of the baseline and of lanes, as the
 * keeper sees it from outside. The others tell theirs themselves.
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

/** To look from outside costs something, which nobody pays who has no such service. */
export function mustLook(config: Config): boolean {
  return Object.keys(config.services).some((service) => isSilent(service, config));
}
