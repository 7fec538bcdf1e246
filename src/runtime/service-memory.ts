import type { Config } from '../system/index.ts';

interface Seen {
  readonly service: string;
  readonly instance: string | null;
  readonly memoryBytes: number | null;
}

/**
 * The memory of services that report nothing by our preload, as the keeper sees it from outside.
 * The others tell theirs themselves.
 */
export function serviceMemory(status: readonly Seen[], { services }: Config, now: number) {
  return status.flatMap(({ service, instance, memoryBytes }) =>
    memoryBytes === null || services[service]?.tagging === 'preload'
      ? []
      : {
          service,
          instance: instance ?? service,
          lane: '',
          atNs: `${now}000000`,
          name: 'container.memory.usage',
          unit: 'By',
          value: memoryBytes,
        },
  );
}
