import { withMember } from '../routing/lane-key.ts';
import { invalid } from '../table/table-forms.ts';

/** Between two neighbours only; each side of the router has its own. */
const hopByHop = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** Stay whatever a Connection header says: the length of the body, the key, and whom it is for. */
const kept = new Set(['content-length', 'host', 'baggage', 'tracestate', 'traceparent']);

type Treatment = 'pass' | 'drop' | 'host';

/** By name as it is written; the same few come again and again. */
const treatments = new Map<string, Treatment>();
const treatmentsMax = 2_000;

function treatmentOf(name: string): Treatment {
  const known = treatments.get(name);
  if (known) return known;
  const treatment = judge(name.toLowerCase());
  if (treatments.size < treatmentsMax) treatments.set(name, treatment);
  return treatment;
}

/** What is Surety's own ends here: the service gets the key, and its caller need not know. */
function judge(name: string): Treatment {
  if (hopByHop.has(name) || name.startsWith('x-surety-')) return 'drop';
  return name === 'host' ? 'host' : 'pass';
}

/** Name, value, name, value, without what is for us or for a neighbour. */
export function endToEnd(raw: readonly string[], connection?: string): string[] {
  const dropped = connection === undefined ? undefined : namedByConnection(connection);
  const lines: string[] = [];
  let hosts = 0;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] as string;
    const treatment = treatmentOf(name);
    if (treatment === 'drop' || dropped?.has(name.toLowerCase())) continue;
    // With two hosts, the router and the service could each use another one.
    if (treatment === 'host' && ++hosts > 1) throw invalid('it names more than one host');
    lines.push(name, raw[index + 1] as string);
  }
  return lines;
}

const usual = /^(?:keep-alive|close)$/i;

function namedByConnection(connection: string): ReadonlySet<string> | undefined {
  if (usual.test(connection)) return undefined;
  const names = connection.split(',').map((name) => name.trim().toLowerCase());
  return new Set(names.filter((name) => !kept.has(name)));
}

/** Puts the key where the services on the way will look for it. */
export function putKey(lines: string[], key: string): void {
  putMember(lines, 'baggage', ['surety-lane', key]);
  putMember(lines, 'tracestate', ['surety', key]);
}

function putMember(lines: string[], header: string, [name, key]: readonly [string, string]): void {
  const old = take(lines, header);
  lines.push(header, withMember(old.join(','), name, key));
}

function take(lines: string[], header: string): string[] {
  const values: string[] = [];
  for (let index = lines.length - 2; index >= 0; index -= 2) {
    if (lines[index]?.toLowerCase() !== header) continue;
    values.unshift(lines[index + 1] as string);
    lines.splice(index, 2);
  }
  return values;
}

/** Headers as an object, with lower-case names as HTTP/2 requires. */
export function asObject(lines: readonly string[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = Object.create(null);
  for (let index = 0; index < lines.length; index += 2) {
    const name = (lines[index] as string).toLowerCase();
    const value = lines[index + 1] as string;
    const known = headers[name];
    if (known === undefined) headers[name] = value;
    else headers[name] = [known, value].flat();
  }
  return headers;
}

/** The value of the first header of that name, which is given in small letters. */
export function findHeader(lines: readonly string[], wanted: string): string | undefined {
  for (let index = 0; index < lines.length; index += 2) {
    const name = lines[index] as string;
    if (name.length === wanted.length && name.toLowerCase() === wanted) return lines[index + 1];
  }
  return undefined;
}
