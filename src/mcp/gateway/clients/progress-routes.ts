import type { JsonObject } from '../../../kernel/index.ts';

type ProgressRoute = (progress: JsonObject) => void;

/**
 * Whose call it is that a server tells progress of. The SDK forgets that together with the answer:
 * a last step that came just before it would be lost.
 */
export class ProgressRoutes {
  readonly #wanted = new Map<string, ProgressRoute>();
  #count = 0;

  /** Sends parameters that ask for progress, if anybody wants it. */
  async follow<Answer>(
    params: JsonObject,
    onProgress: ProgressRoute | undefined,
    send: (params: JsonObject) => Promise<Answer>,
  ): Promise<Answer> {
    if (!onProgress) return send(params);
    this.#count += 1;
    const progressToken = `surety-${this.#count}`;
    this.#wanted.set(progressToken, onProgress);
    try {
      const meta = (params._meta ?? {}) as JsonObject;
      return await send({ ...params, _meta: { ...meta, progressToken } });
    } finally {
      this.#wanted.delete(progressToken);
    }
  }

  tell({ progressToken, _meta: _, ...progress }: JsonObject): void {
    this.#wanted.get(String(progressToken))?.(progress);
  }
}
