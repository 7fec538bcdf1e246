import type { Signal } from '../../../src/telemetry/otlp/answer.ts';
import { exportedMessages } from '../../../src/telemetry/otlp/exported.fixture.ts';
import { MalformedMessage } from '../../../src/telemetry/otlp/proto/proto-reader.ts';
import {
  anyValue,
  attributes,
  createScene,
  logsOf,
  metricsOf,
  nowNs,
  type Scene,
  span,
  spansOf,
} from '../../../src/telemetry/otlp/scene.fixture.ts';
import { type Encoding, takeIn } from '../../../src/telemetry/otlp/signals.ts';
import { type FuzzTarget, kindOf } from '../fuzzing.ts';
import { mutate } from '../mutate.ts';

const signals: readonly Signal[] = ['traces', 'metrics', 'logs'];
/** Rows are kept in memory. */
const executionsPerScene = 2_000;

const at = String(nowNs);
const point = { timeUnixNano: at, asDouble: 1.5, attributes: attributes({ a: 'x' }) };
const histogram = {
  timeUnixNano: at,
  count: '2',
  sum: 3,
  bucketCounts: ['1', '1'],
  explicitBounds: [1],
};
const messages: Readonly<Record<Signal, string>> = {
  traces: JSON.stringify(
    spansOf([
      span({ events: [{ timeUnixNano: at, name: 'e' }], links: [] }, { 'http.route': '/a' }),
    ]),
  ),
  metrics: JSON.stringify(
    metricsOf([
      { name: 'g', gauge: { dataPoints: [point] } },
      { name: 'h', histogram: { dataPoints: [histogram], aggregationTemporality: 2 } },
    ]),
  ),
  logs: JSON.stringify(
    logsOf([{ timeUnixNano: at, severityNumber: 9, body: anyValue({ a: [1, 'b', null] }) }]),
  ),
};
const words = ['"intValue":"', '"kvlistValue":{"values":[', '"traceId":"', '"key":"surety.lane",'];

/** OTLP messages in one encoding; the first byte says of which signal. */
export async function otlpTarget(encoding: Encoding): Promise<FuzzTarget> {
  const bodies: Readonly<Record<Signal, Buffer | string>> =
    encoding === 'proto' ? await exportedMessages() : messages;
  const seeds = signals.map((signal, index) =>
    Buffer.concat([Buffer.of(index), Buffer.from(bodies[signal])]),
  );
  let scene: Scene = createScene();
  let executed = 0;
  return {
    seeds,
    make(random, base, others) {
      const body = mutate(random, base.subarray(1), { words, others });
      return Buffer.concat([base.subarray(0, 1), body]);
    },
    execute(input) {
      if (++executed % executionsPerScene === 0) scene = createScene();
      const signal = signals[(input[0] ?? 0) % signals.length] as Signal;
      const message = { encoding, bytes: input.subarray(1), sender: '' };
      try {
        const { rejected, reason } = takeIn(scene.intake, signal, message);
        return `${signal} ${rejected} ${kindOf(reason)}`;
      } catch (error) {
        if (error instanceof MalformedMessage) return `${signal} ${kindOf(error.message)}`;
        throw error;
      }
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}
