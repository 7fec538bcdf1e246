import { createHmac, randomFillSync } from 'node:crypto';

/**
 * A trace id of 16 bytes that tells its lane: a marker, the lane's number (4 bytes), the first 3
 * bytes of its HMAC, and 7 bytes of chance. Many hops that drop baggage keep `traceparent`.
 */
const marker = '5e1a';
const tagDigits = 18;

const tags = new Map<string, string>();
const tagsMax = 10_000;

/** All but the chance, which is the same for every trace id of a lane. */
export function traceTag(secret: string, trace: string): string {
  const name = `${secret} ${trace}`;
  const known = tags.get(name);
  if (known) return known;
  const tag = makeTag(secret, trace);
  // Every change of the table asks for those of all its lanes again.
  if (tags.size >= tagsMax) tags.clear();
  tags.set(name, tag);
  return tag;
}

function makeTag(secret: string, trace: string): string {
  const mac = createHmac('sha256', Buffer.from(secret, 'hex')).update(Buffer.from(trace, 'hex'));
  return `${marker}${trace}${mac.digest('hex').slice(0, 6)}`;
}

const traceparentForm = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/;

export function traceIdOf(traceparent: string | undefined): string | null {
  return (traceparent && traceparentForm.exec(traceparent)?.[1]) || null;
}

export function spanIdOf(traceparent: string | undefined): string | undefined {
  return (traceparent && traceparentForm.exec(traceparent)?.[2]) || undefined;
}

/** Those of all trace ids that look like ours; only the secret tells whether they are. */
export function tagsIn(traceparents: string | undefined): string[] {
  if (!traceparents?.includes(marker)) return [];
  const ids = traceparents.split(',').map((one) => traceIdOf(one.trim()));
  return ids.filter((id) => id?.startsWith(marker)).map((id) => (id as string).slice(0, tagDigits));
}

export function isAuthentic(tag: string, secret: string): boolean {
  return makeTag(secret, tag.slice(marker.length, marker.length + 8)) === tag;
}

/** For a request that comes without one. Sampled, as it would be if it began at the service. */
export function newTraceparent(tag: string): string {
  const chance = nextChance();
  return `00-${tag}${chance.slice(0, 32 - tagDigits)}-${chance.slice(32 - tagDigits, 30)}-01`;
}

const chanceBytes = 15;
const store = Buffer.alloc(chanceBytes * 256);
let used = store.length;

/** Randomness is cheap by the page and dear by the piece. */
function nextChance(): string {
  if (used === store.length) {
    randomFillSync(store);
    used = 0;
  }
  used += chanceBytes;
  return store.toString('hex', used - chanceBytes, used);
}
