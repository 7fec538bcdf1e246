import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { fault } from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import { shallow } from './exact-json.ts';
import { LineReader } from './line-reader.ts';
import type { Traffic } from './traffic.ts';

type Chunk = Uint8Array<ArrayBuffer>;

interface EventStreamOptions {
  readonly traffic?: Traffic | undefined;
  readonly onText?: ((text: string) => void) | undefined;
  /** Whether it is the answer to a request, and so has one in it. */
  readonly isAnswer: boolean;
}

/** The same for a server that sends such a stream as lines of JSON, each of them a message. */
export function linesAsEvents(): TransformStream<Chunk, Chunk> {
  const reader = new LineReader();
  const encoder = new TextEncoder();
  const event = (line: string): Chunk => encoder.encode(`data: ${line}\n\n`) as Chunk;
  return new TransformStream({
    transform(chunk, controller) {
      for (const line of reader.take(chunk)) if (line !== '') controller.enqueue(event(line));
    },
    flush(controller) {
      const rest = reader.rest();
      if (rest !== '') controller.enqueue(event(rest));
    },
  });
}

/** A stream of events may go on for ever; each is bounded, counted and read before the SDK. */
export class EventStream extends TransformStream<Chunk, Chunk> {
  constructor({ traffic, onText, isAnswer }: EventStreamOptions) {
    let isAwaited = isAnswer;
    const reader = new LineReader();
    const encoder = new TextEncoder();
    let lines: string[] = [];
    let bytes = 0;
    const hold = traffic?.holder();
    const release = (): void => hold?.(0);
    const takeLine = (line: string, controller: TransformStreamDefaultController<Chunk>): void => {
      bytes += line.length;
      if (bytes > mcpLimits.upstreamMessageBytesMax) throw new RangeError(tooLarge);
      lines.push(line);
      if (line !== '') return;
      const [admitted, isResponse] = admit(lines, { traffic, onText, isAnswer: isAwaited });
      if (isResponse) isAwaited = false;
      if (admitted) controller.enqueue(encoder.encode(`${admitted.join('\n')}\n`) as Chunk);
      lines = [];
      bytes = 0;
    };
    super({
      transform(chunk, controller) {
        try {
          for (const line of reader.take(chunk)) takeLine(line, controller);
          hold?.(bytes + reader.bytes + lines.length * lineBytes);
        } catch (error) {
          if (!(error instanceof RangeError)) throw error;
          release();
          controller.error(fault('TOOL_IN_DOUBT', { reason: tooLarge }));
        }
      },
      flush(controller) {
        const rest = [...lines, reader.rest()].join('\n');
        release();
        if (rest !== '') controller.enqueue(encoder.encode(rest) as Chunk);
      },
      cancel: release,
    });
  }
}

/** What a line costs besides its characters. */
const lineBytes = 16;

const tooLarge = `one of its messages is larger than ${mcpLimits.upstreamMessageBytesMax} bytes`;

/** The lines of an event that the SDK may read, if any, and whether they are a response. */
function admit(
  lines: readonly string[],
  { traffic, onText, isAnswer }: EventStreamOptions,
): readonly [lines: readonly string[] | undefined, isResponse: boolean] {
  const data = lines.filter((line) => line.startsWith('data:'));
  const text = data
    .map((line) => line.slice('data:'.length))
    .join('\n')
    .trim();
  if (text === '') return [lines, false];
  let read: string | undefined;
  let message: JSONRPCMessage;
  try {
    read = shallow(text);
    message = JSON.parse(read ?? '') as JSONRPCMessage;
  } catch {
    return [traffic?.count('unreadable', text.length) === false ? undefined : lines, false];
  }
  if (read === undefined || typeof message !== 'object' || message === null) {
    return [undefined, false];
  }
  const isResponse = !('method' in message);
  if ('result' in message) onText?.(read);
  if (traffic && !traffic.admits(message, text, isAnswer)) return [undefined, isResponse];
  if (read === text) return [lines, isResponse];
  const others = lines.filter((line) => line !== '' && !line.startsWith('data:'));
  return [[...others, `data: ${read}`, ''], isResponse];
}
