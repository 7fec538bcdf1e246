/** Headers of a message, as clients of queues have them; some give bytes. */
export type MessageHeaders = Readonly<Record<string, unknown>>;

/** As much of what runs in a service under Surety as this needs; elsewhere there is none of it. */
interface Messages {
  readonly lane: string | undefined;
  headersToSend(given: Readonly<Record<string, string>>): Record<string, string> | undefined;
  read(headers: Readonly<Record<string, string>>): Read | undefined;
  whose(message: Read & { name: string }): Promise<'mine' | 'theirs' | 'refused'>;
  open(read: Read): unknown;
  serve<Result>(opened: unknown, handler: () => Result): Result;
  refuse(message: { key: string; name: string }): void;
}

interface Read {
  readonly key: string;
}

const preload = Symbol.for('surety.messages');

function messages(): Messages | undefined {
  return (process as { [preload]?: () => Messages })[preload]?.();
}

/** The key of the lane that a message belongs to; undefined for a message of nobody. */
export function keyOf(headers: MessageHeaders): string | undefined {
  return /(?:^|,)\s*surety-lane=([\w-]{1,64})/.exec(plain(headers).baggage ?? '')?.[1];
}

/** What to publish with: the given headers, and the key of the request that is served here. */
export function withKey<Headers extends MessageHeaders>(
  headers: Headers = {} as Headers,
): Headers & Record<string, unknown> {
  const added = messages()?.headersToSend(plain(headers));
  if (added === undefined) return headers;
  const own = ['baggage', 'tracestate', 'traceparent', 'x-surety-from'];
  const entries = own.flatMap((name) => (added[name] === undefined ? [] : [[name, added[name]]]));
  return { ...headers, ...Object.fromEntries(entries) };
}

/** Whether it is this process that consumes the message. Leave it alone, or pass it on, if not. */
export async function isMine(headers: MessageHeaders, name = 'a queue'): Promise<boolean> {
  const here = messages();
  if (!here) return true;
  const read = here.read(plain(headers));
  if (!read) return here.lane === undefined;
  const whose = await here.whose({ ...read, name });
  if (whose === 'refused') here.refuse({ ...read, name });
  return whose === 'mine';
}

/** Runs a handler on behalf of a message: what it calls and publishes carries the key. */
export function onBehalfOf<Result>(headers: MessageHeaders, handler: () => Result): Result {
  const here = messages();
  const read = here?.read(plain(headers));
  return here && read ? here.serve(here.open(read), handler) : handler();
}

/** A name for what must not be shared with the baseline: a consumer group, a durable, a queue. */
export function ownName(name: string): string {
  const lane = messages()?.lane;
  return lane === undefined ? name : `${name}-${lane}`;
}

function plain(headers: MessageHeaders): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    [value].flat().map(String).join(','),
  ]);
  return Object.fromEntries(entries);
}
