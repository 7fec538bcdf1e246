import type { Config } from '../../system/index.ts';

type DescribedService = Pick<Config, 'services'> & Partial<Pick<Config, 'overlays' | 'traffic'>>;

/** Variables of our own environment that are a secret of one service: no other one gets them. */
export function secretVariables({ services, overlays = {}, traffic }: DescribedService): string[] {
  const overlaid = Object.values(overlays).flatMap((overlay) => Object.values(overlay.services));
  const references = [...Object.values(services), ...overlaid].flatMap(({ secrets }) =>
    Object.values(secrets ?? {}),
  );
  const own = Object.values(traffic?.credentials ?? {});
  return [...references, ...own].flatMap((reference) => /^env:(\w+)$/.exec(reference)?.[1] ?? []);
}

/** For a text that an agent may have written: it must not be able to name them. */
export function withoutSecrets(environment: NodeJS.ProcessEnv, config: Config): NodeJS.ProcessEnv {
  const secret = secretVariables(config);
  const others = Object.entries(environment).filter(([name]) => !secret.includes(name));
  return Object.fromEntries(others);
}
