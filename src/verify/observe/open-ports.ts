import type { Candidate, Host, Lane } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import type { Listener, Transport } from '../compare/index.ts';
import { scanTls } from './tls-scan.ts';

type PortHost = Pick<Host, 'listeners'>;
type Services = Pick<Config, 'services'>;

/** Scans the ports that the instances of a lane have opened themselves, past the router. */
export async function scanPorts(
  lane: Lane,
  changed: Lane,
  { host, config }: { readonly host: PortHost; readonly config: Services },
): Promise<{ transports: Transport[]; listeners: Listener[] }> {
  const secured = lane.candidates.filter(({ service }) => isSecured(service, changed, config));
  const [transports, listeners] = await Promise.all([
    Promise.all(secured.map(({ service, port }) => scanTls(service, port))),
    Promise.all(lane.candidates.map((one) => listenersOf(one, host))),
  ]);
  return { transports, listeners: listeners.flat() };
}

/** In either version: that one of them no longer has TLS is what to find. */
function isSecured(service: string, { candidates }: Lane, { services }: Services): boolean {
  const own = candidates.find((one) => one.service === service)?.protocol;
  return services[service]?.protocol === 'https' || own === 'https';
}

/** From here on the operating system picks ports, which differ each time. */
const anyPortMin = 32_768;

/** Without its own port, which differs from lane to lane. */
async function listenersOf(
  { service, name, port: own }: Candidate,
  host: PortHost,
): Promise<Listener[]> {
  const open = await host.listeners(name);
  return open
    .filter(({ port }) => port !== own)
    .map(({ address, port }) => ({ service, address, port: port >= anyPortMin ? 0 : port }));
}
