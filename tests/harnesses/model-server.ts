import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What the model wants next: a shell command, or to end its turn with a text. */
export type ModelStep = { readonly command: string } | { readonly text: string };

/** Decides by what the last tool call answered, as a model does; null before the first one. */
export type ModelScript = (answer: string | null, turn: number) => ModelStep;

type Reply = (step: ModelStep, turn: number, body: Body) => readonly string[];
type Body = Readonly<Record<string, unknown>>;

/** A model of three providers' protocols that follows a script. It listens on loopback only. */
export class ModelServer {
  readonly #server: Server;
  readonly #script: ModelScript;
  /** What the harness reported to the model, call by call. */
  readonly answers: string[] = [];
  #turn = 0;

  constructor(script: ModelScript) {
    this.#script = script;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async listen(): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.listen(0, '127.0.0.1', resolve);
    await promise;
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://model');
    const body = request.method === 'POST' ? ((await json(request)) as Body) : {};
    const reply = replyFor(pathname);
    if (!reply) {
      response.writeHead(404).end('{}');
      return;
    }
    const answer = lastAnswer(body);
    // Harnesses also ask for titles and summaries, without any tools.
    const isWork = Array.isArray(body.tools) && body.tools.length > 0;
    if (isWork && answer !== null) this.answers.push(answer);
    const step = isWork ? this.#script(answer, this.#turn++) : { text: 'Work' };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of reply(step, this.#turn, body)) response.write(chunk);
    response.end();
  }
}

function replyFor(path: string): Reply | undefined {
  if (path.endsWith('/responses')) return openResponses;
  if (path.endsWith('/chat/completions')) return chatCompletions;
  return path.includes(':streamGenerateContent') ? gemini : undefined;
}

/** The output of the last tool call in a conversation, whatever the protocol. */
function lastAnswer(body: Body): string | null {
  const items = (body.input ?? body.messages ?? body.contents ?? []) as readonly Body[];
  const found = items.filter((item) =>
    /function_call_output|"role":"tool"|functionResponse/.test(JSON.stringify(item)),
  );
  const last = found.at(-1);
  return last === undefined ? null : JSON.stringify(last);
}

const event = (type: string, value: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`;
const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

/** OpenAI's Responses, as Codex reads them. */
const openResponses: Reply = (step, turn) => {
  const id = `resp_${turn}`;
  const item =
    'command' in step
      ? {
          type: 'function_call',
          id: `fc_${turn}`,
          call_id: `call_${turn}`,
          name: 'exec_command',
          arguments: JSON.stringify({ cmd: step.command }),
        }
      : {
          type: 'message',
          id: `msg_${turn}`,
          role: 'assistant',
          content: [{ type: 'output_text', text: step.text }],
        };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  return [
    event('response.created', { response: { id } }),
    event('response.output_item.done', { item }),
    event('response.completed', { response: { id, usage } }),
  ];
};

/** OpenAI's chat completions, which most providers speak. */
const chatCompletions: Reply = (step, turn) => {
  const delta =
    'command' in step
      ? {
          tool_calls: [
            {
              index: 0,
              id: `call_${turn}`,
              type: 'function',
              function: {
                name: 'bash',
                arguments: JSON.stringify({ command: step.command, description: 'work' }),
              },
            },
          ],
        }
      : { content: step.text };
  const chunk = (choice: object) => ({
    id: `chat_${turn}`,
    object: 'chat.completion.chunk',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, ...choice }],
  });
  const finish = 'command' in step ? 'tool_calls' : 'stop';
  return [
    data(chunk({ delta: { role: 'assistant', ...delta }, finish_reason: null })),
    data({
      ...chunk({ delta: {}, finish_reason: finish }),
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),
    'data: [DONE]\n\n',
  ];
};

const gemini: Reply = (step) => {
  const part =
    'command' in step
      ? { functionCall: { name: 'run_shell_command', args: { command: step.command } } }
      : { text: step.text };
  const candidate = { content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 };
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
  return [data({ candidates: [candidate], usageMetadata })];
};
