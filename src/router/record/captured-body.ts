import { type Json, redactSecrets, sharedLimits } from '../../kernel/index.ts';
import { readGrpcBody } from './grpc-body.ts';

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const grpcType = /^application\/grpc(?:\+[\w.-]+)?\s*(?:;|$)/i;

/**
 * A body that passes through, up to a size. It is parsed when it is read: most bodies never are,
 * and parsing would delay requests.
 */
export class CapturedBody {
  /** Its bytes, a character each: a text is cheaper to keep by the thousand than buffers. */
  #text: string | null;
  #bytes = 0;
  readonly isGrpc: boolean;

  constructor(type: string | undefined) {
    this.isGrpc = type !== undefined && grpcType.test(type);
    this.#text = this.isGrpc || (type !== undefined && jsonType.test(type)) ? '' : null;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** What it takes in memory. */
  get kept(): number {
    return this.#text === null ? 0 : this.#bytes;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#text === null) return;
    this.#text =
      this.#bytes <= sharedLimits.hopBodyBytesMax ? this.#text + chunk.toString('latin1') : null;
  }

  json(): Json {
    if (this.#text === null || this.#bytes === 0) return null;
    try {
      const bytes = Buffer.from(this.#text, 'latin1');
      const json = this.isGrpc ? readGrpcBody(bytes) : (JSON.parse(bytes.toString('utf8')) as Json);
      return isShallow(json, sharedLimits.jsonDepthMax) ? redactSecrets(json) : null;
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
