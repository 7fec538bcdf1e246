import { durationMs, durationPattern, type Fault, fault } from '../../../kernel/index.ts';
import type { ContextRequest, ProbePlacement } from '../../../probes/index.ts';
import type { Invocation } from '../../command.ts';
import { wholeNumber } from '../../options/whole-number.ts';

/** The words and options of `probe add` and `probe check` as a request. */
export function readPlacement(
  { words: [given = ''], options }: Pick<Invocation, 'words' | 'options'>,
  services: readonly string[],
): ProbePlacement {
  const { file, ...at } = readPlace(given);
  const text = (name: string): string | undefined =>
    typeof options[name] === 'string' ? options[name] : undefined;
  const { pid } = options;
  const service = text('service') ?? (pid === undefined ? findService(file, services) : undefined);
  return {
    file,
    ...at,
    ...readKind(options),
    ...defined('service', service),
    ...defined('lane', text('lane')),
    ...defined('condition', text('if')),
    ...defined('reason', text('reason')),
    ...defined('pid', pid === undefined ? undefined : wholeNumber('--pid', pid, 1, 1)),
    ...defined('sampleRate', text('sample') === undefined ? undefined : Number(text('sample'))),
    ...defined(
      'hitsMax',
      text('hits') === undefined ? undefined : wholeNumber('--hits', options.hits, 1, 1),
    ),
    ...defined(
      'ttlMs',
      text('for') === undefined ? undefined : readDuration(text('for') as string),
    ),
    ...(options.allowStall ? { allowStall: true } : {}),
    ...(options.allowProduction ? { allowProduction: true } : {}),
  };
}

/** The words and options of `probe context` as a request. */
export function readContext(
  { words: [given = ''], options }: Pick<Invocation, 'words' | 'options'>,
  services: readonly string[],
): ContextRequest {
  const [, file, first, last = first] = /^(.+):(\d+)(?:-(\d+))?$/.exec(given) ?? [];
  if (file === undefined) throw usage(`${given} names no lines: write file:first-last`);
  const { pid, service, lane, reason, for: duration } = options;
  const found = pid === undefined ? (service ?? findService(file, services)) : undefined;
  return {
    file,
    fromLine: Number(first),
    toLine: Number(last),
    ...defined('service', found === undefined ? undefined : String(found)),
    ...defined('pid', pid === undefined ? undefined : wholeNumber('--pid', pid, 1, 1)),
    ...defined('lane', lane === undefined ? undefined : String(lane)),
    ...defined('reason', reason === undefined ? undefined : String(reason)),
    ...(options.allowProduction ? { allowProduction: true } : {}),
    ...defined('forMs', duration === undefined ? undefined : readDuration(String(duration))),
  };
}

function readPlace(given: string): { file: string; line?: number; function?: string } {
  const [, file, line] = /^(.+):(\d+)$/.exec(given) ?? [];
  if (file !== undefined) return { file, line: Number(line) };
  const [, other, name] = /^(.+)#([\w$.]+)$/.exec(given) ?? [];
  if (other !== undefined && name !== undefined) return { file: other, function: name };
  throw usage(`${given} is no place: write file:line or file#function`);
}

/** Which kinds have an expression, and how it is called. */
function readKind(options: Invocation['options']): Partial<ProbePlacement> {
  const text = (name: string): string => String(options[name]);
  const kinds: Readonly<Record<string, () => Partial<ProbePlacement>>> = {
    log: () => ({ kind: 'log', template: text('log') }),
    metric: () => ({ kind: 'metric', expressions: [text('metric')] }),
    types: () => ({
      kind: 'types',
      expressions: [text('types'), ...(options.by === undefined ? [] : [text('by')])],
    }),
    counter: () => ({ kind: 'counter' }),
    branch: () => ({ kind: 'branch' }),
    duration: () => ({
      kind: 'duration',
      ...(options.to === undefined ? {} : { toLine: wholeNumber('--to', options.to, 1, 1) }),
    }),
    exception: () => ({ kind: 'exception', ...read(options) }),
    snapshot: () => ({ kind: 'snapshot', ...read(options) }),
  };
  const chosen = Object.keys(kinds).filter((name) => options[name] !== undefined);
  if (chosen.length > 1) throw usage(`a probe is of one kind, not ${chosen.join(' and ')}`);
  return (kinds[chosen[0] ?? 'snapshot'] as () => Partial<ProbePlacement>)();
}

function read({ read: given }: Invocation['options']): Partial<ProbePlacement> {
  if (typeof given !== 'string') return {};
  return { expressions: given.split(',').map((one) => one.trim()) };
}

/** `orders/src/validate.ts` is of the service `orders`. */
function findService(file: string, services: readonly string[]): string {
  const parts = file.split('/');
  const found = services.filter((service) => parts.includes(service));
  if (found.length === 1) return found[0] as string;
  if (services.length === 1) return services[0] as string;
  throw usage(`name the service with --service: ${services.join(', ')}`);
}

function readDuration(text: string): number {
  if (durationPattern.test(text)) return durationMs(text);
  throw usage(`--for ${text} is no duration such as 5m`);
}

function defined<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): Partial<Record<Name, Value>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, Value>);
}

function usage(reason: string): Fault {
  return fault('USAGE', { reason, help: 'surety probe add --help' });
}
