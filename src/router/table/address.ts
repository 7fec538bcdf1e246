import { hostname, networkInterfaces } from 'node:os';

export interface Address {
  readonly host: string;
  readonly port: number;
}

const addressForm = /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9._-]{1,253})):(\d{1,5})$/;

/** `host:port`, with an IPv6 host in brackets; undefined for anything else. */
export function parseAddress(text: string): Address | undefined {
  const [, numeric, name, digits] = addressForm.exec(text) ?? [];
  const host = (numeric ?? name)?.toLowerCase().replace(/\.$/, '');
  const port = Number(digits);
  return host && port >= 1 && port <= 65_535 ? { host, port } : undefined;
}

export function formatAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

const loopback = /^(?:(?:.+\.)?localhost|(?:::ffff:)?127(?:\.\d{1,3}){3}|::1|0\.0\.0\.0|::)$/;

/** Leads to this machine wherever it is used, as the two addresses for "any" do on Linux. */
export function isLoopback(host: string): boolean {
  return loopback.test(host);
}

/** One of the names and addresses that this machine has at present; asks the system for them. */
export function isOwnName(host: string): boolean {
  if (host === hostname().toLowerCase()) return true;
  const interfaces = Object.values(networkInterfaces()).flat();
  return interfaces.some((one) => one?.address.toLowerCase() === host);
}
