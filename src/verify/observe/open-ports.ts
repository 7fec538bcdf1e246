import type { Candidate, Host, Lane } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import type { Listener, Transport } from '../compare/index.ts';
import { lookAtTls } from './tls-scan.ts';

export interface DoorDeps {
  readonly host: Pick<Host, 'listeners'>;
  readonly config: Pick<Config, 'services'>;
}

/** The doors that the instances of a lane have opened themselves, past every router. */
export async function lookAtDoors(
  lane: Lane,
  changed: Lane,
  { host, config }: DoorDeps,
): Promise<{ transports: Transport[]; listeners: Listener[] }> {
  const secured = lane.candidates.filter(({ service }) => isSecured(service, changed, config));
  const [transports, listeners] = await Promise.all([
    Promise.all(secured.map(({ service, port }) => lookAtTls(service, port))),
    Promise.all(lane.candidates.map((one) => listenersOf(one, host))),
  ]);
  return { transports, listeners: listeners.flat() };
}

/** In one of the versions: that it no longer is in the other is what one wants to see. */
function isSecured(
  service: string,
  { candidates }: Lane,
  { services }: DoorDeps['config'],
): boolean {
  const own = candidates.find((one) => one.service === service)?.protocol;
  return services[service]?.protocol === 'https' || own === 'https';
}

/** From here on the system gives ports to whoever does not care which: those differ each time. */
const anyPortMin = 32_768;

/** Its own port is another one in each lane, and no news. */
async function listenersOf(
  { service, name, port: own }: Candidate,
  host: DoorDeps['host'],
): Promise<Listener[]> {
  const open = await host.listeners(name);
  return open
    .filter(({ port }) => port !== own)
    .map(({ address, port }) => ({ service, address, port: port >= anyPortMin ? 0 : port }));
}
