import { fault } from '../kernel/index.ts';

/** The bytes of a request, within a limit. */
export async function collectBody(request: Request, bytesMax: number): Promise<Uint8Array> {
  const length = request.headers.get('content-length');
  // With a length header, the HTTP parser lets no more through. Reading a stream takes far longer.
  if (length !== null && Number(length) <= bytesMax) {
    return new Uint8Array(await request.arrayBuffer());
  }
  return collectCounting(request, bytesMax);
}

/** Counted while it arrives. */
async function collectCounting(request: Request, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw fault('REQUEST_TOO_LARGE', { limit: bytesMax });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
