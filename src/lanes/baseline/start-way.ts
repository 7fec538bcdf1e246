import { fault, type JsonObject } from '../../kernel/index.ts';
import type { Config, ServiceConfig } from '../../system/index.ts';
import type { Tagging } from '../host/instance.ts';
import type { ServiceRow } from './services.ts';

/** Which services, and in which of the ways that surety.yaml knows. */
export interface UpRequest {
  readonly overlay?: string | undefined;
  /** Node services as their users start them: no key is passed on, and nothing is reported. */
  readonly isWithoutPreload?: boolean | undefined;
}

/** As a proposal names it. */
export function upArguments({ overlay, isWithoutPreload }: UpRequest): JsonObject {
  return {
    ...(overlay ? { overlay } : {}),
    ...(isWithoutPreload ? { isWithoutPreload } : {}),
  };
}

/** How a service of the baseline is started, where that is not the usual way. */
export type StartWay = Pick<ServiceRow, 'overlay' | 'isWithoutPreload'>;

/** A service that is started again keeps its way. */
export function wayOf(row: StartWay | undefined): StartWay {
  return {
    overlay: row?.overlay ?? null,
    ...(row?.isWithoutPreload ? { isWithoutPreload: true } : {}),
  };
}

export function hasPreload({ tagging }: ServiceConfig, { isWithoutPreload }: StartWay): boolean {
  return tagging === 'preload' && !isWithoutPreload;
}

/** Refuses a service that only the preload brings to its port. */
export function checkPreload({ services }: Config): void {
  const entries = Object.entries(services);
  const [found] = entries.find(([, { tagging, builtInPort }]) => {
    return tagging === 'preload' && builtInPort !== undefined;
  }) ?? [''];
  if (found) throw fault('PRELOAD_NEEDED', { service: found });
}

/** As the user of a service starts it. */
export const noTagging: Tagging = () => ({});
