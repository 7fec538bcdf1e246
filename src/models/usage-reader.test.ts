import { describe, expect, test } from 'vitest';
import { anthropic } from './anthropic.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { modelLimits } from './limits.ts';
import { readModelCall } from './model-call.ts';
import { openai } from './openai.ts';
import type { ModelTarget } from './target.ts';
import { createAnswerReader, createStreamReader, type UsageReader } from './usage-reader.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What comes out if the text comes in pieces of so many bytes. */
function passed(reader: UsageReader, text: string, pieceBytes: number): string {
  const all = bytes(text);
  const out: Uint8Array[] = [];
  for (let at = 0; at < all.length; at += pieceBytes) {
    out.push(reader.take(all.subarray(at, at + pieceBytes)));
  }
  return Buffer.concat([...out, reader.end()]).toString('utf8');
}

const said = 'data: {"choices":[{"delta":{"content":"é€"}}]}\r\n\r\n';
const usage = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n';

describe('a stream', () => {
  test.each([1, 2, 7, 1_000])('in pieces of %i bytes is passed on whole, and counted', (size) => {
    const reader = createStreamReader(openai, false);
    const text = `${said}: a comment\n\n${usage}data: [DONE]\n\n`;
    expect(passed(reader, text, size)).toBe(text);
    expect(reader.usage()).toEqual({ input: 3, output: 2 });
  });

  test('loses the event with the usage that only Surety asked for', () => {
    const reader = createStreamReader(openai, true);
    expect(passed(reader, said + usage + said, 5)).toBe(said + said);
    expect(reader.usage()).toEqual({ input: 3, output: 2 });
  });

  test('that breaks off has the usage of its beginning', () => {
    const reader = createStreamReader(anthropic, false);
    const start = { type: 'message_start', message: { usage: { input_tokens: 5 } } };
    passed(reader, `data: ${JSON.stringify(start)}\n\ndata: {"type":"mess`, 9);
    expect(reader.usage()).toEqual({ input: 5 });
  });

  test('with an event beyond modelLimits.modelEventCharsMax is passed on without being read', () => {
    const event = (chars: number): string => {
      const frame = 'data: {"usage":{"prompt_tokens":1},"x":""}';
      return `${frame.slice(0, -2)}${'x'.repeat(chars - frame.length)}"}`;
    };
    const usageAt = (chars: number) => {
      const reader = createStreamReader(openai, false);
      const out = [reader.take(bytes(event(chars))), reader.take(bytes('\n\n')), reader.end()];
      expect(Buffer.concat(out).length).toBe(chars + 2);
      return reader.usage();
    };
    expect(usageAt(modelLimits.modelEventCharsMax)).toEqual({ input: 1, output: 0 });
    expect(usageAt(modelLimits.modelEventCharsMax + 1)).toEqual({});
  });
});

test('an answer beyond modelLimits.modelAnswerBytesMax is passed on without being read', () => {
  const usageAt = (size: number) => {
    const reader = createAnswerReader(openai);
    const frame = '{"usage":{"prompt_tokens":4}}';
    reader.take(bytes(frame.padEnd(size)));
    return reader.usage();
  };
  expect(usageAt(modelLimits.modelAnswerBytesMax)).toEqual({ input: 4, output: 0 });
  expect(usageAt(modelLimits.modelAnswerBytesMax + 1)).toEqual({});
});

test('a request has at most modelLimits.modelRequestBytesMax', async () => {
  const target = { api: openai, path: '/v1/embeddings', name: 'gpt' } as ModelTarget;
  const read = (size: number) => {
    const body = '{"model":"small"}'.padEnd(size);
    const request = new Request('http://127.0.0.1/', { method: 'POST', body });
    return readModelCall(request, target, { actor: 'agent:ada', roles: ['agent'] });
  };
  expect(await read(modelLimits.modelRequestBytesMax)).toMatchObject({ model: 'small' });
  await expect(read(modelLimits.modelRequestBytesMax + 1)).rejects.toMatchObject({
    code: 'REQUEST_TOO_LARGE',
  });
});

test('an image counts as an attachment, not by its characters', () => {
  const data = 'A'.repeat(3_000_000);
  const source = { type: 'base64', media_type: 'image/png', data };
  expect(estimateTokens([{ type: 'image', source }])).toBeLessThan(3_000);
  expect(estimateTokens(`data:image/png;base64,${data}`)).toBeLessThan(3_000);
  expect(estimateTokens('word '.repeat(300))).toBeGreaterThan(300);
});
