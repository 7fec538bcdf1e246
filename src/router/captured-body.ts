import { type Json, limits, redactSecrets } from '../kernel/index.ts';

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/**
 * What passes by, as far as it is worth keeping. It is read when somebody asks: most of it nobody
 * ever does, and requests would wait for it.
 */
export class CapturedBody {
  #chunks: Buffer[] | null;
  #bytes = 0;

  constructor(type: string | undefined) {
    this.#chunks = type !== undefined && jsonType.test(type) ? [] : null;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** What it takes in memory. */
  get kept(): number {
    return this.#chunks === null ? 0 : this.#bytes;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#chunks === null) return;
    // A copy: the chunk is a piece of a buffer that is much larger, and would be kept as a whole.
    if (this.#bytes <= limits.hopBodyBytesMax) this.#chunks.push(Buffer.from(chunk));
    else this.#chunks = null;
  }

  json(): Json {
    if (this.#chunks === null || this.#bytes === 0) return null;
    try {
      const json = JSON.parse(Buffer.concat(this.#chunks).toString('utf8')) as Json;
      return isShallow(json, limits.jsonDepthMax) ? redactSecrets(json) : null;
    } catch {
      // Cut off, compressed, or not what it says: the size is all that there is to tell.
      return null;
    }
  }
}

/** What is deeper could be neither redacted nor stored; a recursion must not find out the end. */
function isShallow(json: Json, depthLeft: number): boolean {
  if (typeof json !== 'object' || json === null) return true;
  return depthLeft > 0 && Object.values(json).every((value) => isShallow(value, depthLeft - 1));
}
