import type { ReportedUsage } from './usage.ts';
import type { UsageReader } from './usage-reader.ts';

export interface PassedAnswer {
  readonly stream: ReadableStream<Uint8Array>;
  /** Never rejects: an answer that breaks off has an end, too. */
  readonly ended: Promise<{ readonly usage: ReportedUsage; readonly isWhole: boolean }>;
}

/** Passes an answer on at the speed at which it is read. */
export function passOn(answer: ReadableStream<Uint8Array>, reader: UsageReader): PassedAnswer {
  const source = answer.getReader();
  const { promise, resolve } = Promise.withResolvers<{ usage: ReportedUsage; isWhole: boolean }>();
  const end = (isWhole: boolean): void => resolve({ usage: reader.usage(), isWhole });
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        // A piece may be held back, and a pull that gives nothing is not repeated.
        for (let passed = new Uint8Array(); passed.length === 0; ) {
          const { done, value } = await source.read();
          passed = new Uint8Array(done ? reader.end() : reader.take(value));
          if (passed.length > 0) controller.enqueue(passed);
          if (!done) continue;
          end(true);
          controller.close();
          return;
        }
      } catch (error) {
        end(false);
        controller.error(error);
      }
    },
    async cancel(reason) {
      end(false);
      await source.cancel(reason);
    },
  });
  return { stream, ended: promise };
}
