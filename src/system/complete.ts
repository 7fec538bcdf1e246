import { type ConfineConfig, confineConfig } from './confine-schema.ts';
import type { ConfigDocument } from './schema.ts';

type WrittenConfig = ConfigDocument['services'][string];

/** A service as it is worked with: where it is, is known whether it is started here or not. */
export type ServiceConfig = Omit<WrittenConfig, 'port' | 'address'> & {
  /** The port of its address, if it has one. */
  readonly port: number;
  readonly host: string;
  /** It runs already, and not under us. */
  readonly isElsewhere: boolean;
};

export type Config = Omit<ConfigDocument, 'services' | 'ingress' | 'confine'> & {
  readonly confine: ConfineConfig;
  readonly services: Readonly<Record<string, ServiceConfig>>;
  readonly ingress?: string;
  /** Where the router listens for requests from outside. */
  readonly frontDoorPort?: number;
};

/** What was written in one of several ways, in one way. */
export function complete({ services, ingress, confine, ...rest }: ConfigDocument): Config {
  const entries = Object.entries(services).map(([name, service]) => [name, located(service)]);
  const others = { ...rest, confine: confineConfig(confine) };
  return { ...others, services: Object.fromEntries(entries), ...door(ingress) };
}

function located({ address, port = 0, ...service }: WrittenConfig): ServiceConfig {
  if (address === undefined) return { ...service, port, host: '127.0.0.1', isElsewhere: false };
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  return { ...service, host, port: Number(address.slice(colon + 1)), isElsewhere: true };
}

function door(ingress: ConfigDocument['ingress']): Pick<Config, 'ingress' | 'frontDoorPort'> {
  if (ingress === undefined) return {};
  if (typeof ingress === 'string') return { ingress };
  return { ingress: ingress.service, frontDoorPort: ingress.port };
}
