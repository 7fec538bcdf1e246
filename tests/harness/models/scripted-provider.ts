import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

/** What the scripted providers count for each answer. */
export const counted = { input: 11, output: 7 };

/** Two providers on loopback, which answer what they are told to. */
export class ScriptedProvider implements AsyncDisposable {
  readonly asked: Asked[] = [];
  /** Answers with this status instead. */
  status = 200;
  /** Stops in the middle of a stream until it is closed. */
  isStuck = false;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await json(request)) as Record<string, unknown>;
    const path = request.url ?? '';
    this.asked.push({ path, headers: request.headers, body });
    if (this.status !== 200) {
      response.writeHead(this.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: 'overloaded', type: 'overloaded_error' } }));
    } else if (body.stream === true) this.#stream(path, body, response);
    else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(path === '/v1/messages' ? message : completion));
    }
  }

  #stream(path: string, body: Record<string, unknown>, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const asks = body.stream_options as { include_usage?: boolean } | undefined;
    const events = path === '/v1/messages' ? messageEvents : chunks(asks?.include_usage === true);
    const [first = '', ...rest] = events;
    response.write(first);
    if (!this.isStuck) response.end(rest.join(''));
  }
}

const completion = {
  ...{ id: 'chat-1', object: 'chat.completion', created: 1, model: 'small' },
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello.' } }],
  usage: { prompt_tokens: counted.input, completion_tokens: counted.output, total_tokens: 18 },
};

function chunks(hasUsage: boolean): string[] {
  const chunk = { id: 'chat-1', object: 'chat.completion.chunk', created: 1, model: 'small' };
  const said = (content: string) => ({ ...chunk, choices: [{ index: 0, delta: { content } }] });
  const last = { ...chunk, choices: [], usage: completion.usage };
  const all = [said('Hel'), said('lo.'), ...(hasUsage ? [last] : [])];
  return [...all.map((one) => `data: ${JSON.stringify(one)}\n\n`), 'data: [DONE]\n\n'];
}

const started = {
  ...{ id: 'msg-1', type: 'message', role: 'assistant', model: 'small' },
  ...{ content: [], stop_reason: null, stop_sequence: null },
  usage: { input_tokens: 1, cache_read_input_tokens: 10, output_tokens: 1 },
};

const message = {
  ...{ ...started, content: [{ type: 'text', text: 'Hello.' }], stop_reason: 'end_turn' },
  usage: { ...started.usage, output_tokens: counted.output },
};

const messageEvents = [
  { type: 'message_start', message: started },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn' },
    usage: { output_tokens: counted.output },
  },
  { type: 'message_stop' },
].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
